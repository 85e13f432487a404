"""Tables on the network: HTTP and websockets, event-sourced tables, SQLite or PostgreSQL."""
