"""How good is a position, and for whom? Features, learned values, and search with both."""
