"""Whatever the list of directives accepts, nginx stays in its folder and with the servers that are declared."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from definition.fuzzing.alone import is_possible

TESTS = Path(__file__).parents[2]
MINUTE_S = 55


def fuzzed(module: str, *arguments: str) -> dict[str, Any]:
    if not is_possible():
        pytest.skip("only root may make a network that nothing gets out of")
    environment = os.environ | {"PYTHONPATH": f"{TESTS.parents[1]}:{TESTS}"}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], env=environment, stdout=subprocess.PIPE, check=False
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_finds_the_hole_that_was_there() -> None:
    """The rule for proxy_pass as it was until 2026-11-25, when ``http://unix$uri_x`` reached any socket of the host."""
    found = fuzzed("definition.fuzzing.with_the_hole")
    assert any("connect unix:/run/docker.sock" in acts for _, acts in found["found"]), found


def test_what_is_accepted_reaches_nothing_else() -> None:
    found = fuzzed("definition.fuzzing", "--json", "--minutes", str(MINUTE_S / 60))
    assert found["found"] == []
    assert found["served by nginx"] > 100
