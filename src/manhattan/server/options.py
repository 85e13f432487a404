"""The options of a server. Each is described once, in ``ServerOptions``: its flag, its environment
variable, its key in the configuration file and its documentation follow from the description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, auto
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import platformdirs
from msgspec import Meta

PREFIX: Final = "MANHATTAN_"
CONFIG_VARIABLE: Final = f"{PREFIX}CONFIG"
OTHER_VARIABLES: Final = {
    f"{PREFIX}CACHE": "Folder for compiled code. Default: the user's cache folder; for users "
    "without one, such as services, a folder in the system's temporary folder.",
    f"{PREFIX}MODELS": "Folder with your own models for the bots, made by `manhattan train`.",
    f"{PREFIX}CHECKED": "Compile the code of bots with checks of array bounds, for tests.",
}
"""The variables of the package that are no options of the server."""

DEFAULT_PORT: Final = 8000
LOOPBACK: Final = "127.0.0.1"
ALL_INTERFACES: Final = "0.0.0.0"  # noqa: S104 - only with --lan
NETWORK, STORAGE, BOTS, OUTPUT = "Network", "Storage", "Bots", "Browser and log"
_METADATA_KEY: Final = "option"


class Secret(Enum):
    """What nobody else may see of a value: it is masked, and refused in a flag."""

    NONE = auto()
    PASSWORD = auto()
    """The value is an address that may contain a password."""
    WHOLE = auto()


@dataclass(frozen=True, slots=True)
class Description:
    """What operators are told about an option."""

    help: str
    section: str
    secret: Secret = Secret.NONE
    default_text: str | None = None
    """The default in words, if the value says too little."""
    expected: str | None = None
    """What a value looks like, for error messages, if the type says too little."""
    example: str | None = None
    """A value for the example file, if there is no default."""
    short_flag: str | None = None


@dataclass(frozen=True, slots=True)
class Option(Description):
    """An option with its description and all that follows from its field."""

    name: str = ""
    """The key in the configuration file."""
    type: Any = str
    default: object = None

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        return f"{PREFIX}{self.name.upper()}"

    @property
    def file_variable(self) -> str | None:
        """The variable that names a file with the value: a Docker secret, a systemd credential."""
        return f"{self.variable}_FILE" if self.is_secret else None

    @property
    def is_secret(self) -> bool:
        return self.secret is not Secret.NONE

    @property
    def is_list(self) -> bool:
        """Whether the flag may be repeated; other sources separate the values by commas."""
        return get_origin(self.type) is tuple

    @property
    def is_flag_only(self) -> bool:
        """Whether the flag takes no value."""
        return bool in (self.type, *get_args(self.type))

    @property
    def default_in_words(self) -> str:
        if self.default_text is not None:
            return self.default_text
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        return "none" if self.default in (None, ()) else str(self.default)

    def reveals(self, value: object) -> bool:
        """Whether a value contains what nobody else may see."""
        if self.secret is Secret.PASSWORD:
            return has_password(str(value))
        return self.secret is Secret.WHOLE

    def shown(self, value: object) -> str:
        """Return a value as an operator may see it."""
        if value in (None, ()):
            return f"({self.default_in_words})"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return ",".join(value)
        if self.reveals(value):
            return _masked(str(value)) if self.secret is Secret.PASSWORD else "***"
        return str(value)


def default_database() -> str:
    """Return the SQLite file that holds this user's tables."""
    return str(platformdirs.user_data_path("manhattan", appauthor=False) / "tables.db")


def _option(
    default: object = MISSING,
    *,
    default_factory: Callable[[], object] | None = None,
    **description: Any,
) -> Any:
    metadata = {_METADATA_KEY: Description(**description)}
    if default_factory is not None:
        return field(default_factory=default_factory, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What an operator can set. To add an option, add a field; nothing else is needed."""

    database: str = _option(
        default_factory=default_database,
        help="Database: an SQLite file, or postgresql://…",
        section=STORAGE,
        secret=Secret.PASSWORD,
        default_text="tables.db in your user data folder",
        example="/var/lib/manhattan/tables.db",
        short_flag="-d",
    )
    redis: str | None = _option(
        None,
        help="Redis server (redis://…) that connects several processes on one PostgreSQL.",
        section=STORAGE,
        secret=Secret.PASSWORD,
        example="redis://127.0.0.1:6379",
    )
    keep_games: Annotated[int, Meta(ge=1)] | None = _option(
        None,
        help="Days after which finished games and closed tables are deleted.",
        section=STORAGE,
        default_text="for ever",
        example="365",
    )
    keep_people: Annotated[int, Meta(ge=1)] | None = _option(
        None,
        help="Days after which people without a game who have not been here are deleted.",
        section=STORAGE,
        default_text="for ever",
        example="730",
    )
    bot_workers: Annotated[int, Meta(ge=1, le=64)] = _option(
        1, help="Number of processes that run bots and hints.", section=BOTS
    )
    warm_up: bool = _option(True, help="Compile the code of strong bots at startup.", section=BOTS)
    host: str = _option(
        LOOPBACK,
        help="Address to listen on. 127.0.0.1 accepts only this computer, 0.0.0.0 every other.",
        section=NETWORK,
    )
    port: Annotated[int, Meta(ge=0, le=65535)] | None = _option(
        None,
        help="Port to listen on; 0 chooses a free one.",
        section=NETWORK,
        default_text=f"{DEFAULT_PORT}, or any free port if that is in use",
        example=str(DEFAULT_PORT),
    )
    lan: bool = _option(
        False,
        help="Accept other devices on the same network, and show the address for them.",
        section=NETWORK,
    )
    trusted_proxy: str | None = _option(
        None,
        help="Trust the client addresses and the scheme that this proxy forwards. Several "
        "addresses or networks are separated by commas.",
        section=NETWORK,
        example="127.0.0.1",
    )
    allowed_host: tuple[str, ...] = _option(
        (),
        help="Host name of this server on the internet. Addresses and names of the local network "
        "are always allowed; *.example.org allows all names below a domain, * all names.",
        section=NETWORK,
        default_text="behind a proxy all, otherwise none",
        example="game.example.org",
    )
    metrics_token: str | None = _option(
        None,
        help="Serve /metrics to clients that send this token.",
        section=NETWORK,
        secret=Secret.WHOLE,
        default_text="none: /metrics is closed",
        example="a long random text",
    )
    public_metrics: bool = _option(False, help="Serve /metrics to everyone.", section=NETWORK)
    push_contact: Annotated[str, Meta(pattern=r"^(mailto:[^@\s]+@[^@\s]+|https://\S+)$")] = _option(
        "mailto:operator@localhost",
        help="How the push services of browsers reach you: mailto:you@example.org, or a web "
        "address. Some of them reject notifications without it.",
        section=NETWORK,
        expected="an address like mailto:you@example.org or https://example.org",
    )
    push: bool = _option(
        True,
        help="Send notifications by Web Push. Switch it off to try a copy of a database.",
        section=NETWORK,
    )
    browser: bool = _option(
        True, help="Open the game in a browser, if there is a display.", section=OUTPUT
    )
    access_log: bool | None = _option(
        None,
        help="Log every request to stderr, as JSON lines.",
        section=OUTPUT,
        default_text="only without a terminal",
        example="true",
    )


def _described_options() -> dict[str, Option]:
    types = get_type_hints(ServerOptions, include_extras=True)
    options = {}
    for described in fields(ServerOptions):
        description: Description = described.metadata[_METADATA_KEY]
        texts = {part.name: getattr(description, part.name) for part in fields(Description)}
        default = None if described.default is MISSING else described.default
        options[described.name] = Option(
            name=described.name, type=types[described.name], default=default, **texts
        )
    return options


OPTIONS: Final[Mapping[str, Option]] = _described_options()


def is_postgres(database: str) -> bool:
    return database.startswith(("postgresql://", "postgres://"))


def conflicts(options: ServerOptions) -> list[str]:
    """Return what is wrong with options that are valid one by one."""
    found = []
    if options.redis is not None and not is_postgres(options.database):
        found.append(
            "redis connects processes that share a PostgreSQL database. Add --database "
            "postgresql://…, or remove redis."
        )
    if options.lan and options.host not in (LOOPBACK, ALL_INTERFACES):
        found.append(f"lan listens on all addresses, and host on {options.host}. Remove one.")
    return found


def has_password(address: str) -> bool:
    """Whether a database's or Redis' address contains a password."""
    if "://" not in address:
        return False
    try:
        parts = urlsplit(address)
        return bool(parts.password) or "password=" in parts.query
    except ValueError:  # a special character that should have been encoded
        return "@" in address


def _masked(address: str) -> str:
    """Return an address without its password."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"{address.partition('://')[0]}://***"
    user, _, place = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    netloc = f"{name}:***@{place}" if user else place
    query = "***" if "password=" in parts.query else parts.query
    return parts._replace(netloc=netloc, query=query, fragment="").geturl()
