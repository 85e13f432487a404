"""How much the server carries: real processes, real websockets, on this machine alone."""
