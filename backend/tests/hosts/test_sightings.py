"""A restart, a reboot and an upgrade look different from a copy of the credential. Pure."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from ngxlab.hosts.service import Sighting, conflict, with_sighting

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def _after(beats: str, gap_s: float = 1.0) -> str | None:
    """What is said after heartbeats of these agents, a letter each, one after the other."""
    known: list[Sighting] = []
    for number, letter in enumerate(beats):
        now = _BEGIN + timedelta(seconds=number * gap_s)
        new = Sighting(
            instance=UUID(int=ord(letter)),
            hostname=f"host-{letter}",
            machine=letter,
            address=f"192.0.2.{ord(letter)}",
            since=now,
            heard_at=now,
        )
        known = with_sighting(known, new)
    return conflict(known)


def test_restarts_are_no_conflict() -> None:
    assert _after("aaaabbbbcccc") is None


def test_a_heartbeat_of_the_old_agent_that_was_long_on_its_way_is_no_conflict() -> None:
    assert _after("aaaabbabbbb") is None


def test_two_agents_that_take_turns_are_a_conflict_that_names_both() -> None:
    told = _after("abababab")
    assert told == (
        "has 2 agents with one credential on different machines: host-a (192.0.2.97, since 2026-01-01 00:00:00 UTC) "
        "and host-b (192.0.2.98, since 2026-01-01 00:00:01 UTC). Stop all but one, or renew the credential"
    )


def test_the_conflict_ends_when_only_one_of_them_speaks() -> None:
    assert _after("abababab" + "b" * 20) is not None
    assert _after("abababab" + "b" * 40) is None
