"""The memory that idle connections take in the process that holds them, and how fast they open."""

import asyncio
from dataclasses import asdict

from scripts.bench.held_connections import Held, hold_connections
from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement

CONNECTIONS = 50_000
QUICK_CONNECTIONS = 10_000
AS_FAST_AS_THEY_OPEN = 100_000
DEFINITION = (
    "Connections to an nginx on this machine, configured by the template 100,000 idle connections, opened as fast as "
    "possible by the product's engine and held for 5 s. Own memory: the proportional set size of all its processes "
    "(smaps_rollup), the kernel's part of the sockets not included, divided by connections. Rate: connections over the "
    "time until the last was open; generator and nginx share the cores."
)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Bytes per connection, and connections per second."""
    connections = QUICK_CONNECTIONS if quick else CONNECTIONS
    held = await asyncio.to_thread(hold_connections, connections, AS_FAST_AS_THEY_OPEN, think_max_s=60, hold_s=5)
    return [_memory(held, connections), _rate(held, connections)]


def _memory(held: Held, connections: int) -> Measurement:
    own = held.totals.own_memory_bytes
    assert own is not None
    return Measurement(
        name="idle-hold-memory",
        what=f"the holder's own memory per connection, {connections:,} held",
        value=own / connections,
        unit="bytes",
        budget=Budget("at most", 300),
        definition=DEFINITION,
        detail=asdict(held) | {"totals": held.totals.model_dump()},
    )


def _rate(held: Held, connections: int) -> Measurement:
    return Measurement(
        name="idle-hold-connects",
        what=f"idle connections opened per second, {connections:,} in total",
        value=connections / held.connected_s,
        unit="connections/s",
        budget=Budget("at least", 10_000),
        definition=DEFINITION,
        detail={"connected_s": held.connected_s, "processes": held.totals.processes},
    )
