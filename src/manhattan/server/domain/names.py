"""Names of people on a server, where strangers read them: stricter than the rules' own check.

A name must be readable, must not mix scripts whose letters look alike, and must not be a bot's.
Names that people already have are not checked again.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import Final

from manhattan.bots import LEVELS
from manhattan.bots.names import BOT_NAMES
from manhattan.server.domain.errors import CommandRejected, ErrorCode

DELETED_NAME: Final = "Deleted player"
"""Replaces the name of a person who has deleted their account."""

_MAX_MARKS: Final = 4
"""Combining marks on one letter; more would reach into the lines around the name."""
_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
)
"""Characters that show nothing although they count as letters, marks or symbols."""
_CONTROLS: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories without a glyph: controls, the direction of text, unassigned characters."""
_JOINERS: Final = frozenset("\u200c\u200d")
_EMOJI_STYLE: Final = "\ufe0f"
_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN", "CHEROKEE"})
"""Scripts that are written without joiners."""
_MIXABLE: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
"""Scripts that are written together (Unicode TR 39, highly restrictive)."""
_LOOK_ALIKES: Final = str.maketrans(
    "авеікмнорстухѕјԁԛԝһӏαεηικνορτυχω0134578$@|!",  # noqa: RUF001 - ambiguous on purpose
    "abeikmhopctyxsjdqwhlaehikvoptuxwoieastbsaii",
)
"""Cyrillic and Greek letters, digits and signs that look like a Latin letter, after case folding.
Both sides of a comparison are translated, so that what looks alike ends up alike."""
_TRANSLATED_LEVELS: Final = (
    *("leicht", "locker", "mittel", "fortgeschritten", "schwer", "experte"),
    *("facile", "détendu", "moyen", "avancé", "difficile"),
    *("makkelijk", "ontspannen", "gemiddeld", "gevorderd", "moeilijk", "kampioen"),
    *("łatwy", "swobodny", "średni", "zaawansowany", "trudny", "ekspert", "mistrz"),
)
"""The names of the levels in the other languages of the page."""
_TRAILING_NUMBER: Final = re.compile(r"[\s#.]*[0-9]*$")


def check_person_name(name: str) -> None:
    """Reject a name that other people could not read, or could mistake for a bot's."""
    if _is_unreadable(name):
        raise CommandRejected(ErrorCode.NAME_UNREADABLE)
    if len(scripts := _scripts(name)) > 1 and not any(scripts <= mixable for mixable in _MIXABLE):
        raise CommandRejected(
            ErrorCode.NAME_MIXED_SCRIPTS, scripts=", ".join(sorted(map(str.title, scripts)))
        )
    if _skeleton(name) in _RESERVED or _skeleton(_TRAILING_NUMBER.sub("", name)) in _RESERVED:
        raise CommandRejected(ErrorCode.NAME_OF_A_BOT)


def _is_unreadable(name: str) -> bool:
    if unicodedata.category(name[:1] or " ").startswith("M"):
        return True  # it would change the character before the name
    marks = 0
    for at, character in enumerate(name):
        if _is_invisible(name, at):
            return True
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks > _MAX_MARKS:
            return True
    return not any(unicodedata.category(character)[0] in "LNPS" for character in name)


def _is_invisible(name: str, at: int) -> bool:
    """Whether a character shows nothing, and isn't needed where it stands."""
    character = name[at]
    if character in _JOINERS:
        return not _joins(name, at)
    if character == _EMOJI_STYLE:
        return unicodedata.category(name[at - 1]) not in ("So", "Sm", "Po", "Nd")
    is_variant = "\ufe00" <= character <= "\ufe0e" or "\U000e0100" <= character <= "\U000e01ef"
    return is_variant or character in _BLANK or unicodedata.category(character) in _CONTROLS


def _joins(name: str, at: int) -> bool:
    """Whether a joiner stands where the spelling of a script, or an emoji, needs it."""
    before, after = name[:at][-1:], name[at + 1 :][:1]
    if not before or not after or after in _JOINERS:
        return False
    if unicodedata.category(after) in ("So", "Sk"):
        return True
    return unicodedata.category(after)[0] in "LM" and _script(before) not in (None, *_ALPHABETS)


def _scripts(name: str) -> frozenset[str]:
    """Return the scripts of a name's letters."""
    found = (_script(character) for character in unicodedata.normalize("NFKC", name))
    return frozenset(script for script in found if script is not None)


def _script(character: str) -> str | None:
    """Return the script of a letter or a mark, by the first word of its Unicode name; None for
    characters that all scripts share."""
    category = unicodedata.category(character)
    if category[0] not in "LM" or category == "Lm":
        return None
    script = unicodedata.name(character, "UNKNOWN").partition(" ")[0]
    is_shared = script in ("COMBINING", "FEMININE", "MASCULINE", "VARIATION", "IDEOGRAPHIC")
    return None if is_shared else script.partition("-")[0]


def _skeleton(name: str) -> str:
    """Reduce a name to what a quick reader sees of it."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = (c for c in folded.translate(_LOOK_ALIKES) if c.isalnum())
    return "".join(letters).replace("l", "i")


_RESERVED: Final = frozenset(
    _skeleton(f"{level} {word}".strip())
    for level in (*LEVELS, *_TRANSLATED_LEVELS)
    for word in ("", "bot")
) | frozenset(
    map(_skeleton, ("Bot", "Computer", "Manhattan", DELETED_NAME, *chain(*BOT_NAMES.values())))
)
