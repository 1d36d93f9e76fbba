"""What agents receive grows by fields that say with which version they came. ``fields_of_2.0`` has the first ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.hosts import HeartbeatReply
from ngxlab_contracts.protocol import CURRENT, Protocol
from ngxlab_contracts.trials import TrialSpec
from pydantic import BaseModel

FIRST_FIELDS = frozenset(Path(__file__).with_name("fields_of_2.0").read_text().split())
RECEIVED: tuple[type[BaseModel], ...] = (TrialSpec, ConfigTestSpec, HeartbeatReply)


def fields(message: type[BaseModel]) -> Iterator[tuple[str, str | None, bool]]:
    """``Message.field`` of a message and of those within it, its ``since``, and whether it must be given although its
    message is none that an older agent is never given."""
    schema = message.model_json_schema()
    for name, part in {message.__name__: schema, **schema.get("$defs", {})}.items():
        for field, one in part.get("properties", {}).items():
            since = one.get("since") or part.get("since")
            yield f"{name}.{field}", since, field in part.get("required", ()) and "since" not in part


@pytest.mark.parametrize("message", RECEIVED)
def test_what_is_added_says_since_when_and_may_be_left_out(message: type[BaseModel]) -> None:
    added = {name: (since, required) for name, since, required in fields(message) if name not in FIRST_FIELDS}
    unmarked = {name for name, (since, _) in added.items() if since is None}
    assert unmarked == set(), "mark it with since(), and let CURRENT in protocol.py say what the version added"
    assert not [name for name, (_, required) in added.items() if required], "an older agent cannot be given it"
    versions = {Protocol.parse(since) for since, _ in added.values() if since is not None}
    assert all(Protocol(CURRENT.major, 0) < version <= CURRENT for version in versions)


def test_nothing_that_an_agent_of_the_first_version_knows_has_gone() -> None:
    assert {name for message in RECEIVED for name, *_ in fields(message)} >= FIRST_FIELDS
