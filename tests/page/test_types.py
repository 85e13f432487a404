"""The page's types are those of the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from manhattan.server.schema import page_schema

WEB = Path(__file__).parent.parent.parent / "web"


def test_the_types_are_made_from_the_schema_as_it_is() -> None:
    node = Path(sys.executable).with_name("node")
    made = subprocess.run(
        [node, WEB / "protocol.mjs"],
        input=json.dumps(page_schema()),
        capture_output=True,
        text=True,
        check=True,
    )
    kept = (WEB / "src" / "protocol" / "told.ts").read_text("utf-8")
    assert made.stdout == kept, "run `make types`"
