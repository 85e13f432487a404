"""``python -m manhattan`` is the command ``manhattan``."""

from manhattan.cli import main

if __name__ == "__main__":
    main()
