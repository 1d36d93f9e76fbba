"""The examples of the repository are valid, and short."""

import json
from pathlib import Path

import pytest
from tests.support.caller import Caller

EXAMPLES = Path(__file__).parents[2] / "examples"
SCHEMA_LINE = "# yaml-language-server: $schema=../docs/experiment.schema.json\n"


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.stem)
def test_an_example_is_valid_and_takes_less_than_two_minutes(caller: Caller, path: Path) -> None:
    answer = caller.ngxlab("validate", str(path), "--json")
    assert answer.returncode == 0, answer.stdout
    assert json.loads(answer.stdout)["plan"]["total_s"] < 120
    assert SCHEMA_LINE in path.read_text()


def test_there_are_these_examples() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == {
        "best-of-many.yaml",
        "capacity.yaml",
        "curve.yaml",
        "gzip-levels.yaml",
        "http2.yaml",
        "http3.yaml",
        "tls.yaml",
        "keepalive.yaml",
        "latency-budget.yaml",
        "slow-clients.yaml",
    }
