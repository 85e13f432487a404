"""What somebody wants to do at a table: the entry that it becomes, or the reason why not.

Pure functions of how the table stands. Who asks is known by his identity, never by what he says.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

from manhattan.rules import parse_move
from manhattan.rules.chance import SEED_BYTES
from manhattan.rules.errors import printable
from manhattan.server.clocks import Milliseconds
from manhattan.server.denials import Denial, Denied
from manhattan.server.entries import (
    Begun,
    Closed,
    Filled,
    LinkMade,
    PersonId,
    Played,
    RanOut,
    Rematched,
    Resigned,
    Returned,
    Said,
    Sat,
    SeatMoved,
    UndoAnswered,
    UndoAsked,
    Vacated,
)
from manhattan.server.sitting import LINK_LASTS, UNDO_WAITS, Chair, Sitting

LONGEST_LINE: Final = 500
"""Characters of something said."""
MOST_TALK: Final = 2000
"""Lines that are written down at one table; then there is quiet."""
MOST_OVERHEARD: Final = MOST_TALK // 2
"""So many of them may be said by those who only look on: the rest is for those who play."""
MOST_CHANGES: Final = 500
"""What else one person may do at one table beside moves: come and go, make links, take moves back.
A long game needs some dozens. Whoever went on for ever would fill the disk, and a table is read
whole when it is taken up again."""
MOST_IN_ALL: Final = 2000
"""So much may happen at one table, whoever does it. With as many moves taken back, to read it takes
two fifths of a second."""


def sit(sitting: Sitting, person: PersonId, name: str, chair: int | None, now: Milliseconds) -> Sat:
    """Take an open chair: a certain one, or any."""
    _check_gathering(sitting)
    if sitting.chairs_of(person):
        raise Denied(Denial.ALREADY_SEATED)
    free = [n for n, one in enumerate(sitting.chairs) if one.open]
    if chair is not None and not _chair(sitting, chair).open:
        raise Denied(Denial.CHAIR_TAKEN, name=sitting.chairs[chair].name)
    if not free:
        raise Denied(Denial.TABLE_FULL)
    _check_room(sitting, person)
    return Sat(at=now, by=person, chair=free[0] if chair is None else chair, name=name)


def leave(sitting: Sitting, person: PersonId, now: Milliseconds) -> Vacated | Closed:
    """Get up before the game, with all who share the screen. The last one closes the table."""
    _check_gathering(sitting)
    chair, *also = _own_chairs(sitting, person)
    if sitting.people() == {person}:
        return Closed(at=now, by=person)
    return Vacated(at=now, by=person, chair=chair, also=tuple(also))


def fill(
    sitting: Sitting, person: PersonId, chair: int, level: str | None, now: Milliseconds
) -> Filled | Vacated:
    """The host puts a bot into a chair, or frees it for people."""
    _check_host(sitting, person)
    _check_gathering(sitting)
    holder = _chair(sitting, chair)
    if holder.person is not None and (holder.person == person or level is not None):
        raise Denied(Denial.CHAIR_TAKEN, name=holder.name)
    _check_own_room(sitting, person)
    if level is None:
        return Vacated(at=now, by=person, chair=chair)
    return Filled(at=now, by=person, chair=chair, level=level)


def close(sitting: Sitting, person: PersonId, now: Milliseconds) -> Closed:
    """The host sends everybody home before the game."""
    _check_host(sitting, person)
    _check_gathering(sitting)
    return Closed(at=now, by=person)


def begin(sitting: Sitting, person: PersonId, now: Milliseconds) -> Begun:
    """The host has the cards dealt."""
    _check_host(sitting, person)
    _check_gathering(sitting)
    if any(chair.open for chair in sitting.chairs):
        raise Denied(Denial.SEATS_OPEN)
    return Begun(at=now, by=person, seed=secrets.token_bytes(SEED_BYTES).hex())


def play(
    sitting: Sitting, person: PersonId, ply: int, text: str, command: str | None, now: Milliseconds
) -> Played:
    """Make a move that was meant for a certain point of the game."""
    own = _own_chairs(sitting, person)
    _check_playing(sitting)
    _check_ply(sitting, ply)
    mover = sitting.mover
    player = mover if mover is not None and mover in own else own[0]
    _check_plays_himself(sitting.chairs[player])
    # Whether it is legal is found out when it is made, before it is written down.
    move = str(parse_move(text))
    return Played(at=now, by=person, command=command, player=player, move=move)


def ask_undo(
    sitting: Sitting, person: PersonId, ply: int, command: str | None, now: Milliseconds
) -> UndoAsked:
    """Take back one's own last move. Others at the table have to agree, and nobody may have seen
    a card since; alone against bots one may do as one likes."""
    own = _own_chairs(sitting, person)
    _check_playing(sitting)
    _check_ply(sitting, ply)
    if sitting.undo is not None:
        raise Denied(Denial.UNDO_PENDING, name=sitting.chairs[sitting.undo.player].name)
    game = sitting.game
    assert game is not None
    back = next((p for p in reversed(range(game.ply)) if game.mover_at(p) in own), None)
    if back is None:
        raise Denied(Denial.NOTHING_TO_TAKE_BACK)
    player = game.mover_at(back)
    _check_plays_himself(sitting.chairs[player])
    alone = len(own) == 1 and sitting.people() == {person}
    if not alone and sitting.card_seen_since(back):
        raise Denied(Denial.CARD_SEEN)
    _check_room(sitting, person)
    return UndoAsked(at=now, by=person, command=command, player=player, ply=back)


def answer_undo(
    sitting: Sitting, person: PersonId, yes: bool, command: str | None, now: Milliseconds
) -> UndoAnswered:
    """Agree to what another asked, or not. Who asked may think better of it."""
    _own_chairs(sitting, person)
    undo = sitting.undo
    if undo is None:
        raise Denied(Denial.NOTHING_ASKED)
    waits_for = sitting.must_agree(undo.person) - undo.agreed
    if person not in waits_for and not (person == undo.person and not yes):
        raise Denied(Denial.NOTHING_ASKED)
    return UndoAnswered(at=now, by=person, command=command, yes=yes)


def resign(
    sitting: Sitting,
    person: PersonId,
    player: int | None,
    command: str | None,
    now: Milliseconds,
) -> Resigned:
    """Give up; a bot plays on. Who shares a screen says which of the players gives up."""
    _check_playing(sitting)
    player = _own_player(sitting, person, player)
    if sitting.chairs[player].resigned:
        raise Denied(Denial.RESIGNED)
    return Resigned(at=now, by=person, command=command, player=player)


def come_back(
    sitting: Sitting,
    person: PersonId,
    player: int | None,
    command: str | None,
    now: Milliseconds,
) -> Returned:
    """Play on oneself, after a bot has played while one was away."""
    _check_playing(sitting)
    player = _own_player(sitting, person, player)
    if sitting.chairs[player].resigned:
        raise Denied(Denial.RESIGNED)
    if not sitting.chairs[player].played_for:
        raise Denied(Denial.NOT_PLAYED_FOR)
    _check_own_room(sitting, person)
    return Returned(at=now, by=person, command=command, player=player)


def say(
    sitting: Sitting,
    person: PersonId,
    name: str,
    text: str,
    command: str | None,
    now: Milliseconds,
) -> Said:
    """Say something to all. Onlookers may, too."""
    own = sitting.chairs_of(person)
    line = printable(" ".join(text.split()))
    if not line:
        raise Denied(Denial.BAD_REQUEST, what="There is nothing to say.")
    if len(line) > LONGEST_LINE:
        raise Denied(Denial.TOO_LARGE, limit=LONGEST_LINE, unit="characters")
    if sitting.said >= MOST_TALK or (not own and sitting.overheard >= MOST_OVERHEARD):
        limit = MOST_TALK if own else MOST_OVERHEARD
        raise Denied(Denial.TABLE_USED_UP, limit=limit, what="lines of talk")
    called = sitting.chairs[own[0]].name if own else name
    return Said(at=now, by=person, command=command, name=called, text=line)


def make_link(
    sitting: Sitting, person: PersonId, chair: int | None, secret: str, now: Milliseconds
) -> LinkMade:
    """Prepare a chair's move to another device."""
    own = _own_player(sitting, person, chair)
    _check_room(sitting, person)
    return LinkMade(at=now, by=person, chair=own, digest=digest(secret))


def claim(sitting: Sitting, person: PersonId, secret: str, now: Milliseconds) -> SeatMoved:
    """Take over a chair from one's other device: once, and not for ever."""
    wanted = digest(secret)
    for link in sitting.links:
        if link.digest == wanted and now - link.at <= LINK_LASTS:
            return SeatMoved(at=now, by=person, chair=link.chair, digest=wanted)
    raise Denied(Denial.LINK_DEAD)


def rematch(sitting: Sitting, person: PersonId, table: str, now: Milliseconds) -> Rematched:
    """Point everybody to the table where they play again."""
    check_rematch(sitting, person)
    return Rematched(at=now, by=person, table=table)


def check_rematch(sitting: Sitting, person: PersonId) -> None:
    _own_chairs(sitting, person)
    if sitting.stage != "over":
        raise Denied(Denial.NOT_OVER)


def overdue(sitting: Sitting, now: Milliseconds) -> RanOut | UndoAnswered | None:
    """What has to happen by itself by now, if anything has."""
    if sitting.undo is not None and now >= sitting.undo.at + UNDO_WAITS:
        return UndoAnswered(at=now, yes=False)
    clocks = sitting.clocks
    if sitting.stage == "playing" and clocks.due is not None and now >= clocks.due:
        assert clocks.running is not None
        return RanOut(at=now, player=clocks.running)
    return None


def digest(secret: str) -> str:
    """What is kept of a link's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _chair(sitting: Sitting, number: int) -> Chair:
    if not 0 <= number < len(sitting.chairs):
        raise Denied(Denial.NO_SUCH_CHAIR, chair=number, last=len(sitting.chairs) - 1)
    return sitting.chairs[number]


def _own_chairs(sitting: Sitting, person: PersonId) -> tuple[int, ...]:
    own = sitting.chairs_of(person)
    if not own:
        raise Denied(Denial.NOT_AT_THE_TABLE)
    return own


def _own_player(sitting: Sitting, person: PersonId, player: int | None) -> int:
    """The chair that somebody means: the one he names, or his only one, or whose turn it is."""
    own = _own_chairs(sitting, person)
    if player is None:
        return sitting.mover if sitting.mover is not None and sitting.mover in own else own[0]
    if player not in own:
        raise Denied(Denial.NOT_YOUR_SEAT, name=_chair(sitting, player).name)
    return player


def _check_host(sitting: Sitting, person: PersonId) -> None:
    if person != sitting.host:
        raise Denied(Denial.NOT_THE_HOST, host=sitting.host_name)


def _check_gathering(sitting: Sitting) -> None:
    if sitting.stage == "closed":
        raise Denied(Denial.CLOSED)
    if sitting.stage != "gathering":
        raise Denied(Denial.ALREADY_BEGUN)


def _check_playing(sitting: Sitting) -> None:
    match sitting.stage:
        case "gathering":
            raise Denied(Denial.NOT_BEGUN)
        case "closed":
            raise Denied(Denial.CLOSED)
        case "over":
            raise Denied(Denial.OVER)


def _check_room(sitting: Sitting, person: PersonId) -> None:
    """Before whatever can be done again and again. What can't, or only in answer to it, may always
    be done: a game that has begun comes to its end."""
    _check_own_room(sitting, person)
    if sitting.besides >= MOST_IN_ALL:
        raise Denied(Denial.TABLE_USED_UP, limit=MOST_IN_ALL, what="changes besides moves")


def _check_own_room(sitting: Sitting, person: PersonId) -> None:
    """The same where others must not be able to use it up: one's own seat, one's own table."""
    if sitting.changes_of(person) >= MOST_CHANGES:
        raise Denied(Denial.TABLE_USED_UP, limit=MOST_CHANGES, what="changes besides moves")


def _check_ply(sitting: Sitting, meant: int) -> None:
    assert sitting.game is not None
    ply = sitting.game.ply
    if meant < ply:
        raise Denied(Denial.TOO_LATE, meant=meant, ply=ply)
    if meant > ply:
        raise Denied(Denial.TOO_EARLY, meant=meant, ply=ply)


def _check_plays_himself(chair: Chair) -> None:
    if chair.resigned:
        raise Denied(Denial.RESIGNED)
    if chair.played_for:
        raise Denied(Denial.PLAYED_FOR)
