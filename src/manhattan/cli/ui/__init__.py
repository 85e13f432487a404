"""The terminal user interface: board renderer, prompts, paging, narration."""
