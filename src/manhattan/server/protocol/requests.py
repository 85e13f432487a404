"""Bodies and query parameters of HTTP requests; the options of a new table are domain options."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, field

from manhattan.rules.setup import check_name
from manhattan.server.domain.options import LevelName, Name, NonceHash, SeatNumber

MAX_TUTORIAL_MOVES: Final = 10
MAX_PLY: Final = 9999
"""More moves than any game has."""


class _Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class AccountRequest(_Request, frozen=True):
    """The name that a person wants to be called."""

    name: Name

    def __post_init__(self) -> None:
        check_name(self.name)


_Confirmation = Annotated[
    bool,
    Meta(description="Sign in although this browser's person has seats at tables."),
]
_BringGames = Annotated[
    bool,
    Meta(description="Give the seats of this browser's person to the one who signs in."),
]


class PasskeyRequest(_Request, frozen=True):
    """A new passkey."""

    credential: Annotated[
        dict[str, Any], Meta(description="The browser's `PublicKeyCredential`, as JSON.")
    ]


class PasskeySignInRequest(PasskeyRequest, frozen=True):
    """The answer of a passkey to a challenge."""

    confirmed: _Confirmation = False
    bring_games: _BringGames = False


class RecoveryCodeRequest(_Request, frozen=True):
    """A recovery code, with or without its hyphens."""

    code: Annotated[str, Meta(max_length=100, examples=["7K2M-9QXC-4TRD-0V8N-6HJP"])]
    confirmed: _Confirmation = False
    bring_games: _BringGames = False


class PushKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a browser's push subscription, base64url."""

    p256dh: Annotated[str, Meta(min_length=80, max_length=100)]
    auth: Annotated[str, Meta(min_length=20, max_length=30)]


class PushEndpoint(_Request, frozen=True):
    """A browser, by the address of its push service for it."""

    endpoint: Annotated[str, Meta(min_length=10, max_length=1000)]


class PushSubscriptionRequest(PushEndpoint, frozen=True):
    """A browser that wants notifications."""

    keys: PushKeys
    language: Annotated[str, Meta(pattern="^[a-z]{2}$", examples=["en"])]
    kinds: Annotated[
        tuple[Literal["turn", "start", "end"], ...],
        Meta(max_length=3, description="Your turn; a game's start or an offer; a game's end."),
    ]


NonceHashes = Annotated[
    list[NonceHash],
    Meta(max_length=4, description="One for each seat that you take, in turn order."),
]


class SeatRequest(_Request, frozen=True):
    """What a person brings to their seats."""

    nonce_hashes: NonceHashes = field(default_factory=list)


class NoncesRequest(_Request, frozen=True):
    """The nonces of the sender's seats."""

    nonces: Annotated[
        tuple[Annotated[str, Meta(pattern="^[0-9a-f]{64}$")], ...],
        Meta(min_length=1, max_length=4, description="In any order; their hashes say whose."),
    ]


class BotRequest(_Request, frozen=True):
    """The bot for a seat."""

    level: LevelName


class SeatTransferRequest(_Request, frozen=True):
    """The seat that moves to another device."""

    seat: Annotated[
        SeatNumber | None,
        Meta(description="Required where several people share the sender's screen."),
    ] = None


class SeatClaimRequest(_Request, frozen=True):
    """The secret of a seat transfer."""

    secret: Annotated[str, Meta(min_length=10, max_length=100)]
    nonce_hash: Annotated[NonceHash | None, Meta(description="Before the game.")] = None


class TutorialRequest(_Request, frozen=True):
    """The learner's moves so far."""

    moves: Annotated[
        tuple[Annotated[str, Meta(max_length=60)], ...],
        Meta(max_length=MAX_TUTORIAL_MOVES, description="Oldest first, as in a record."),
    ]


class TableListQuery(msgspec.Struct, frozen=True):
    """Which public tables to list."""

    stage: Annotated[
        Literal["lobby", "playing", "over"], Meta(description="The stage of the tables.")
    ] = "lobby"
    page: Annotated[int, Meta(ge=0, le=3, description="The page of the list; the first is 0.")] = 0


class MyGamesQuery(msgspec.Struct, frozen=True):
    """Which of the person's games to list."""

    state: Annotated[
        Literal["all", "your_turn", "running", "lobby", "finished"],
        Meta(description="The state of the games; `all` lists the states in this order."),
    ] = "all"
    removed: Annotated[
        bool, Meta(description="List the games that were removed from the list instead.")
    ] = False
    players: Annotated[
        Annotated[int, Meta(ge=2, le=4)] | None,
        Meta(description="Only games of this number of players."),
    ] = None
    opponents: Annotated[
        Literal[
            "anyone",
            "people",
            "easy",
            "casual",
            "medium",
            "advanced",
            "hard",
            "expert",
            "champion",
        ],
        Meta(description="Only games among people, or those whose strongest bot has this level."),
    ] = "anyone"
    cursor: Annotated[
        str,
        Meta(max_length=200, description="The `next` of the page before, with the same query."),
    ] = ""


class PreviewQuery(msgspec.Struct, frozen=True):
    """Which moment of a game to draw."""

    at: Annotated[
        Annotated[int, Meta(ge=0, le=MAX_PLY)] | None,
        Meta(description="The number of moves played; without it, or with more, the last moment."),
    ] = None


class StartQuery(msgspec.Struct, frozen=True):
    """Whether the game starts at once. The cards are dealt when the nonces are revealed."""

    start: Annotated[bool, Meta(description="Start the game at once, if no seat is open.")] = False
