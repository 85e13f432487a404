"""Names on a server: readable, in one script, and not a bot's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manhattan.bots import LEVELS
from manhattan.bots.names import BOT_NAMES
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.names import DELETED_NAME, check_person_name

I18N = Path(__file__).parents[3] / "web/src/i18n"

GOOD = [
    *("Ada", "Zoë", "Łukasz", "D’Artagnan", "O'Neill-Smith", "Ada 2", "Greedy bot", "7", "…"),
    *("Иван", "Ελένη", "Björk Guðmundsdóttir", "محمد", "شهرزاد", "דוד", "田中 Taro", "タロー"),
    *("김철수", "می\u200cخواهم", "क्\u200dष", "👩\u200d👩\u200d👧", "❤️ Ada", "e\u0301lise", "Guest"),
    *("Nguyễn Thị Ánh", "Hardy", "Experta", "Marc Medium-Rare"),
]
UNREADABLE = [
    *("\u200b", "A\u200bda", "Ada\u200d", "\u200dAda", "A\u200dda", "Ada\u202eevE", "\u2066Ada"),
    *("\u0301", "\u0301Ada", "A" + "\u0301" * 5, "\u3164", "Ada\u3164", "\u115f", "\u2800"),
    *(
        "Ada\ufe0f",
        "Ada\ufe01",
        "A\U000e0041da",
        "A\u00adda",
        "\ufeffAda",
        "A\u034fda",
        "\u061cAda",
    ),
    *(" ", "\ue000", "Ada\u2028", "\u180e", "\U000e0100Ada"),
]
MIXED = ["Adа", "Аda", "Αda", "Pаypal", "Bοb", "Иvan", "Ελέnη", "Դavid", "Ꭰavid", "Adа田"]
BOTS = [
    *(
        "Easy",
        "easy",
        "EASY",
        "Easy 1",
        "Easy 2",
        "  Easy  ",
        "E.a.s.y",
        "éasy",
        "ＥＡＳＹ",
        "3asy",
    ),
    *("еаѕу", "Hard 3", "Medium", "Ⅿedium", "Expert", "Expert bot", "3xpert", "Bot", "b0t"),
    *("Leicht", "Schwer", "Moyen", "Moeilijk", "Łatwy", "Ekspert 4", "Computer", "Deleted player"),
]


def refusal(name: str) -> ErrorCode | None:
    try:
        check_person_name(name)
    except CommandRejected as error:
        return error.reason
    return None


@pytest.mark.parametrize("name", GOOD)
def test_a_good_name_is_accepted(name: str) -> None:
    assert refusal(name) is None


@pytest.mark.parametrize("name", UNREADABLE, ids=ascii)
def test_a_name_that_can_t_be_read_is_rejected(name: str) -> None:
    assert refusal(name) is ErrorCode.NAME_UNREADABLE


@pytest.mark.parametrize("name", MIXED, ids=ascii)
def test_a_name_of_letters_that_look_alike_is_rejected(name: str) -> None:
    assert refusal(name) is ErrorCode.NAME_MIXED_SCRIPTS


@pytest.mark.parametrize("name", BOTS, ids=ascii)
def test_the_name_of_a_bot_is_rejected(name: str) -> None:
    assert refusal(name) is ErrorCode.NAME_OF_A_BOT


def test_no_bot_shares_its_name_in_any_language() -> None:
    """Whatever the levels are called on the page."""
    for level in LEVELS:
        for name in BOT_NAMES[level]:
            assert refusal(name) is ErrorCode.NAME_OF_A_BOT, name
            assert refusal(f"{name.upper()} 2") is ErrorCode.NAME_OF_A_BOT, name
        for language in ("en", "de", "fr", "nl", "pl"):
            messages = json.loads((I18N / f"{language}.json").read_text("utf-8"))
            translated = messages[f"level.{level}"]
            assert refusal(translated) is ErrorCode.NAME_OF_A_BOT, translated
    assert refusal(DELETED_NAME) is ErrorCode.NAME_OF_A_BOT
