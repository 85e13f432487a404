"""The table on the network: tables that people and bots sit at, over HTTP and websockets.

A table is the list of what happened at it (``entries``), folded into how it stands (``sitting``).
Everything else is derived: what each viewer is told (``seen``), the lists, the clocks.
"""
