"""Environments for research: Gymnasium, PettingZoo and OpenSpiel over the compiled kernel.

They need the extra ``rl``. Each platform is loaded by its own module.
"""
