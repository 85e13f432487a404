"""Game AI: a linear value function, a value network, an opponent model, and search with them."""
