"""The compiled part of the environments: observations, batched steps, explicit chance."""
