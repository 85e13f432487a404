"""The configuration of a server: flags, environment and file, secrets, and ``manhattan config``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from manhattan.server import option_sources
from manhattan.server.option_documents import example_toml, reference_markdown
from manhattan.server.option_sources import ConfigError, configure
from manhattan.server.options import OPTIONS, Option, Secret, ServerOptions
from support.cli_runner import SCRIPT, Outcome, Terminal, run_cli, run_process
from support.databases import PASSWORD, Postgres, Redis, database_at, temporary_server
from support.project_files import ROOT

SECRET = "postgresql://ann:hunter2@db/manhattan"


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with temporary_server(Postgres) as server, database_at(server.address) as database:
        yield database


def toml(folder: Path, text: str) -> Path:
    path = folder / "manhattan.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_a_flag_precedes_the_environment_the_file_and_the_default(tmp_path: Path) -> None:
    file = toml(tmp_path, "port = 1\nbot_workers = 1\nwarm_up = false\n")
    environ = {"MANHATTAN_PORT": "2", "MANHATTAN_BOT_WORKERS": "2"}
    found = configure({"port": "3", "host": None}, environ, file).settings
    assert found["port"] == (3, "--port")
    assert found["bot_workers"] == (2, "MANHATTAN_BOT_WORKERS")
    assert found["warm_up"] == (False, str(file))
    assert found["host"] == ("127.0.0.1", "default")


def test_every_option_can_come_from_every_source(tmp_path: Path) -> None:
    values = {
        "database": "x.db",
        "redis": None,  # conflicts with SQLite; tested on its own
        "bot_workers": 3,
        "warm_up": False,
        "host": "::1",
        "port": 9,
        "lan": False,
        "trusted_proxy": "10.0.0.0/8",
        "public_metrics": True,
        "push_contact": "https://example.org",
        "browser": False,
        "access_log": True,
    }
    texts = {name: str(value) for name, value in values.items() if value is not None}
    environ = {OPTIONS[name].variable: text.lower() for name, text in texts.items()}
    lines = [
        f"{name} = {text.lower() if text in ('True', 'False') else repr(text)}"
        for name, text in texts.items()
    ]
    expected = ServerOptions(**values)  # type: ignore[arg-type]
    assert configure(texts, {}).build(ServerOptions) == expected
    assert configure({}, environ).build(ServerOptions) == expected
    assert configure({}, {}, toml(tmp_path, "\n".join(lines))).build(ServerOptions) == expected


def test_the_environment_names_the_file(tmp_path: Path) -> None:
    named, given = toml(tmp_path, "port = 1"), tmp_path / "other.toml"
    given.write_text("port = 2")
    environ = {"MANHATTAN_CONFIG": str(named)}
    assert configure({}, environ).settings["port"].value == 1
    assert configure({}, environ, given).settings["port"].value == 2


def test_an_empty_variable_is_not_set() -> None:
    assert configure({}, {"MANHATTAN_REDIS": ""}).settings["redis"] == (None, "default")


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"MANHATTAN_PORT": "tcp://10.0.0.1"}, "MANHATTAN_PORT must be a whole number from 0 to"),
        ({"MANHATTAN_BOT_WORKERS": "0"}, "must be a whole number from 1 to 64, not '0'"),
        ({"MANHATTAN_LAN": "maybe"}, "MANHATTAN_LAN must be true or false, not 'maybe'"),
        ({"MANHATTAN_PUSH_CONTACT": "ann"}, "must be an address like mailto:"),
        ({"MANHATTAN_REDIS": "redis://r"}, "share a PostgreSQL database"),
        ({"MANHATTAN_LAN": "true", "MANHATTAN_HOST": "10.0.0.1"}, "Remove one"),
        ({"MANHATTAN_DATABASE_FILE": "/none/such"}, "can't be read: No such file"),
        ({"MANHATTAN_DATABASE_FILE": "x", "MANHATTAN_DATABASE": "y"}, "are both set"),
        ({"MANHATTAN_CONFIG": "/none/such"}, "The configuration file /none/such can't be read"),
    ],
)
def test_bad_values_are_explained(environ: dict[str, str], message: str) -> None:
    (problem,) = configure({}, environ).problems
    assert message in problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1", "has the unknown key prot. Did you mean port?"),
        ("bot-workers = 1", "Did you mean bot_workers?"),
        ("zzz = 1", "has the unknown key zzz."),
        ("port = ", "is not valid TOML"),
        ("port = [1]", "port in"),
    ],
)
def test_bad_files_are_explained(text: str, message: str, tmp_path: Path) -> None:
    (problem,) = configure({}, {}, toml(tmp_path, text)).problems
    assert message in problem


def test_a_misspelt_variable_is_a_warning() -> None:
    """Not an error: Kubernetes sets variables by itself, such as MANHATTAN_SERVICE_HOST."""
    found = configure({}, {"MANHATTAN_PROT": "1", "MANHATTAN_CACHE": "/x"})
    assert found.problems == ()
    (warning,) = found.warnings
    assert warning.endswith("MANHATTAN_PROT has no effect. Did you mean MANHATTAN_PORT?")


def test_a_secret_can_come_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "database"
    secret.write_text(f"{SECRET}\n")
    found = configure({}, {"MANHATTAN_DATABASE_FILE": str(secret)}).settings["database"]
    assert found.value == SECRET
    assert OPTIONS["database"].shown(found.value) == "postgresql://ann:***@db/manhattan"
    secret.write_text("\n")
    with pytest.raises(ConfigError, match="is empty"):
        configure({}, {"MANHATTAN_DATABASE_FILE": str(secret)}).build(ServerOptions)


@pytest.mark.parametrize(
    "address",
    [
        SECRET,
        "postgresql://ann@db/x?password=hunter2&sslmode=require",
        "redis://:hunter2@cache:6379/0",
        "postgresql://ann:hunter2[@db/x",
        "postgresql://ann:hunter2@x@db/x",
    ],
)
def test_a_password_is_masked_and_refused_in_a_flag(address: str) -> None:
    assert "hunter2" not in OPTIONS["redis"].shown(address)
    (problem,) = configure({"redis": address}, {}).problems
    assert "MANHATTAN_REDIS_FILE" in problem
    assert "hunter2" not in problem


def test_a_file_with_a_password_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    file = toml(tmp_path, f'database = "{SECRET}"')
    assert configure({}, {}, file).warnings == ()
    file.chmod(0o644)
    (warning,) = configure({}, {}, file).warnings
    # The server reads the file by its group; without it, the advice would lock the server out.
    assert warning.endswith(f"chgrp manhattan {file} && chmod 640 {file}")


def test_a_whole_value_can_be_secret() -> None:
    token = Option("A token.", "Network", Secret.WHOLE, name="token", type=str | None)
    assert token.shown("hunter2") == "***"
    with pytest.raises(Exception, match="--token contains a secret") as refused:
        option_sources._from_flag(token, "hunter2")
    assert "hunter2" not in str(refused.value)
    found = option_sources._from_environment(token, {"MANHATTAN_TOKEN": "hunter2"})
    assert found == ("hunter2", "MANHATTAN_TOKEN")


@pytest.mark.parametrize("value", ["a.org, b.org", ["a.org", "b.org"]])
def test_an_option_can_be_a_list(value: object) -> None:
    hosts = Option("Names.", "Network", name="hosts", type=tuple[str, ...], default=())
    assert option_sources._from_flag(hosts, value) == (("a.org", "b.org"), "--hosts")
    assert option_sources._from_file(hosts, {"hosts": value}, Path("x")) == (
        ("a.org", "b.org"),
        "x",
    )
    assert hosts.shown(("a.org", "b.org")) == "a.org,b.org"
    assert hosts.shown(()) == "(none)"
    with pytest.raises(Exception, match="hosts in x must be a list of texts, not 3"):
        option_sources._from_file(hosts, {"hosts": 3}, Path("x"))


def test_commands_refuse_passwords() -> None:
    for arguments in (
        ["serve", "--database", SECRET],
        ["backup", "new.db", "--database", SECRET],
        ["backup", SECRET],
    ):
        refused = run_cli(*arguments)
        assert (refused.code, "contains a password" in refused.error) == (1, True)
        assert "hunter2" not in refused.out + refused.err


def check(environ: dict[str, str] | None = None) -> Outcome:
    return run_process("config", "check", env=environ)


def test_check_shows_every_value_with_its_origin(tmp_path: Path) -> None:
    file = toml(tmp_path, f'database = "{tmp_path}/new/t.db"\nport = 9')
    shown = check({"MANHATTAN_CONFIG": str(file), "MANHATTAN_LAN": "true"})
    assert shown.code == 0, shown
    assert "will be created" in shown.out
    rows = {line.split()[0]: line.split() for line in shown.out.splitlines()}
    assert rows.keys() >= OPTIONS.keys()
    assert rows["port"][1:] == ["9", str(file)]
    assert rows["lan"][1:] == ["yes", "MANHATTAN_LAN"]
    assert not (tmp_path / "new").exists(), "a check changes nothing"


def test_check_reports_what_a_server_could_not_use(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database, but long enough to look like one" * 100)
    for database, message in (
        (tmp_path / "text.db", "can't be opened"),
        (tmp_path / "text.db" / "below.db", "is not writable"),
        ("mysql://x", "mysql:// is neither"),
        ("postgresql://ann:hunter2@127.0.0.1:1/x", "The PostgreSQL database can't be used"),
    ):
        failed = check({"MANHATTAN_DATABASE": str(database)})
        assert (failed.code, message in failed.out) == (1, True), failed.out
        assert "hunter2" not in failed.out + failed.err
        assert "Traceback" not in failed.err


def test_check_tries_postgres_and_redis(postgres: str) -> None:
    with temporary_server(Redis) as redis:
        environ = {"MANHATTAN_DATABASE": postgres, "MANHATTAN_REDIS": redis.address}
        shown = check(environ)
        assert shown.code == 0, shown
        assert re.search(r"^database postgresql://.*:\*\*\*@.*: reachable", shown.out, re.MULTILINE)
        assert "redis: reachable" in shown.out
        assert PASSWORD not in shown.out + shown.err
    failed = check(environ)
    assert (failed.code, "Redis doesn't answer" in failed.out) == (1, True)


@pytest.mark.process
def test_no_secret_is_visible_while_a_server_runs(tmp_path: Path, postgres: str) -> None:
    """Neither in the arguments of a process nor in the log, also when the database goes away."""
    secret = tmp_path / "database"
    secret.write_text(postgres)
    command = [sys.executable, "-m", "manhattan", "serve", "--port", "0", "--access-log"]
    environ = {**os.environ, "MANHATTAN_DATABASE_FILE": str(secret), "MANHATTAN_WARM_UP": "false"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        address = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
        assert address, server.stderr.read()
        with urlopen(f"{address[0]}/readyz") as answer:
            assert answer.status == 200
        arguments = [
            path.read_bytes()
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if path.parent.name in _family(server.pid)
        ]
        server.send_signal(signal.SIGTERM)
        output = server.stdout.read() + server.stderr.read()
        assert server.wait(20) == 0
    assert len(arguments) >= 1
    assert not [line for line in arguments if PASSWORD.encode() in line]
    assert PASSWORD not in output


def _family(pid: int) -> set[str]:
    """Return a process and its descendants."""
    listing = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    pairs = [line.split() for line in listing.stdout.splitlines()]
    family, found = {str(pid)}, True
    while found:
        found = bool(new := {child for child, parent in pairs if parent in family} - family)
        family |= new
    return family


def test_the_example_is_valid_and_complete(tmp_path: Path) -> None:
    text = run_cli("config", "example").out
    assert text == example_toml()
    uncommented = re.sub(r"^#(\w+ = )", r"\1", text, flags=re.MULTILINE)
    found = configure({}, {}, toml(tmp_path, uncommented.replace('"/var', '"postgresql://db/var')))
    assert found.problems == ()
    assert {setting.origin for setting in found.settings.values()} == {
        str(tmp_path / "manhattan.toml")
    }


def test_the_reference_page_is_up_to_date() -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text("utf-8")
    command = "manhattan config example --markdown > docs/reference/configuration.md"
    assert page == reference_markdown(), f"run: {command}"


@pytest.mark.process
@pytest.mark.parametrize(
    ("flags", "banner"),
    [([], "manhattan serve --lan, or make play ARGS=--lan"), (["--lan"], "http://")],
)
def test_only_this_computer_can_connect_unless_lan_is_given(
    flags: list[str], banner: str, tmp_path: Path
) -> None:
    options = ["--port", "0", "--no-browser", "--no-warm-up", "--database", str(tmp_path / "t.db")]
    with Terminal(SCRIPT, "serve", *options, *flags, folder=tmp_path) as terminal:
        terminal.wait_for("Manhattan is running at")
        terminal.wait_for(banner)
        terminal.wait_for("Press Ctrl-C to stop.")
        port = int(re.search(r"127\.0\.0\.1:(\d+)", terminal.output)[1])  # type: ignore[index]
        listening = Path("/proc/net/tcp").read_text()
        terminal.press("\x03")
        assert terminal.wait() == 0
    interface = "00000000" if flags else "0100007F"
    assert f" {interface}:{port:04X} 00000000:0000 0A" in listening
    assert ("▀" in terminal.output) == bool(flags), "a QR code for phones"
