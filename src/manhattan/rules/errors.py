"""Errors: types for programs, and sentences for people."""


class ManhattanError(Exception):
    """The base class of every error that this package raises on purpose.

    Its text is a sentence for a person: what happened, where, and what to do about it.
    """


class NotationError(ManhattanError, ValueError):
    """A text is not the move, site, tower or board that it should be."""


class SetupError(ManhattanError, ValueError):
    """A table can't be set up with these players, sides, colours, edition or house rules."""


class InvalidName(SetupError):
    """A text is not a player's name."""


class ChanceError(ManhattanError, ValueError):
    """A shuffler did not return the cards that it was given."""


def printable(text: str) -> str:
    """Escape the characters of a text that are invisible or control a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def describe_characters(text: str, limit: int = 40) -> str:
    """Quote a text, shorten it, and name its characters that are not ASCII.

    C5+3 with a Cyrillic C looks like a correct move, so the reader can't see what is wrong.
    """
    prefix = text if len(text) <= limit else text[: limit - 1]
    shortened = prefix if prefix == text else prefix + "…"
    quoted = repr(shortened) if shortened.isprintable() else ascii(shortened)
    not_ascii = sorted({c for c in prefix if not ("\x20" <= c <= "\x7e")})
    if not not_ascii:
        return quoted
    names = ", ".join(f"{_visible(c)} is U+{ord(c):04X} {_name(c)}" for c in not_ascii[:3])
    return f"{quoted} ({names})"


def _visible(character: str) -> str:
    return f"'{character}'" if character.isprintable() else ascii(character)


def _name(character: str) -> str:
    import unicodedata  # a megabyte of names, loaded only for this error message

    return unicodedata.name(character, "without a name")
