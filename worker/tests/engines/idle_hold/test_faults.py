"""Servers that refuse, reset, stall, stop half-way or send garbage: each error is counted as what it is."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.telemetry import EngineTotals
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.sandbox import RunAs, resolve_run_as
from tests.support.holding import Notes, hold, idle_stream
from tests.support.odd_server import ANSWER, Manner, OddServer, keeps, request, reset

CONNECTIONS = 20


@pytest.fixture
def run_as(user: str | None) -> RunAs | None:
    return resolve_run_as(user)


class Held:
    """The result of a stream."""

    def __init__(self, totals: EngineTotals, notes: Notes) -> None:
        self.totals, self.notes = totals, notes

    @property
    def errors(self) -> dict[str, int]:
        """The kinds of errors that occurred."""
        counted = self.totals.model_dump()
        return {name.removeprefix("errors_"): n for name, n in counted.items() if name.startswith("errors_") and n}


@pytest.fixture
def against(agent_folder: Path, run_as: RunAs | None) -> Callable[..., Held]:
    """Hold connections to a server that behaves so, until its counters meet the condition."""

    def run(manner: Manner, until: Callable[[dict[str, int]], bool], **changes: Any) -> Held:
        notes: Notes = []
        with OddServer(manner) as port:
            spec = idle_stream(CONNECTIONS, **changes)
            totals, _ = hold(spec, Target("127.0.0.1", (port,)), until, folder=agent_folder, run_as=run_as, notes=notes)
        return Held(totals, notes)

    return run


def at_least(**wanted: int) -> Callable[[dict[str, int]], bool]:
    return lambda now: all(now[name] >= least for name, least in wanted.items())


async def resets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    reset(writer)


async def stalls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    await reader.read()


async def drips(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await request(reader):
        for byte in ANSWER:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)


async def ends_within_the_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    writer.write(ANSWER[:20])


async def closes_half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    writer.write(ANSWER)
    writer.write_eof()
    await reader.read()


async def babbles(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    await reader.read()


async def talks_unasked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(ANSWER)
    await reader.read()


async def announces_its_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    writer.write(ANSWER.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))


async def closes_idle_ones(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(0)


async def fails(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await request(reader):
        writer.write(ANSWER.replace(b"200 OK", b"503 Service Unavailable"))


async def sends_a_body_until_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000)


def test_a_server_that_keeps_connections_loses_none(against: Callable[..., Held]) -> None:
    held = against(keeps, at_least(completed=10 * CONNECTIONS))
    assert held.errors == {}
    assert (held.totals.connects, held.totals.reconnects) == (CONNECTIONS, 0)
    assert held.totals.connections_max == CONNECTIONS


def test_a_reset_is_an_error_of_reading_and_the_connection_is_opened_anew(against: Callable[..., Held]) -> None:
    held = against(resets, at_least(errors_read=CONNECTIONS, reconnects=CONNECTIONS))
    assert held.errors.keys() == {"read"}
    assert held.totals.completed == 0


def test_an_answer_that_never_comes_is_a_timeout(against: Callable[..., Held]) -> None:
    held = against(stalls, at_least(errors_timeout=CONNECTIONS, reconnects=1), timeout_s=1)
    assert held.errors.keys() == {"timeout"}


def test_an_answer_in_single_bytes_is_an_answer(against: Callable[..., Held]) -> None:
    held = against(drips, at_least(completed=3 * CONNECTIONS))
    assert held.errors == {}
    assert held.totals.connects == CONNECTIONS


def test_an_end_within_an_answer_is_an_error_of_reading(against: Callable[..., Held]) -> None:
    held = against(ends_within_the_head, at_least(errors_read=CONNECTIONS, reconnects=1))
    assert held.errors.keys() == {"read"}
    assert held.totals.completed == 0


def test_a_half_closed_connection_has_answered_and_is_opened_anew(against: Callable[..., Held]) -> None:
    held = against(closes_half, at_least(completed=3 * CONNECTIONS, reconnects=CONNECTIONS))
    assert held.errors == {}


def test_nonsense_is_garbage(against: Callable[..., Held]) -> None:
    held = against(babbles, at_least(errors_garbage=CONNECTIONS, reconnects=1))
    assert held.errors.keys() == {"garbage"}


def test_an_answer_to_nothing_is_garbage(against: Callable[..., Held]) -> None:
    held = against(talks_unasked, at_least(errors_garbage=CONNECTIONS, reconnects=1), think_min_s=60, think_max_s=60)
    assert held.errors.keys() == {"garbage"}
    assert held.totals.sent == 0


def test_connection_close_is_no_error(against: Callable[..., Held]) -> None:
    held = against(announces_its_end, at_least(completed=3 * CONNECTIONS, reconnects=CONNECTIONS))
    assert held.errors == {}


def test_idle_connections_that_the_server_closes_are_counted_as_reconnects(against: Callable[..., Held]) -> None:
    held = against(closes_idle_ones, at_least(reconnects=2 * CONNECTIONS), think_min_s=60, think_max_s=60)
    assert held.errors == {}
    assert held.totals.sent == 0
    assert held.totals.connects == held.totals.reconnects + CONNECTIONS


def test_answers_of_failure_are_counted_and_completed(against: Callable[..., Held]) -> None:
    held = against(fails, at_least(completed=2 * CONNECTIONS))
    assert held.errors == {"status": held.totals.completed}


def test_a_body_of_unknown_length_ends_with_its_connection(against: Callable[..., Held]) -> None:
    held = against(sends_a_body_until_the_end, at_least(completed=CONNECTIONS, reconnects=1), method="GET")
    assert held.errors == {}
    assert held.totals.bytes_read >= CONNECTIONS * 100_000


def test_refused_connections_are_said_with_their_reason(agent_folder: Path, run_as: RunAs | None) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # and does not listen
        target, notes = Target("127.0.0.1", unused.getsockname()[1:2]), Notes()
        until = at_least(errors_connect=CONNECTIONS)
        totals, _ = hold(idle_stream(CONNECTIONS), target, until, folder=agent_folder, run_as=run_as, notes=notes)
    assert (totals.connects, totals.sent) == (0, 0)
    ((severity, code, message),) = notes
    assert (severity, code) == ("error", "connections-failed")
    assert message.endswith("Connection refused")


def test_what_cannot_be_held_is_refused_before_the_start(agent_folder: Path, run_as: RunAs | None) -> None:
    target = Target("::1", (8000,))
    with pytest.raises(GeneratorError, match="local ports from 1 address allow") as refused:
        hold(idle_stream(1_000_000), target, at_least(), folder=agent_folder, run_as=run_as)
    assert refused.value.code == "too-many-connections"
