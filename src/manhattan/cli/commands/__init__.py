"""The commands of ``manhattan``, one module each."""
