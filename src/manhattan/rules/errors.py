"""What can go wrong, as types for programs and sentences for people."""


class ManhattanError(Exception):
    """The base of every error that this package raises on purpose.

    Its text is a sentence for a person: what happened, where, and what to do.
    """


class NotationError(ManhattanError, ValueError):
    """A text that should be a move, a site, a tower or a board is not."""


class SetupError(ManhattanError, ValueError):
    """A table that can't be set up: players, seats, colours, edition or house rules."""


class ChanceError(ManhattanError, ValueError):
    """A shuffle from outside did not give back the cards that it was given."""


def printable(text: str) -> str:
    """The text on one line, with whatever would act on a terminal, or can't be seen, escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def describe_characters(text: str, limit: int = 40) -> str:
    """The text in quotes, shortened, with every character named that only looks like ASCII.

    C5+3 with a Cyrillic C reads like a perfect move; whoever typed it can't see why it isn't.
    """
    kept = text if len(text) <= limit else text[: limit - 1]
    shown = kept if kept == text else kept + "…"
    strange = sorted({c for c in kept if not ("\x20" <= c <= "\x7e")})
    quoted = repr(shown) if shown.isprintable() else ascii(shown)
    if not strange:
        return quoted
    names = ", ".join(f"{_visible(c)} is U+{ord(c):04X} {_name(c)}" for c in strange[:3])
    return f"{quoted} ({names})"


def _visible(character: str) -> str:
    return f"'{character}'" if character.isprintable() else ascii(character)


def _name(character: str) -> str:
    import unicodedata  # loaded only when somebody mistyped: it is a megabyte of names

    return unicodedata.name(character, "without a name")
