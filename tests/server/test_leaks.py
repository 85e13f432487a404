"""Nothing hidden leaves: every byte that anybody is sent in whole games is looked through."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import pytest

from dealing import Dealer, dealing, twins
from evening import (
    Evening,
    ask_around,
    come_again,
    everything_refused,
    move_house,
    refuse_everything,
    take_back,
    talk,
)
from manhattan.game import Game
from manhattan.rules import Move, Phase, Reason, Remove, Shuffled, set_up
from manhattan.server import decisions
from manhattan.server import sitting as sittings
from manhattan.server.entries import Begun, Opened, Played
from manhattan.server.folding import fold, opened
from manhattan.server.live import encoded
from manhattan.server.protocol import PresenceTold
from manhattan.server.seen import view_message
from manhattan.server.sitting import Sitting
from manhattan.server.terms import Terms
from saved import stuck
from secrecy import Onlooker, digest_of, leaks_in, spellings
from serving import Running, loads, running
from witness import Heard, Json, Logged, Witness, history_of, logs

ME: Json = {"who": "me"}
OPEN: Json = {"who": "open"}
HERE: Json = {"who": "here", "name": "Bea"}
EASY: Json = {"who": "bot", "level": "easy"}

COLOURS = {Reason.COLOUR_NOT_NEEDED, Reason.COLOUR_NOT_YOURS, Reason.COLOUR_MISSING}
"""Said to who plays one colour, or to who plays two."""
LOGGED = {"at", "level", "from", "what", "method", "route", "status", "ms"}
"""What may stand in a line of the log."""


@pytest.fixture(scope="module")
def written() -> Iterator[Logged]:
    with logs() as logged:
        yield logged


@pytest.fixture
def dealer() -> Iterator[Dealer]:
    with dealing() as dealer:
        yield dealer


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory, written: Logged) -> Iterator[Running]:
    """A server at which for those who resign a bot plays that needs no compiling."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sittings, "STAND_IN", "easy")
        with running(str(tmp_path_factory.mktemp("served") / "tables.db")) as up:
            yield up


@pytest.mark.parametrize(
    ("people", "chairs", "terms"),
    [
        (2, [ME, OPEN], {}),
        (4, [ME, OPEN, OPEN, OPEN], {"edition": "hig-1994", "public": True}),
        (2, [ME, HERE, EASY, OPEN], {"clock": {"kind": "real_time", "bank": 900}}),
    ],
    ids=["two people", "four people", "a shared screen and a bot"],
)
def test_nobody_is_told_what_he_must_not_know(
    up: Running,
    written: Logged,
    dealer: Dealer,
    people: int,
    chairs: list[Json],
    terms: Json,
) -> None:
    with Evening(up, people, chairs, **terms) as evening:
        refuse_everything(evening)
        hint = evening.mover.ask("POST", f"{evening.path}/hint")
        assert hint["move"] in map(str, evening.game.legal_moves())
        evening.play(1)
        take_back(evening)
        evening.play(2 * len(chairs) + 2)
        refuse_everything(evening)
        talk(evening)
        evening.play(20)
        move_house(evening, chair=len(chairs) - 1)
        ask_around(evening)
        come_again(evening)
        evening.play(20)
        refuse_everything(evening)
        assert evening.players[0].do("resign", player=0)["type"] == "news"
        evening.play(2)
        come_again(evening)
        evening.play(999)
        ask_around(evening)
        come_again(evening)
        assert evening.phone.do("why", move="A1+1")["refusal"]["reason"] == Reason.GAME_OVER
        look_through(evening, written)
        assert set(Reason) - everything_refused(evening) <= {Reason.MUST_REMOVE, *COLOURS}


def test_a_hand_that_is_shown_tells_nothing_of_the_next(
    up: Running, written: Logged, dealer: Dealer
) -> None:
    """Somebody can't build: he shows his hand, draws another, and takes a block out."""
    later = [event.pile for event in stuck().events if isinstance(event, Shuffled) and event.pile]
    dealer.piles = [stuck().deck, *later]
    with Evening(up, 4, [ME, OPEN, OPEN, OPEN], first=1) as evening:
        taken_out = next(n for n, move in enumerate(stuck().moves) if isinstance(move, Remove))
        for ply, move in enumerate(stuck().moves[: taken_out + 2]):
            if ply == taken_out:
                assert evening.game.table.phase is Phase.REMOVE
                refuse_everything(evening)
                come_again(evening)
            assert evening.mover.do("play", ply=ply, move=str(move))["type"] == "news"
        come_again(evening)
        look_through(evening, written)
        assert Reason.MUST_REMOVE in everything_refused(evening)


# Were something told, it would be found.


def sitting_of_a_game() -> Sitting:
    """Two people in the middle of a game; Bob is to move."""
    table = Opened(at=1, by="ada", name="Ada", terms=Terms.model_validate({"chairs": [ME, OPEN]}))
    sitting = opened("t" * 14, table)
    sitting = fold(sitting, decisions.sit(sitting, "bob", "Bob", None, 2))
    sitting = fold(sitting, Begun(at=3, by="ada", seed=bytes(32).hex()))
    while sitting.game is None or sitting.game.ply < 45 or sitting.mover != 1:
        assert sitting.game is not None
        move = str(sitting.game.legal_moves()[-1])
        sitting = fold(sitting, Played(at=4, player=sitting.game.table.mover, move=move))
    return sitting


LEAKS: dict[str, Callable[[Json, Game], object]] = {
    "a hand": lambda told, game: told["own"].update(hand=list(game.state.hands[1])),
    "a hand elsewhere": lambda told, game: told["position"].update(hands=game.state.hands),
    "eyes": lambda told, game: told["own"].update(player=1),
    "moves": lambda told, game: told["own"].update(moves={"kind": "remove", "moves": ["-1"]}),
    "a draw": lambda told, game: told["events"][-2].update(drew=game.events[-2].drew),  # type: ignore[union-attr]
    "a shuffle": lambda told, game: [e.update(pile=[1]) for e in told["events"] if len(e) == 1],
    "an event to come": lambda told, game: told["events"].insert(0, {"type": "shuffle"}),
    "the pile": lambda told, game: told["position"].update(pile=list(game.state.pile)),
    "more of the played": lambda told, game: told["position"]["played"].append(3),
    "the seed": lambda told, game: told["table"].update(seed="00" * 32),
    "the deck": lambda told, game: told.update(deck=list(game.deck)),
    "a person": lambda told, game: told["table"]["chairs"][1].update(person="bob"),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_every_leak_is_found(leak: str) -> None:
    sitting = sitting_of_a_game()
    game = sitting.game
    assert game is not None
    presence: PresenceTold = {"type": "presence", "present": [True, True], "watching": 0}
    told = loads(encoded(view_message(sitting, "ada", presence, 5)))
    ada = Onlooker("ada", sitting, sitting)
    assert leaks_in(told, ada) == []
    assert leaks_in(told, Onlooker("olga", sitting, sitting))  # who has no hand is told none
    LEAKS[leak](told, game)
    assert leaks_in(told, ada)


@pytest.mark.parametrize("spelling", range(len(spellings(bytes(32)))))
def test_a_seed_is_found_however_it_is_written(spelling: int) -> None:
    seed = bytes(range(100, 132))
    with pytest.raises(pytest.fail.Exception, match="was told"):
        nowhere_in(b'{"x":"' + spellings(seed)[spelling] + b'"}', spellings(seed))


# Games that differ in nothing but what is hidden.


@pytest.mark.parametrize(
    ("people", "chairs", "seats", "plies"),
    [
        (2, [ME, OPEN], {0}, 46),
        (4, [ME, OPEN, OPEN, OPEN], {3}, 46),
        (3, [ME, HERE, OPEN, OPEN], {0, 1}, 14),
    ],
    ids=["two people, a new pile", "four people, a new pile", "a shared screen"],
)
def test_who_sees_the_same_is_told_the_same(
    up: Running, dealer: Dealer, people: int, chairs: list[Json], seats: set[int], plies: int
) -> None:
    """Other cards in other hands and in the pile: for who can't see them not a byte differs."""
    one, other, moves = twins(set_up(len(chairs)), seats, plies)
    told = []
    for piles in (one, other):
        dealer.piles = piles
        with Evening(up, people, chairs) as evening:
            told.append(heard_by_those_who_see_no_more(evening, seats, moves))
            hands = evening.game.state.hands
            told[-1]["others"] = [str(hand) for n, hand in enumerate(hands) if n not in seats]
    assert told[0].pop("others") != told[1].pop("others")
    for name, first in told[0].items():
        for before, after in zip(first, told[1][name], strict=True):
            assert before == after, name


def heard_by_those_who_see_no_more(
    evening: Evening, seats: set[int], moves: Sequence[Move]
) -> dict[str, list[str]]:
    """Play some moves. Who sits in certain seats, and all who look on, ask and try meanwhile what
    they can; what they were told, but for names and times."""
    curious = [evening.who(min(seats)), evening.onlooker, evening.stranger]
    for one in curious:
        one.catch_up()
        one.heard.clear()  # the other evening, with other people, was the same up to here
    for ply, move in enumerate(moves):
        mover = evening.mover
        for one in curious:
            pry(evening, one, ply, move, thoroughly=ply in (0, 9, len(moves) - 1))
        assert mover.do("play", ply=ply, move=str(move))["type"] == "news"
    for one in curious:
        one.catch_up()
    return {str(one.name): [nameless(each, evening.table) for each in one.heard] for one in curious}


def pry(evening: Evening, one: Witness, ply: int, move: Move, *, thoroughly: bool) -> None:
    """Try the move that somebody else is about to make, and ask about it."""
    if one is not evening.mover:
        assert one.do("play", ply=ply, move=str(move))["type"] == "refused"
    one.do("why", move=str(move))
    one.do("why", move="A1+1")
    if thoroughly:
        for path in (evening.path, f"{evening.path}/record", "/api/tables/mine"):
            one.asked("GET", path)
        one.look(evening.table, max(0, ply - 3))
    if evening.game.table.phase is Phase.SELECT:  # later, hints get better with time
        one.asked("POST", f"{evening.path}/hint")


def nameless(heard: Heard, table: str) -> str:
    """What was sent, without what is different at any other table, and at any other time."""
    text = f"{heard.where}: {heard.headers!r}: {heard.raw.decode()}".replace(table, "TABLE")
    text = re.sub(r"date: [^\\\\]+|sec-websocket-accept: [^\\\\]+", "", text, flags=re.IGNORECASE)
    return re.sub(r"\b1[0-9]{12}\b", "TIME", text)


# What is looked for.


def look_through(evening: Evening, written: Logged) -> None:
    """Hold everything that anybody was sent against what he might know then; and the log, too."""
    history = history_of(evening.up, evening.table)
    for one in evening.everybody:
        one.catch_up()
        before_the_end = b""
        for heard in one.heard:
            told = heard.told
            then, now = told_at(heard.known, told, history)
            before_the_end += b"" if now.stage == "over" else heard.raw + heard.headers
            leaks = leaks_in(told, Onlooker(one.person, then, now))
            if leaks:  # not asserted: pytest would take half a minute to show all of it
                pytest.fail(f"{one.name} heard in {heard.where}: {leaks[0]}")
        nowhere_in(before_the_end, spellings(seed_of(evening)))
        nowhere_in(b"".join(heard.raw + heard.headers for heard in one.heard), kept(evening, one))
        nowhere_in(b"".join(heard.raw for heard in one.heard), ids(evening))
        others = [heard.raw for heard in one.heard if not heard.where.endswith("/link")]
        nowhere_in(b"".join(others), [secret.encode() for secret in evening.secrets])
    look_through_the_log(evening, written)


def told_at(known: int, told: Json, history: list[Sitting]) -> tuple[Sitting, Sitting]:
    """How the table stood after what was told, and when it was told."""
    now = then = max(known, 1)
    if told.get("type") == "news":
        then = told["number"] + 1
    elif told.get("type") == "view":
        now = then = told["number"]
    return history[then - 1], history[max(now, then) - 1]


def nowhere_in(sent: bytes, hidden: list[bytes]) -> None:
    assert sent
    for secret in hidden:
        if secret in sent:
            pytest.fail(
                f"{secret!r} was told: …{sent[max(0, sent.index(secret) - 200) :][:400]!r}…"
            )


def seed_of(evening: Evening) -> bytes:
    seed = evening.game.seed
    assert seed is not None
    return seed


def kept(evening: Evening, one: Witness | None) -> list[bytes]:
    """What somebody is never told: the server's own secret, what it keeps of links, and who the
    others are."""
    [key] = evening.up.state.people._signer.secret_keys
    hidden = spellings(key)
    for secret in evening.secrets:
        hidden += spellings(digest_of(secret))
    for other in evening.everybody:
        if other is not one and other.person is not None:
            hidden += [*spellings(other.person.encode()), other.cookie.encode()]
    return hidden


def ids(evening: Evening) -> list[bytes]:
    """Who people are: not even to themselves, but for the cookie."""
    return [one.person.encode() for one in evening.everybody if one.person is not None]


def look_through_the_log(evening: Evening, written: Logged) -> None:
    lines = written.lines
    assert {"request"} <= {line["what"] for line in lines}
    assert not written.troubles
    for line in lines:
        assert set(line) <= LOGGED
    hidden = [*spellings(seed_of(evening)), *kept(evening, None)]
    hidden += [secret.encode() for secret in evening.secrets]
    # Whoever knows a table's name may look on there.
    nowhere_in(written.text.encode(), [*hidden, evening.table.encode()])
