"""Publish and subscribe between server processes."""
