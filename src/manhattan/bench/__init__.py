"""Benchmarks: every measurement that ``manhattan bench`` reports."""
