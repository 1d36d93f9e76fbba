"""A thousand hosts with an agent each, a hundred of which measure: who is heard in time, and what it costs."""

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from ngxlab.accounts.secrets import HOST_PREFIX, new_token, token_hash
from ngxlab_contracts.broker import broker_password, password_hash
from ngxlab_contracts.hosts import HostCaps, Inventory, Nic
from ngxlab_worker.agent.heartbeat import REST_INTERVAL_S, TRIAL_INTERVAL_S
from ngxlab_worker.agent.this_host import describe_this_host

from scripts.bench.lab import Connection, Lab
from scripts.bench.pretend_fleet import LAYOUTS, WIDTH, Credentials, Fleet, Load, fleet
from scripts.bench.pretend_host import enrol
from scripts.bench.product_cpu import cpu_s
from scripts.bench.results import Budget, Measurement, NotMeasuredError

HOSTS, RUNS = 1000, 50
QUICK_HOSTS, QUICK_RUNS = 200, 10
SETTLE_S = 15
"""The first heartbeats are not the usual ones, and Redis learns its users within ten seconds."""
WINDOW_S, QUICK_WINDOW_S = 30, 10
BEGIN_PATIENCE_S = 60
END_PATIENCE_S = 90

DEFINITION = (
    f"{HOSTS} hosts, all agents in one process on the same cores: each sends a heartbeat every {REST_INTERVAL_S:g} s, "
    f"or {TRIAL_INTERVAL_S:g} s in a trial, and waits in Redis for hints. {RUNS} runs at once on two hosts each; each "
    f"host posts {LAYOUTS * WIDTH} values a "
    f"second. Over {WINDOW_S} s in which all runs are measured: heartbeats until their answer; hosts that the product "
    "calls offline, looked at each second; batches whose acknowledgement took more than a second; CPU of each service "
    "as in product-cpu."
)

_COPY = """
    INSERT INTO host ({columns}) SELECT {columns} FROM (SELECT (jsonb_populate_record(host, new)).*
    FROM host, jsonb_array_elements($2) AS new WHERE id = $1) AS made
"""
_COLUMNS = """
    SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
    WHERE table_name = 'host' AND is_generated = 'NEVER'
"""
_OFFLINE = "SELECT count(*) FROM host WHERE name LIKE 'fleet-%' AND heartbeat_at < now() - interval '8 s'"
_STATES = "SELECT trial.state, count(*) FROM trial WHERE run_id = ANY($1) GROUP BY 1"
_ENDED = "SELECT state, count(*) FROM run WHERE id = ANY($1) GROUP BY 1"


@dataclass
class _Window:
    """What was seen while all runs were measured."""

    load: Load
    cores: dict[str, float]
    offline: list[int] = field(default_factory=list)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Heartbeats, false alarms, late batches, CPU."""
    hosts, runs, window_s = (QUICK_HOSTS, QUICK_RUNS, QUICK_WINDOW_S) if quick else (HOSTS, RUNS, WINDOW_S)
    async with lab.database() as connection:
        known = await _enrol_all(lab, connection, hosts)
        place, broker = (lab.settings.bind, lab.settings.port), ("127.0.0.1", lab.settings.redis_port)
        with fleet(place, broker, known) as agents:
            await asyncio.sleep(SETTLE_S)
            resting = await _watch(lab, connection, agents, window_s)
            run_ids, began_s = await _start_runs(lab, connection, known, runs, window_s)
            loaded = await _watch(lab, connection, agents, window_s)
            ended = await _end_all(connection, run_ids)
            rest = agents.load()
    errors = [*resting.load.errors, *loaded.load.errors, *rest.errors]
    detail = {
        "hosts": hosts, "runs": runs, "all_measured_after_s": began_s, "runs_by_state_at_the_end": ended,
        "cores_at_rest": resting.cores, "cores_with_runs": loaded.cores,
        "beats": len(loaded.load.beats_ms), "beats_p50_ms": _percentile(loaded.load.beats_ms, 50),
        "beats_max_ms": max(loaded.load.beats_ms), "beats_failed": loaded.load.beats_failed,
        "beats_at_rest_p95_ms": _percentile(resting.load.beats_ms, 95),
        "batches": len(loaded.load.batches_ms), "batches_p95_ms": _percentile(loaded.load.batches_ms, 95),
        "errors": errors[:5], "load_average": os.getloadavg()[0],
    }  # fmt: skip
    return _measurements(hosts, runs, loaded, detail)


def _measurements(hosts: int, runs: int, seen: _Window, detail: dict[str, Any]) -> list[Measurement]:
    total = sum(cores for name, cores in seen.cores.items() if name != "agent")
    undone = runs - detail["runs_by_state_at_the_end"].get("completed", 0)
    rows = [
        ("offline", "called offline", max(seen.offline), "", 0),
        ("heartbeat", "heartbeat to its answer, p95", _percentile(seen.load.beats_ms, 95), "ms", 500),
        ("late", "batches acknowledged after more than 1 s", seen.load.batches_late, "", 0),
        ("cpu", f"CPU of the server with {runs} runs", total, "cores", 1.5),
        ("undone", f"of {runs} runs not completed", undone, "", 0),
    ]
    return [
        Measurement(f"hosts-{hosts}-{name}", f"{hosts} hosts: {what}", value, unit, Budget("at most", limit),
                    DEFINITION, detail)
        for name, what, value, unit, limit in rows
    ]  # fmt: skip


async def _enrol_all(lab: Lab, connection: Connection, count: int) -> list[Credentials]:
    """One joins as hosts do; the others are copies of its row with credentials and addresses of their own."""
    like, _ = enrol(lab)
    found = describe_this_host(lab.settings.passed_on.get("NGXLAB_RUN_AS"))
    made = [Credentials(uuid4(), new_token(HOST_PREFIX)) for _ in range(count)]
    rows: list[dict[str, Any]] = [
        {
            "id": str(host.host_id),
            "name": f"fleet-{number:04}",
            "credential_hash": token_hash(host.credential),
            "broker_password_hash": password_hash(broker_password(host.credential)),
            "inventory": _inventory(found, number).model_dump(mode="json"),
            "agent_instance": None, "heartbeat_at": None, "sightings": [], "conflict": None,
        }
        for number, host in enumerate(made)
    ]  # fmt: skip
    columns = await connection.fetchval(_COLUMNS)
    await connection.execute(_COPY.format(columns=columns), like, rows)
    return made


def _inventory(found: Inventory, number: int) -> Inventory:
    """This machine's, in a network that all of the fleet share."""
    nic = Nic(name="eth0", addresses=[f"10.99.{number // 250}.{number % 250 + 1}"], speed_mbps=None, mtu=1500)
    return found.model_copy(update={"nics": [nic], "caps": HostCaps(allow_targets=["10.99.0.0/16"])})


async def _start_runs(
    lab: Lab, connection: Connection, known: Sequence[Credentials], runs: int, window_s: int
) -> tuple[list[UUID], float]:
    """Runs on two hosts each; returns when all are measured, with how long that took."""
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=window_s + BEGIN_PATIENCE_S / 2)
    began = time.monotonic()
    run_ids = []
    for target, generator in _pairs(known, runs):
        hosts = {"target": str(target.host_id), "generator": str(generator.host_id)}
        run_ids.append(UUID((await lab.post(f"/experiments/{experiment['id']}/runs", {"hosts": hosts}))["id"]))
    while (states := dict(await connection.fetch(_STATES, run_ids))) != {"measuring": runs}:
        if time.monotonic() - began > BEGIN_PATIENCE_S:
            raise NotMeasuredError(f"after {BEGIN_PATIENCE_S} s the trials are {states}")
        await asyncio.sleep(0.5)
    return run_ids, time.monotonic() - began


def _pairs(known: Sequence[Credentials], count: int) -> Iterator[tuple[Credentials, Credentials]]:
    return zip(known[:count], known[count : 2 * count], strict=True)


async def _watch(lab: Lab, connection: Connection, agents: Fleet, seconds: int) -> _Window:
    await asyncio.to_thread(agents.load)  # what was before is not counted
    used, began, offline = cpu_s(lab), time.monotonic(), []
    while (took_s := time.monotonic() - began) < seconds:
        offline.append(await connection.fetchval(_OFFLINE))
        await asyncio.sleep(1)
    cores = {name: (now - used[name]) / took_s for name, now in cpu_s(lab).items()}
    return _Window(await asyncio.to_thread(agents.load), cores, offline)


async def _end_all(connection: Connection, run_ids: list[UUID]) -> dict[str, int]:
    """The states of the runs, once none goes on."""
    deadline = time.monotonic() + END_PATIENCE_S
    while True:
        states = dict(await connection.fetch(_ENDED, run_ids))
        if "running" not in states or time.monotonic() > deadline:
            return states
        await asyncio.sleep(1)


def _percentile(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else float("nan")
