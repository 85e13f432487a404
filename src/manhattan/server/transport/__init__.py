"""The network edge: HTTP, websockets, rate limits."""
