"""The kit in deploy/: it names only metrics, options and paths that exist."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest

from manhattan.server.ops import metrics
from manhattan.server.options import CONFIG_VARIABLE, OPTIONS, OTHER_VARIABLES
from support.project_files import ROOT, project_files

DEPLOY = ROOT / "deploy"
FILES = project_files("deploy")


def exposed_metrics() -> set[str]:
    """Return the names of all samples: a family without labels yet has only its help text."""
    text = generate_latest(metrics.REGISTRY).decode()
    families = re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE)
    names = set()
    for family, kind in families:
        suffixes = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        names |= {family + suffix for suffix in suffixes}
    return names


def expressions(path: Path) -> str:
    """Return the queries of a dashboard or of alert rules."""
    if path.suffix == ".json":
        dashboard = json.loads(path.read_text("utf-8"))
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        queries += [
            variable["query"]["query"]
            for variable in dashboard["templating"]["list"]
            if variable["type"] == "query"
        ]
        return "\n".join(queries)
    rules = yaml.safe_load(path.read_text("utf-8"))
    return "\n".join(rule["expr"] for group in rules["groups"] for rule in group["rules"])


@pytest.mark.parametrize("name", ["grafana/manhattan.json", "prometheus/alerts.yml"])
def test_every_metric_exists(name: str) -> None:
    named = set(re.findall(r"\bmanhattan_\w+", expressions(DEPLOY / name)))
    assert len(named) >= 5
    assert named - exposed_metrics() == set()


def test_the_dashboard_shows_every_metric() -> None:
    shown = set(re.findall(r"\bmanhattan_\w+", expressions(DEPLOY / "grafana/manhattan.json")))
    families = {re.sub("_(bucket|sum|count)$", "", name) for name in exposed_metrics()}
    assert {name for name in families if not any(one.startswith(name) for one in shown)} == {
        name for name in families if name.endswith("_created")
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_variable_exists(path: Path) -> None:
    known = {option.variable for option in OPTIONS.values()} | {CONFIG_VARIABLE, *OTHER_VARIABLES}
    known |= {option.file_variable for option in OPTIONS.values() if option.file_variable}
    named = set(re.findall(r"\bMANHATTAN_[A-Z_]+", path.read_text("utf-8")))
    assert named - known == set()


def test_compose_mounts_files_that_exist_and_secrets_by_file() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    build = compose["services"]["manhattan"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    mounts = [m for service in compose["services"].values() for m in service.get("volumes", [])]
    files = [mount.split(":")[0] for mount in mounts if mount.startswith("./")]
    assert files
    assert all((DEPLOY / file).is_file() for file in files)
    assert not re.search(r"(?i)password: *\S", (DEPLOY / "compose.yaml").read_text("utf-8"))
    assert all("file" in secret for secret in compose["secrets"].values())


UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_credential_of_a_unit_is_read(unit: Path) -> None:
    """Also those that operators uncomment."""
    text = unit.read_text("utf-8")
    loaded = re.findall(r"^#?LoadCredential=(\w+):/etc/", text, re.MULTILINE)
    read = re.findall(r"^#?Environment=MANHATTAN_(\w+)_FILE=%d/(\w+)$", text, re.MULTILINE)
    assert loaded
    assert loaded == [name for _, name in read]
    assert loaded == [variable.lower() for variable, _ in read]


def test_systemd_waits_until_the_server_listens() -> None:
    text = (DEPLOY / "systemd/manhattan.service").read_text("utf-8")
    assert re.search("^Type=notify$", text, re.MULTILINE)
    assert re.search("^TimeoutStartSec=1h$", text, re.MULTILINE), "migrations take minutes"


def test_prometheus_and_the_server_read_the_same_token_and_rules_that_exist() -> None:
    prometheus = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text("utf-8"))
    (job,) = prometheus["scrape_configs"]
    token = job["authorization"]["credentials_file"]
    unit = (DEPLOY / "systemd/manhattan.service").read_text("utf-8")
    assert f"LoadCredential=metrics_token:{token}\n" in unit
    page = (ROOT / "docs/how-to/host/monitoring.md").read_text("utf-8")
    assert f" {token}\n" in page
    for rules in prometheus["rule_files"]:
        assert f"install -m 644 deploy/prometheus/{rules} /etc/prometheus/\n" in page
        assert (DEPLOY / "prometheus" / rules).is_file()


def test_an_outage_without_players_and_an_old_backup_raise_alerts() -> None:
    rules = expressions(DEPLOY / "prometheus/alerts.yml")
    assert "manhattan_database_available) == 0" in rules
    assert "time() - manhattan_last_backup_timestamp_seconds >" in rules


def test_the_image_runs_without_privileges_and_checks_its_health() -> None:
    stages = (DEPLOY / "Dockerfile").read_text("utf-8").split("\nFROM ")
    assert len(stages) == 3  # the text before the first, two stages
    for instruction in ("USER 10001", "HEALTHCHECK", 'ENTRYPOINT ["manhattan"]', "/readyz"):
        assert instruction in stages[-1]


HOST_PAGES = sorted((ROOT / "docs/how-to/host").glob("*.md"))


@pytest.mark.parametrize("page", HOST_PAGES, ids=lambda page: page.name)
def test_pages_for_operators_name_what_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\((?!https://)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for path in re.findall(r"\bdeploy/[\w./-]+\w", text):
        assert (ROOT / path).exists(), path
    named = set(re.findall(r"\bMANHATTAN_[A-Z_]+", text))
    known = {option.variable for option in OPTIONS.values()} | {CONFIG_VARIABLE, *OTHER_VARIABLES}
    assert named <= known | {option.file_variable for option in OPTIONS.values()}


def test_troubleshooting_quotes_real_messages() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "src/manhattan").rglob("*.py")]
    joined = re.sub(r'"\s*\n\s*f?"', "", "\n".join(sources))  # strings over several lines
    page = (ROOT / "docs/how-to/host/troubleshooting.md").read_text("utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    messages = [message for cell in cells for message in re.findall("`([^`]+)`", cell)]
    assert len(messages) > 15
    for message in messages:
        # Between the values, which are quoted, numbers, options or left out.
        parts = re.split(r"…|'[^']*'|\b[\d.:]+\b|--\w+|MANHATTAN_\w+|must be", message)
        for part in (part.strip(" .:") for part in parts):
            assert part in joined, f"{part!r} of {message!r}"


def test_the_monitoring_page_names_every_metric() -> None:
    page = (ROOT / "docs/how-to/host/monitoring.md").read_text("utf-8")
    named = set(re.findall(r"\| `(manhattan_\w+)", page))
    text = generate_latest(metrics.REGISTRY).decode()
    kinds = dict(re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE))
    assert named == {name for name in kinds if not name.endswith("_created")}


def test_the_errors_are_found_between_the_lines_of_systemd() -> None:
    page = (ROOT / "docs/how-to/host/monitoring.md").read_text("utf-8")
    (program,) = re.findall(r"\| jq -R '([^']+)'", page)
    journal = (
        "Started manhattan.service - Manhattan, a board game server.\n"
        "Manhattan is running at http://127.0.0.1:8000\n"
        '{"level": "info", "message": "request"}\n'
        '{"level": "error", "message": "the database is unavailable"}\n'
    )
    found = subprocess.run(
        ["jq", "-R", "-c", program], input=journal, capture_output=True, text=True, check=True
    )
    assert found.stdout == '{"level":"error","message":"the database is unavailable"}\n'
