"""A thousand hosts with an agent each, a hundred of which measure: who is heard in time, and what it costs."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from ngxlab.accounts.secrets import HOST_PREFIX, new_token, token_hash
from ngxlab_contracts.broker import broker_password, password_hash
from ngxlab_contracts.hosts import HostCaps, Inventory, Nic
from ngxlab_worker.agent.heartbeat import REST_INTERVAL_S, TRIAL_INTERVAL_S
from ngxlab_worker.agent.this_host import describe_this_host

from scripts.bench.copies import Connection, copy_rows
from scripts.bench.cpu import product_s
from scripts.bench.lab import Lab, own_process
from scripts.bench.pretend import LAYOUTS, WIDTH, Credentials, Load, enrol, play_hosts
from scripts.bench.report import Found, NotMeasuredError, percentile

SETTLE_S = 15
"""The first heartbeats are not the usual ones, and Redis learns its users within ten seconds."""
BEGIN_PATIENCE_S = 60
END_PATIENCE_S = 90

_COPIES = "SELECT host AS original, changes FROM host, jsonb_array_elements($2) AS changes WHERE id = $1"
_OFFLINE = "SELECT count(*) FROM host WHERE name LIKE 'fleet-%' AND heartbeat_at < now() - interval '8 s'"
_STATES = "SELECT trial.state, count(*) FROM trial WHERE run_id = ANY($1) GROUP BY 1"
_ENDED = "SELECT state, count(*) FROM run WHERE id = ANY($1) GROUP BY 1"


@dataclass
class _Window:
    load: Load
    cores: dict[str, float]
    offline: list[int] = field(default_factory=list)


async def thousand_hosts(lab: Lab, hosts: int, runs: int, window_s: int) -> dict[str, Found]:
    """Heartbeats, false alarms, late batches, CPU."""
    async with lab.database() as connection:
        known = await _enrol_all(lab, connection, hosts)
        place, broker = (lab.settings.bind, lab.settings.port), ("127.0.0.1", lab.settings.redis_port)
        with own_process(play_hosts, Load(), place, broker, known) as ask:
            await asyncio.sleep(SETTLE_S)
            resting = await _watch(lab, connection, ask, window_s)
            run_ids, began_s = await _start_runs(lab, connection, known, runs, window_s)
            loaded = await _watch(lab, connection, ask, window_s)
            ended = await _end_all(connection, run_ids)
            errors = ask().errors
    seen = loaded.load
    detail = {
        "all_measured_after_s": began_s, "runs_by_state_at_the_end": ended,
        "cores_at_rest": resting.cores, "cores_with_runs": loaded.cores,
        "beats": len(seen.beats_ms), "beats_p50_ms": percentile(seen.beats_ms, 50),
        "beats_max_ms": max(seen.beats_ms), "beats_failed": seen.beats_failed,
        "beats_at_rest_p95_ms": percentile(resting.load.beats_ms, 95),
        "batches": len(seen.batches_ms), "batches_p95_ms": percentile(seen.batches_ms, 95),
        "rest_interval_s": REST_INTERVAL_S, "trial_interval_s": TRIAL_INTERVAL_S, "values_a_s": LAYOUTS * WIDTH,
        "errors": errors[:5], "load_average": os.getloadavg()[0],
    }  # fmt: skip
    values = {
        "offline": max(loaded.offline),
        "heartbeat": percentile(seen.beats_ms, 95),
        "late": sum(took_ms > 1000 for took_ms in seen.batches_ms),
        "cpu": sum(cores for name, cores in loaded.cores.items() if name != "agent"),
        "undone": runs - ended.get("completed", 0),
    }
    return {f"hosts-{{hosts}}-{name}": Found(value, detail) for name, value in values.items()}


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
    await copy_rows(connection, "host", _COPIES, like, rows)
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
    for target, generator in zip(known[:runs], known[runs : 2 * runs], strict=True):
        hosts = {"target": str(target.host_id), "generator": str(generator.host_id)}
        run_ids.append(UUID(await lab.start_run(experiment, hosts=hosts)))
    while (states := dict(await connection.fetch(_STATES, run_ids))) != {"measuring": runs}:
        if time.monotonic() - began > BEGIN_PATIENCE_S:
            raise NotMeasuredError(f"after {BEGIN_PATIENCE_S} s the trials are {states}")
        await asyncio.sleep(0.5)
    return run_ids, time.monotonic() - began


async def _watch(lab: Lab, connection: Connection, ask: Callable[[], Load], seconds: int) -> _Window:
    before = await asyncio.to_thread(ask)
    used, began, offline = product_s(lab), time.monotonic(), []
    while (took_s := time.monotonic() - began) < seconds:
        offline.append(await connection.fetchval(_OFFLINE))
        await asyncio.sleep(1)
    cores = {name: (now - used[name]) / took_s for name, now in product_s(lab).items()}
    return _Window((await asyncio.to_thread(ask)).since(before), cores, offline)


async def _end_all(connection: Connection, run_ids: list[UUID]) -> dict[str, int]:
    """The states of the runs, once none goes on."""
    deadline = time.monotonic() + END_PATIENCE_S
    while True:
        states = dict(await connection.fetch(_ENDED, run_ids))
        if "running" not in states or time.monotonic() > deadline:
            return states
        await asyncio.sleep(1)
