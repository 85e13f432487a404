"""How good is a position, and for whom? Features, learned weights, and search with both."""
