"""Game AI: a linear value function, a value network, an opponent model, and search with them.

The short names in compiled code (``g``, ``q``, ``t``) are explained in ``manhattan.kernel.layout``.
"""
