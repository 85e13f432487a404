"""The page's protocol types are generated from the server's schema."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from manhattan.server.protocol.schema import page_schema

WEB = Path(__file__).parent.parent.parent / "web"


def test_the_generated_types_are_up_to_date() -> None:
    node = Path(sys.executable).with_name("node")
    generated = subprocess.run(
        [node, WEB / "scripts" / "generate-types.mjs"],
        input=json.dumps(page_schema()),
        capture_output=True,
        text=True,
        check=True,
    )
    committed = (WEB / "src" / "protocol" / "types.gen.ts").read_text("utf-8")
    assert generated.stdout == committed, "run `make types`"
