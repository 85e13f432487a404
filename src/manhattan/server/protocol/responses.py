"""Bodies of HTTP responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from manhattan.bots import Evaluation, Hint, HintReasonKind
from manhattan.server.domain.clocks import Correspondence, Milliseconds, NoClock, RealTime
from manhattan.server.protocol.messages import (
    GameEvent,
    PlayerState,
    Position,
    Problem,
    TableInfo,
)
from manhattan.server.protocol.table_events import TableEventPayload


class _Response(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Account(_Response, frozen=True):
    """The person who asks; without a name, no person is known."""

    name: str | None


class DeviceInfo(_Response, frozen=True):
    """A browser in which the person is signed in."""

    id: str
    label: Annotated[str, Meta(description="Browser and system; empty if unknown.")]
    created_at: Milliseconds
    seen_at: Annotated[Milliseconds, Meta(description="The last use, to within an hour.")]
    current: Annotated[bool, Meta(description="Whether this request came from it.")]


class DeviceList(_Response, frozen=True):
    """The person's devices, those in use first."""

    devices: list[DeviceInfo]


class PasskeyInfo(_Response, frozen=True):
    """A passkey of the person."""

    id: str
    label: Annotated[str, Meta(description="The browser in which it was created.")]
    created_at: Milliseconds
    used_at: Milliseconds | None


class PasskeyList(_Response, frozen=True):
    """The person's passkeys, the oldest first."""

    passkeys: list[PasskeyInfo]


class PasskeyOptions(_Response, frozen=True):
    """What a browser needs to create a passkey, or to sign in with one."""

    options: Annotated[
        dict[str, Any],
        Meta(description="For `PublicKeyCredential.parse…OptionsFromJSON` of the browser."),
    ]


class RecoveryCodeStatus(_Response, frozen=True):
    """How many recovery codes can still be used."""

    left: int
    created_at: Milliseconds | None


class NewRecoveryCodes(_Response, frozen=True):
    """New recovery codes. They are never shown again."""

    codes: list[str]


class ExportedDevice(_Response, frozen=True):
    """A device in an export."""

    label: str
    created_at: Milliseconds
    seen_at: Milliseconds


class ExportedPasskey(_Response, frozen=True):
    """A passkey in an export."""

    label: str
    host: str
    created_at: Milliseconds
    used_at: Milliseconds | None


class ExportedPushSubscription(_Response, frozen=True):
    """A browser that gets notifications, in an export."""

    endpoint: Annotated[str, Meta(description="The address of the push service for it.")]
    language: str
    kinds: list[str]


class ExportedAccount(_Response, frozen=True):
    """The person in an export."""

    name: str
    exported_at: Milliseconds
    devices: list[ExportedDevice]
    passkeys: list[ExportedPasskey]
    recovery_codes_left: int
    push_subscriptions: list[ExportedPushSubscription]


class ExportedEvent(_Response, frozen=True):
    """An event of a table, as everyone there may know it."""

    number: int
    at: Milliseconds
    you: Annotated[bool, Meta(description="Whether the person caused it.")]
    event: TableEventPayload


class ExportedTable(_Response, frozen=True):
    """A table in an export, as the person may see it."""

    table: TableInfo
    table_events: list[ExportedEvent]
    game_events: list[GameEvent]


class AccountExport(_Response, frozen=True):
    """Everything that the server knows about the person."""

    account: ExportedAccount
    tables: list[ExportedTable]


class EditionInfo(_Response, frozen=True):
    """An edition of the game."""

    id: str
    title: str
    colours: list[str]
    cities: list[str]
    rules: Annotated[dict[str, str], Meta(description="The edition's choice of each house rule.")]


class LevelInfo(_Response, frozen=True):
    """A bot."""

    name: str
    title: str
    description: str


class Catalog(_Response, frozen=True):
    """Everything that can be played."""

    editions: list[EditionInfo]
    house_rules: Annotated[dict[str, list[str]], Meta(description="The choices of each rule.")]
    levels: list[LevelInfo]


class ListedPlayer(_Response, frozen=True):
    """A seat of a listed table."""

    name: str
    level: str | None
    open: bool


class ListedTable(_Response, frozen=True):
    """A public table."""

    id: str
    edition: str
    house_rules: dict[str, str]
    players: list[ListedPlayer]
    host: str
    clock: NoClock | RealTime | Correspondence
    hints_disabled: bool
    round: int
    opened_at: Milliseconds


class TableList(_Response, frozen=True):
    """Public tables, the latest first."""

    tables: list[ListedTable]
    total: Annotated[int, Meta(description="The number of tables on all pages.")]
    more: Annotated[bool, Meta(description="There is another page.")]


class MyGamePlayer(_Response, frozen=True):
    """A player of one of the person's games."""

    name: str
    level: Annotated[str | None, Meta(description="The bot that has the seat.")]
    open: bool
    colours: list[str]
    you: bool
    points: int
    place: Annotated[
        int | None, Meta(description="1 for the winners, once the game is over; ties share one.")
    ]


class MyGame(_Response, frozen=True):
    """A game in which the person has a seat. It holds what any spectator may know."""

    id: Annotated[str, Meta(description="The table.")]
    state: Literal["your_turn", "running", "lobby", "finished"]
    removed: bool
    since: Annotated[
        Milliseconds,
        Meta(description="When the game got into this state; of a finished game, its end."),
    ]
    deadline: Annotated[
        Milliseconds | None, Meta(description="When your clock expires, if it runs.")
    ]
    edition: str
    round: int
    rounds: int
    players: Annotated[list[MyGamePlayer], Meta(description="In turn order.")]
    mover: int | None
    board: Annotated[
        str,
        Meta(
            description="The letter of the colour on top of each of the 54 sites, or a dot, in the "
            "order A1 to F9; empty before the game."
        ),
    ]
    leads: Annotated[
        list[int],
        Meta(
            description="How far you were ahead of the best other player after each round; "
            "negative behind. Empty where you share your screen."
        ),
    ]


class GameCounts(_Response, frozen=True):
    """The number of the person's games by state, and of those removed from the list. With a list it
    counts the games that its query asks for, of all states."""

    your_turn: int
    running: int
    lobby: int
    finished: int
    removed: int


class MyGameList(_Response, frozen=True):
    """A page of the person's games. Games that wait for the person come in the order of their
    deadlines, all others the latest first."""

    now: Annotated[Milliseconds, Meta(description="The server's time, for the deadlines.")]
    games: list[MyGame]
    next: Annotated[str | None, Meta(description="The cursor of the next page, if there is one.")]
    counts: GameCounts


class MyGameEntry(_Response, frozen=True):
    """One of the person's games, and the number of all of them."""

    game: MyGame
    counts: GameCounts


class StatisticsGroup(_Response, frozen=True):
    """The person's finished games of one kind."""

    games: int
    wins: int


class PlayersStatistics(StatisticsGroup, frozen=True):
    """Games with a number of players."""

    players: int


class BotsStatistics(StatisticsGroup, frozen=True):
    """Games whose strongest bot has a level."""

    level: Annotated[str | None, Meta(description="Null for games without bots.")]


class Statistics(_Response, frozen=True):
    """The person's finished games. Games where the person shared a screen don't count, and one that
    a bot ended for the person isn't won."""

    games: int
    wins: int
    best_score: int | None
    by_players: Annotated[list[PlayersStatistics], Meta(description="By number of players.")]
    by_bots: Annotated[list[BotsStatistics], Meta(description="By level of the strongest bot.")]


class RematchTable(_Response, frozen=True):
    """The table where the same people play again."""

    table: str


class PushKey(_Response, frozen=True):
    """The key by which push services know this server."""

    key: Annotated[str, Meta(description="The `applicationServerKey` of a subscription.")]


class FeedAddress(_Response, frozen=True):
    """The address of your feed."""

    path: Annotated[str, Meta(description="It opens the feed without a cookie: it is a secret.")]


class PushStatus(_Response, frozen=True):
    """The notices that a browser gets."""

    kinds: list[str]


class SeatTransferSecret(_Response, frozen=True):
    """The secret with which another device claims the seat."""

    secret: str


class RecordCheck(_Response, frozen=True):
    """A record that follows the rules."""

    moves: int
    over: bool


class HintReasonInfo(_Response, frozen=True):
    """A fact of the rules that speaks for a move."""

    kind: HintReasonKind
    colour: Annotated[
        str | None,
        Meta(
            description="The colour that loses the tower, the majority, or the points for the "
            "tallest tower."
        ),
    ]
    city: Annotated[str | None, Meta(description="The city of the majority.")]


class HintResponse(_Response, frozen=True):
    """A good move."""

    move: str
    reasons: Annotated[
        list[HintReasonInfo], Meta(description="What speaks for it, the more important first.")
    ]
    gains: Annotated[
        list[int],
        Meta(description="Each player's additional points if the round ended after a placement."),
    ]


class RankedMove(_Response, frozen=True):
    """What to expect after a move."""

    move: str
    win_probabilities: Annotated[list[float], Meta(description="Of each player.")]
    expected_scores: Annotated[list[float], Meta(description="Final scores, of each player.")]
    low: Annotated[list[float], Meta(description="Lower bounds of the probabilities, 95 %.")]
    high: Annotated[list[float], Meta(description="Upper bounds of the probabilities, 95 %.")]
    rollouts: int


class EvaluationResponse(_Response, frozen=True):
    """A player's moves, the best first."""

    player: int
    moves: list[RankedMove]


class TutorialPlayer(_Response, frozen=True):
    """A player of a tutorial step; the learner is the first."""

    name: str
    side: str
    colours: list[str]


class TutorialStep(_Response, frozen=True):
    """A step of the tutorial after the learner's moves."""

    number: int
    steps: Annotated[int, Meta(description="The number of steps.")]
    edition: str
    players: Annotated[list[TutorialPlayer], Meta(description="In turn order, clockwise.")]
    rounds: int
    blocks: Annotated[int, Meta(description="Blocks of each colour that a player chooses a round.")]
    position: Position
    private: PlayerState
    game_events: Annotated[list[GameEvent], Meta(description="What the learner's moves caused.")]
    outcome: Annotated[
        Literal["open", "solved", "missed"],
        Meta(description="`open` before the first move; then whether the task is solved."),
    ]
    problem: Annotated[
        Problem | None,
        Meta(description="Why the last move is illegal; the position is the one before it."),
    ]


def hint_response(hint: Hint) -> HintResponse:
    return HintResponse(
        move=str(hint.move),
        reasons=[
            HintReasonInfo(kind=reason.kind, colour=reason.colour, city=reason.city)
            for reason in hint.reasons
        ],
        gains=list(hint.points),
    )


def evaluation_response(evaluation: Evaluation) -> EvaluationResponse:
    return EvaluationResponse(
        player=evaluation.player,
        moves=[
            RankedMove(
                move=str(ranked.move),
                win_probabilities=list(ranked.win_probabilities),
                expected_scores=list(ranked.expected_scores),
                low=list(ranked.low),
                high=list(ranked.high),
                rollouts=ranked.rollouts,
            )
            for ranked in evaluation.moves
        ],
    )
