"""Messages that the server sends over the websocket, as types.

Each message is a msgspec Struct. The JSON, the JSON Schema and the page's TypeScript types all
follow from these classes (``manhattan.server.protocol.schema``); commands, which come in, are in
``manhattan.server.domain.commands``. Cards, sites and moves are written as in a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from manhattan.rules import Colour
from manhattan.server.domain.clocks import Correspondence, Milliseconds, NoClock, RealTime
from manhattan.server.domain.events import CloseReason
from manhattan.server.domain.notices import NoticeKind
from manhattan.server.domain.state import Stage
from manhattan.server.protocol.table_events import TableEventPayload

T = TypeVar("T")
Stock = tuple[int, int, int, int]
"""The number of blocks of 1, 2, 3 and 4 floors."""
Phase = Literal["select", "build", "remove", "over"]
Omittable: TypeAlias = T | UnsetType
"""A field that is left out when there is nothing to say."""


class _Payload(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    pass


# The position.


class TowerInfo(_Payload, frozen=True):
    """A tower."""

    blocks: Annotated[
        str, Meta(description="From bottom to top: `y1b3` is a blue 3 on a yellow 1.")
    ]
    owner: str
    height: int
    floors: Annotated[Mapping[Colour, int], Meta(description="The floors of each colour.")]
    needs: Annotated[
        Mapping[str, int | None],
        Meta(description="The smallest block that each colour can build here; null if none can."),
    ]


class ClockInfo(_Payload, frozen=True):
    """The clocks of all players."""

    left: Annotated[list[Milliseconds], Meta(description="The time left when `since` began.")]
    running: Annotated[int | None, Meta(description="The player whose clock runs.")]
    since: Annotated[
        Milliseconds,
        Meta(description="The running clock shows `left` minus the time that passed since then."),
    ]


class GameResult(_Payload, frozen=True):
    """The final scores, and the winners."""

    scores: list[int]
    winners: list[int]
    decided_by: Literal["points", "tallest", "majorities", "shared"]


class SelectEvent(_Payload, frozen=True, tag_field="type", tag="select"):
    """A player chose the blocks of a round."""

    player: int
    move: str


class BuildEvent(_Payload, frozen=True, tag_field="type", tag="build"):
    """A player placed a block, and drew a card."""

    player: int
    move: str
    card: int
    drew: Annotated[Omittable[int], Meta(description="Only for the player who drew the card.")] = (
        UNSET
    )


class RemoveEvent(_Payload, frozen=True, tag_field="type", tag="remove"):
    """A player who could place nothing removed a block from the game."""

    player: int
    move: str


class RedrawEvent(_Payload, frozen=True, tag_field="type", tag="redraw"):
    """A player who could place nothing showed their hand and drew another."""

    player: int
    hand: list[int]
    drew: Annotated[
        Omittable[list[int]], Meta(description="Only for the player who drew the cards.")
    ] = UNSET


class ShuffleEvent(_Payload, frozen=True, tag_field="type", tag="shuffle"):
    """The played cards became the draw pile."""

    pile: Annotated[
        Omittable[list[int]], Meta(description="Only in the record of a finished game.")
    ] = UNSET


class ColourScore(_Payload, frozen=True):
    """The points of one colour in one round."""

    tallest: int
    majorities: Annotated[list[str], Meta(description="The letters of the cities.")]
    towers: int


class ScoreEvent(_Payload, frozen=True, tag_field="type", tag="score"):
    """A round was scored."""

    round: int
    colours: dict[str, ColourScore]
    scores: Annotated[list[int], Meta(description="The total of each player after the round.")]


GameEvent = SelectEvent | BuildEvent | RemoveEvent | RedrawEvent | ShuffleEvent | ScoreEvent
"""An event of the game, as in a record."""


class Position(_Payload, frozen=True):
    """The public state of the game."""

    ply: Annotated[int, Meta(description="The number of moves so far.")]
    round: int
    phase: Phase
    mover: Annotated[int, Meta(description="The player to move.")]
    start_player: int
    towers: Annotated[dict[str, TowerInfo], Meta(description="By site.")]
    supplies: Annotated[dict[str, Stock], Meta(description="By colour: not yet chosen.")]
    tableaus: Annotated[dict[str, Stock], Meta(description="By colour: chosen for this round.")]
    taken_out: Annotated[dict[str, Stock], Meta(description="By colour: out of the game.")]
    played: Annotated[
        list[int], Meta(description="The cards played or shown since the last shuffle.")
    ]
    pile: Annotated[int, Meta(description="The number of cards in the draw pile.")]
    shuffles: int
    scores: list[int]
    projected_scores: Annotated[
        list[int], Meta(description="What each player would score if the round ended now.")
    ]
    sheets: Annotated[list[ScoreEvent], Meta(description="The score sheets of past rounds.")]
    result: GameResult | None
    clock: Annotated[Omittable[ClockInfo], Meta(description="Absent in the tutorial.")] = UNSET


class PositionPatch(_Payload, frozen=True):
    """The fields of a position that an event changed."""

    ply: Omittable[int] = UNSET
    round: Omittable[int] = UNSET
    phase: Omittable[Phase] = UNSET
    mover: Omittable[int] = UNSET
    start_player: Omittable[int] = UNSET
    towers: Annotated[
        Omittable[dict[str, TowerInfo | None]],
        Meta(description="The changed towers by site; null where a tower disappeared."),
    ] = UNSET
    supplies: Omittable[dict[str, Stock]] = UNSET
    tableaus: Omittable[dict[str, Stock]] = UNSET
    taken_out: Omittable[dict[str, Stock]] = UNSET
    played: Omittable[list[int]] = UNSET
    pile: Omittable[int] = UNSET
    shuffles: Omittable[int] = UNSET
    scores: Omittable[list[int]] = UNSET
    projected_scores: Omittable[list[int]] = UNSET
    sheets: Omittable[list[ScoreEvent]] = UNSET
    result: Omittable[GameResult | None] = UNSET
    clock: Omittable[ClockInfo] = UNSET


# The legal moves.


class PlacementGroup(msgspec.Struct, frozen=True, gc=False):
    """Sites where blocks of one colour can be placed and would change the same."""

    sites: list[str]
    blocks: Annotated[
        tuple[str, ...],
        Meta(description="The smallest first. A move is a site, a plus sign and a block."),
    ]
    takes_from: Annotated[
        str | None, Meta(description="The colour that owns the tower now, if it isn't the block's.")
    ]
    gains: Annotated[
        tuple[tuple[int, ...], ...],
        Meta(
            description="For each block, each player's additional points if the round ended then."
        ),
    ]


class SelectMoves(_Payload, frozen=True, tag_field="kind", tag="select"):
    """The player chooses this number of blocks of each colour from its supply."""

    blocks: int
    supplies: dict[str, Stock]


class BuildMoves(_Payload, frozen=True, tag_field="kind", tag="build"):
    """The player places a block."""

    placements: list[PlacementGroup]


class RemoveMoves(_Payload, frozen=True, tag_field="kind", tag="remove"):
    """The player removes a block from the game."""

    moves: list[str]


LegalMoves = SelectMoves | BuildMoves | RemoveMoves


class PlayerState(_Payload, frozen=True):
    """What one player sees in addition to the public state."""

    player: Annotated[
        int | None, Meta(description="The player whose hand this is; null for a spectator.")
    ]
    hand: list[int]
    moves: Annotated[
        LegalMoves | None, Meta(description="The legal moves; null if it's another's turn.")
    ]


class UndoOption(_Payload, frozen=True):
    """Whether the viewer can ask to undo their last move."""

    allowed: bool
    reason: Annotated[str | None, Meta(description="Why not.")]
    params: Annotated[dict[str, str | int], Meta(description="The reason's parameters.")]


class PrivateState(PlayerState, frozen=True):
    """What only this viewer sees."""

    undo: UndoOption


# The table.


class SeatInfo(_Payload, frozen=True):
    """A place at the table."""

    side: Annotated[str, Meta(description="The edge of the board.")]
    colours: list[str]
    name: str
    occupant: Annotated[
        Literal["person", "bot", "open", "offered"],
        Meta(description="An offered seat can be taken by one person alone, in a rematch."),
    ]
    level: Annotated[str | None, Meta(description="The bot's level.")]
    you: bool
    bot_controlled: Annotated[bool, Meta(description="A bot plays for the absent person.")]
    time_after_return: Annotated[
        Milliseconds | None,
        Meta(
            description="What the person has left on the clock when they `resume`; null without a "
            "clock, and unless a bot plays for them."
        ),
    ]
    resigned: bool
    nonce_hash: Annotated[
        str | None,
        Meta(description="SHA-256 of the nonce that the seat's client reveals at the start."),
    ]
    nonce: Annotated[
        str | None,
        Meta(description="The client's part of the seed, from the deal on; null if it has none."),
    ]


class UndoRequestInfo(_Payload, frozen=True):
    """A player asks to undo a move."""

    player: int
    ply: Annotated[int, Meta(description="The game would return to this ply.")]
    you_decide: bool


class TableInfo(_Payload, frozen=True):
    """A table, its options, and the people and bots at it."""

    id: str
    stage: Stage
    edition: str
    house_rules: dict[str, str]
    seats: list[SeatInfo]
    host: Annotated[bool, Meta(description="Whether the viewer decides about seats and the start.")]
    host_name: str
    first: Annotated[Literal["random"] | int, Meta(description="The seat of the first player.")]
    rounds: int
    blocks: Annotated[int, Meta(description="Blocks of each colour that a player chooses a round.")]
    public: bool
    hints_disabled: bool
    bot_delay_ms: int
    absence_limit_s: Annotated[
        int,
        Meta(
            description="After this absence of the player to move, counted from the beginning of "
            "their turn, any player may let a bot play for them."
        ),
    ]
    clock: NoClock | RealTime | Correspondence
    commitment: Annotated[
        str | None,
        Meta(
            description="SHA-256 of the server's part of the seed, from the opening of the table. "
            "At a table of an older version: of the seed, from the deal on."
        ),
    ]
    reveal_until: Annotated[
        Milliseconds | None,
        Meta(
            description="The game starts: the seats and their hashes are final, and the clients "
            "reveal their nonces until then. Null before and after it."
        ),
    ]
    server_seed: Annotated[
        str | None,
        Meta(
            description="The server's part of the seed, published when the game is over; null if "
            "no nonce was revealed, because then it is the seed."
        ),
    ]
    seed: Annotated[str | None, Meta(description="Published when the game is over.")]
    undo: UndoRequestInfo | None
    rematch_of: Annotated[str | None, Meta(description="The table that this one continues.")]
    rematch: Annotated[str | None, Meta(description="The table where the same people play again.")]
    offered_seats: Annotated[
        list[int], Meta(description="The seats that a rematch offers to the viewer.")
    ]
    removed: Annotated[bool, Meta(description="Whether the host has removed the viewer.")]
    close_reason: Annotated[CloseReason | None, Meta(description="Why the table was closed.")]


class ChatLine(_Payload, frozen=True):
    """A chat message."""

    number: Annotated[int, Meta(description="The number of its update.")]
    at: Milliseconds
    name: str
    seat: Annotated[int | None, Meta(description="The sender's seat; null for a spectator.")]
    text: str


# The messages.


class _Message(_Payload, frozen=True, tag_field="type"):
    pass


class PresenceMessage(_Message, frozen=True, tag="presence"):
    """The people who are connected."""

    present: Annotated[list[bool], Meta(description="By seat; a bot is always present.")]
    away_since: Annotated[
        list[Milliseconds | None],
        Meta(description="By seat: when the person left, if they did so recently."),
    ]
    spectators: int


class PushMessage(_Payload, frozen=True):
    """A notification for a browser whose page is closed (Web Push); nothing in it is hidden."""

    kind: NoticeKind
    table: str
    names: Annotated[list[str], Meta(description="The other players.")]
    language: str


class ViewMessage(_Message, frozen=True, tag="view"):
    """Everything that the viewer may see. The next update has this message's number."""

    number: int
    now: Milliseconds
    table: TableInfo
    position: Position | None
    private: PrivateState | None
    game_events: Annotated[
        list[GameEvent], Meta(description="All events so far, as far as the viewer may know them.")
    ]
    chat: list[ChatLine]
    presence: PresenceMessage
    reply_to: Annotated[
        Omittable[str], Meta(description="The viewer's command that led to this table.")
    ] = UNSET


class UpdateMessage(_Message, frozen=True, tag="update"):
    """Something happened at the table."""

    number: int
    at: Milliseconds
    event: TableEventPayload
    game_events: Annotated[
        Omittable[list[GameEvent]], Meta(description="What a move caused, as in a record.")
    ] = UNSET
    patch: Annotated[Omittable[PositionPatch], Meta(description="The changes of the position.")] = (
        UNSET
    )
    table: Annotated[
        Omittable[TableInfo], Meta(description="Present if more than the position changed.")
    ] = UNSET
    private: Omittable[PrivateState] = UNSET
    reply_to: Annotated[
        Omittable[str], Meta(description="The viewer's command that caused the update.")
    ] = UNSET


class ResumedMessage(_Message, frozen=True, tag="resumed"):
    """A reconnected viewer has every update before this number; the others follow."""

    number: int
    now: Milliseconds
    presence: PresenceMessage


class DoneMessage(_Message, frozen=True, tag="done"):
    """A command was carried out earlier, or had nothing to change."""

    reply_to: str
    number: Annotated[int | None, Meta(description="The update that the command caused.")]


class Problem(_Payload, frozen=True):
    """Why something was rejected: a named reason, its parameters, and an English sentence."""

    reason: str
    params: dict[str, str | int]
    text: str


class WhyMessage(_Message, frozen=True, tag="why"):
    """Why a move is illegal; without a problem it is legal."""

    reply_to: str
    problem: Problem | None


class ErrorMessage(_Message, frozen=True, tag="error"):
    """Something was rejected, and changed nothing. Only after `storage_unavailable` it may have
    been done. A command that is sent again with its id is not executed twice (see the id)."""

    reason: str
    params: dict[str, str | int]
    text: str
    reply_to: str | None


class BotPreparingMessage(_Message, frozen=True, tag="bot_preparing"):
    """The code of a bot is being compiled. Until it is ready, the bot plays like `medium`."""

    player: int


class SubscribedMessage(_Message, frozen=True, tag="subscribed"):
    """From now on `game_changed` comes for the person's games: the first message of the websocket
    for notifications."""


class GameChangedMessage(_Message, frozen=True, tag="game_changed"):
    """One of the person's games has changed."""

    table: Annotated[
        str | None, Meta(description="Null if any may have changed: messages may be lost.")
    ]


Message = (
    ViewMessage
    | UpdateMessage
    | ResumedMessage
    | PresenceMessage
    | DoneMessage
    | WhyMessage
    | ErrorMessage
    | BotPreparingMessage
    | SubscribedMessage
    | GameChangedMessage
)
