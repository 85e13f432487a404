"""The compiled core of the environments: what is seen, and one step, in one call each."""
