"""The wire protocol: messages, commands, requests, responses, and their schema."""
