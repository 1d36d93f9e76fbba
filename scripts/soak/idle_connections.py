"""``make soak``: hold a million idle connections once, with the product's engine and template.

Obstacles are named first. As root, the connection-tracking table is enlarged meanwhile and restored afterwards;
nothing else of the host is changed.
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ngxlab_worker.engines import Target
from ngxlab_worker.engines.idle_hold.obstacles import CONNTRACK_SHARE, Room, descriptor_limit, obstacles
from ngxlab_worker.engines.idle_hold.sources import sources_for

from scripts.bench.engines import Held, hold_connections
from scripts.bench.report import NotMeasuredError

CONNTRACK = Path("/proc/sys/net/netfilter")
OTHERS = 100_000
"""Entries that the host may need for other connections."""
MAX_BYTES_EACH = 300
DRAIN_S = 180


def main() -> int:
    """0: all were held, or an obstacle that only the administrator can remove was named. 1: something went wrong."""
    options = _options()
    connections = options.connections
    with _room_in_conntrack(connections):
        found = obstacles(connections, sources_for(Target("127.0.0.1", (1,)), connections), _room())
        if found:
            print(f"Idle connections: not held, since {'; '.join(found)}.")
            return 0
        print(f"Holding {connections:,} idle connections …", flush=True)
        try:
            held = hold_connections(connections, options.rate, think_max_s=600, hold_s=options.hold)
        except NotMeasuredError as error:
            print(f"  WRONG: {error}")
            return 1
    _show(held, connections)
    complaints = list(_complaints(held, connections))
    for complaint in complaints:
        print(f"  WRONG: {complaint}")
    return 1 if complaints else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--connections", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=30_000, help="connections opened per second")
    parser.add_argument("--hold", type=float, default=20, help="seconds to hold them once all are open")
    return parser.parse_args()


def _room() -> Room:
    return Room.of_this_host(descriptor_limit())


@contextmanager
def _room_in_conntrack(connections: int) -> Iterator[None]:
    room, limit = _room(), CONNTRACK / "nf_conntrack_max"
    need = math.ceil(((room.conntrack_count or 0) + connections + OTHERS) / CONNTRACK_SHARE)
    if not room.conntrack_max or need <= room.conntrack_max or os.geteuid() != 0:
        yield
        return
    limit.write_text(str(need))
    print(f"net.netfilter.nf_conntrack_max: {room.conntrack_max} -> {need} for the duration of this test")
    try:
        yield
    finally:
        _drain(room.conntrack_max // 2)
        limit.write_text(str(room.conntrack_max))
        print(f"net.netfilter.nf_conntrack_max: {need} -> {room.conntrack_max}")


def _drain(entries: int) -> None:
    """Wait until the table has no more entries than this: a limit below them would refuse all new connections."""
    deadline = time.monotonic() + DRAIN_S
    while (_room().conntrack_count or 0) > entries and time.monotonic() < deadline:
        time.sleep(1)


def _show(held: Held, connections: int) -> None:
    own = held.totals.own_memory_bytes or 0
    for what, value in (
        ("all open after", f"{held.connected_s:.1f} s ({connections / held.connected_s:,.0f} per second)"),
        ("nginx says", f"{held.status.active:,} active, {held.status.waiting:,} of them waiting"),
        ("requests meanwhile", f"{held.totals.completed:,}"),
        ("processes that hold them", f"{held.totals.processes}"),
        ("their own memory", f"{own / connections:.1f} bytes per connection"),
        ("nginx's workers grew by", f"{held.worker_rss_growth / connections:,.0f} bytes per connection"),
        ("kernel objects (Slab) grew by", f"{held.slab_growth / connections:,.0f} bytes per connection, both ends"),
        ("total memory", f"{held.available_drop / 2**30:.2f} GiB"),
    ):
        print(f"  {what:<30}{value}")


def _complaints(held: Held, connections: int) -> Iterator[str]:
    totals = held.totals
    if held.status.active <= connections:  # one of them is that of the status request
        yield f"nginx holds {held.status.active - 1:,} of {connections:,}"
    errors = {name: n for name, n in totals.model_dump().items() if name.startswith("errors_") and n}
    if errors or totals.reconnects:
        yield f"{totals.reconnects:,} reconnects, errors {errors}; {'; '.join(held.notes)}"
    if (totals.own_memory_bytes or 0) > MAX_BYTES_EACH * connections:
        yield f"the holder used more than {MAX_BYTES_EACH} bytes per connection"
    for finding in held.findings:
        yield f"nginx logged {finding.count} times: {finding.example}"


if __name__ == "__main__":
    sys.exit(main())
