"""A viewer that reads a run's server-sent events as a browser does, with the time at which each arrived."""

import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2

from scripts.bench.lab import Lab
from scripts.bench.results import NotMeasuredError

SILENCE_S = 30
"""The backend sends a sign of life every 10 s."""


class LiveEvent(NamedTuple):
    """``arrived_us``: this machine's clock, microseconds since the epoch. ``seq``: the event's stream position."""

    arrived_us: int
    seq: int
    name: str
    data: str


@asynccontextmanager
async def browser(lab: Lab) -> AsyncIterator[httpx2.AsyncClient]:
    """Connections for any number of viewers."""
    headers = {"Authorization": f"Bearer {lab.token}"}
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=lab.api_url, headers=headers, timeout=SILENCE_S, limits=limits) as client:
        yield client


async def live_events(client: httpx2.AsyncClient, run_id: str) -> AsyncIterator[LiveEvent]:
    """The run's events for as long as the backend sends them."""
    async with client.stream("GET", f"/runs/{run_id}/live") as response:
        response.raise_for_status()
        fields: dict[str, str] = {}
        arrived_us = 0
        async for line in response.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                arrived_us = time.time_ns() // 1000
            elif "data" in fields:
                yield LiveEvent(arrived_us, int(fields.get("id", 0)), fields["event"], fields["data"])
                fields = {}


def ignore(_: LiveEvent) -> None:
    """For a viewer that only watches."""


async def follow(lab: Lab, run_id: str, note: Callable[[LiveEvent], None] = ignore) -> dict[str, Any]:
    """Watch a run until it is completed and analysed; the run as in the last event.

    Raises :class:`NotMeasuredError` where it ends otherwise.
    """
    async with browser(lab) as client:
        async for event in live_events(client, run_id):
            note(event)
            if event.name not in {"snapshot", "run"}:
                continue
            run: dict[str, Any] = json.loads(event.data)
            if run["state"] in {"failed", "cancelled"}:
                raise NotMeasuredError(f"a run ended as {run['state']}: {run['state_reason']}")
            # There is a headline once the analysis is done: then the backend is idle again.
            if run["state"] == "completed" and run["headline"] is not None:
                return run
    raise NotMeasuredError("the live stream ended before the run")
