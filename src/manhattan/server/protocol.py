"""What goes out over the wire, as types; what comes in stands in ``commands``.

The JSON Schema that programs and the page are generated from is made from these
(``manhattan.server.schema``). Cards, sites and moves are written as in a saved game.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from manhattan.server.clocks import Correspondence, Milliseconds, NoClock, RealTime

Stock = tuple[int, int, int, int]


class TowerTold(TypedDict):
    """A tower."""

    blocks: str
    """From bottom to top: `y1b3` is a blue 3 on a yellow 1."""
    owner: str
    height: int
    floors: dict[str, int]
    """Of each colour."""
    needs: dict[str, int | None]
    """The smallest block with which each colour may build here; null if there is none."""


class ClockTold(TypedDict):
    """Everybody's clock."""

    left: list[Milliseconds]
    running: int | None
    since: Milliseconds
    """From when it runs: what the running clock shows is `left` less what has gone by since."""


class ResultTold(TypedDict):
    scores: list[int]
    winners: list[int]
    decided_by: Literal["points", "tallest", "majorities", "shared"]


class _TurnTold(TypedDict):
    player: int
    move: str


class SelectTold(_TurnTold):
    """Somebody chose his blocks."""

    type: Literal["select"]


class BuildTold(_TurnTold):
    """Somebody built, and drew a card."""

    type: Literal["build"]
    card: int
    drew: NotRequired[int]
    """For who drew it."""


class RemoveTold(_TurnTold):
    """Somebody could place nothing, and took a block out of the game."""

    type: Literal["remove"]


class RedrawTold(TypedDict):
    """Somebody could place nothing, showed his hand and drew another."""

    type: Literal["redraw"]
    player: int
    hand: list[int]
    drew: NotRequired[list[int]]
    """For who drew them."""


class ShuffleTold(TypedDict):
    """The played cards became the draw pile."""

    type: Literal["shuffle"]
    pile: NotRequired[list[int]]
    """In a saved game, when it is over."""


class ColourScoreTold(TypedDict):
    tallest: int
    majorities: list[str]
    """The letters of the cities."""
    towers: int


class ScoreTold(TypedDict):
    """A round was scored."""

    type: Literal["score"]
    round: int
    colours: dict[str, ColourScoreTold]
    scores: list[int]
    """Of each player, after it."""


EventTold = SelectTold | BuildTold | RemoveTold | RedrawTold | ShuffleTold | ScoreTold
"""What happened in a game, as in a saved game."""


class PositionTold(TypedDict, total=False):
    """What lies open on the table. A view has all of it, news what has changed."""

    ply: int
    round: int
    phase: Literal["select", "build", "remove", "over"]
    mover: int
    start_player: int
    towers: dict[str, TowerTold | None]
    """By site; in news only the towers that have changed, null where none stands any more."""
    supplies: dict[str, Stock]
    """For each colour, blocks of 1, 2, 3 and 4 floors."""
    tableaus: dict[str, Stock]
    taken_out: dict[str, Stock]
    played: list[int]
    """The cards played or shown since the last shuffle."""
    pile: int
    """How many cards are left to draw."""
    shuffles: int
    scores: list[int]
    standing: list[int]
    """What everybody would score if the round ended now."""
    sheets: list[ScoreTold]
    """The score sheets so far, as in a saved game."""
    result: ResultTold | None
    clock: ClockTold


class PlaceTold(TypedDict):
    """A site on which one may build with one colour, and what that would change."""

    site: str
    card: int
    """The card that names it."""
    moves: tuple[str, ...]
    """By size."""
    takes_from: str | None
    """Whose tower it is now, if it is another colour's."""
    gains: tuple[tuple[int, ...], ...]
    """For each move: points more for each player, if the round ended after it."""


class SelectMoves(TypedDict):
    """Any so many blocks of each colour from its supply."""

    kind: Literal["select"]
    blocks: int
    supplies: dict[str, Stock]


class BuildMoves(TypedDict):
    kind: Literal["build"]
    places: list[PlaceTold]


class RemoveMoves(TypedDict):
    kind: Literal["remove"]
    moves: list[str]


class OwnTold(TypedDict):
    """What this viewer alone may know."""

    player: int | None
    """Through whose eyes he looks; null for an onlooker."""
    hand: list[int]
    moves: SelectMoves | BuildMoves | RemoveMoves | None
    """What he may do; null if it is not his turn."""


class ChairTold(TypedDict):
    """A place at the table."""

    side: str
    colours: list[str]
    name: str
    who: Literal["person", "bot", "open"]
    level: str | None
    you: bool
    played_for: bool
    resigned: bool


class UndoTold(TypedDict):
    """Somebody wants to take a move back."""

    player: int
    ply: int
    you_decide: bool


class TableTold(TypedDict):
    """A table and who sits at it."""

    id: str
    stage: Literal["gathering", "playing", "over", "closed"]
    edition: str
    house_rules: dict[str, str]
    chairs: list[ChairTold]
    host: bool
    """Is the viewer who decides about chairs and the beginning?"""
    host_name: str
    first: Literal["lot"] | int
    rounds: int
    blocks: int
    """Chosen in a round, of each colour."""
    public: bool
    serious: bool
    pace: int
    clock: NoClock | RealTime | Correspondence
    commitment: str | None
    """SHA-256 of the seed, from the moment the cards are dealt."""
    seed: str | None
    """When the game is over."""
    undo: UndoTold | None
    after: str | None
    next: str | None
    """Where the same people play again."""


class LineTold(TypedDict):
    """Something that was said."""

    number: int
    at: Milliseconds
    name: str
    chair: int | None
    text: str


class PresenceTold(TypedDict):
    """Who is there."""

    type: Literal["presence"]
    present: list[bool]
    """For each chair; bots always are."""
    watching: int


class ViewMessage(TypedDict):
    """Everything that a viewer may see. The news that follow have this number and up."""

    type: Literal["view"]
    number: int
    now: Milliseconds
    table: TableTold
    position: PositionTold | None
    own: OwnTold | None
    events: list[EventTold]
    """All that has happened, as in a saved game, as far as he may know it."""
    talk: list[LineTold]
    presence: PresenceTold
    answers: NotRequired[str]
    """The viewer's own command that has brought him to this table."""


class NewsMessage(TypedDict):
    """Something happened."""

    type: Literal["news"]
    number: int
    at: Milliseconds
    what: dict[str, Any]
    """`type` and what belongs to it: `played`, `sat`, `begun`, `said`, …"""
    events: NotRequired[list[EventTold]]
    """What a move led to, as in a saved game."""
    changes: NotRequired[PositionTold]
    """What lies differently now."""
    table: NotRequired[TableTold]
    """If more has changed than the position."""
    own: NotRequired[OwnTold | None]
    answers: NotRequired[str]
    """The viewer's own command that this comes from."""


class ResumedMessage(TypedDict):
    """A viewer who was away has all news up to here; the rest follows."""

    type: Literal["resumed"]
    number: int
    now: Milliseconds
    presence: PresenceTold


class DoneMessage(TypedDict):
    """A command was carried out before, or had nothing to change."""

    type: Literal["done"]
    answers: str
    number: int | None
    """The news that it became."""


class WhyMessage(TypedDict):
    """Why a move can't be made; without a reason it can."""

    type: Literal["why"]
    answers: str
    refusal: RefusalTold | None


class RefusalTold(TypedDict):
    """A named reason, the figures of its sentence, and the sentence in English."""

    reason: str
    figures: dict[str, str | int]
    text: str


class RefusedMessage(RefusalTold):
    """Something was not done, and changed nothing; only with `storage_away` it may have been done.
    The same command, sent again, is not done twice."""

    type: Literal["refused"]
    answers: str | None


class WarmingMessage(TypedDict):
    """A bot's first move takes long, because it has to be compiled."""

    type: Literal["warming"]
    player: int


Message = (
    ViewMessage
    | NewsMessage
    | ResumedMessage
    | PresenceTold
    | DoneMessage
    | WhyMessage
    | RefusedMessage
    | WarmingMessage
)
