"""Entry point of ``python -m manhattan``: the command line."""

from manhattan.cli import main

if __name__ == "__main__":
    main()
