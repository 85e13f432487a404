"""The game for researchers: Gymnasium, PettingZoo and OpenSpiel over the compiled kernel.

They come with the extra ``rl``, and each is loaded by its own module.
"""
