"""Websockets: one connection for each viewer."""
