"""Four hosts on one machine, an agent on each, and a backend and a Redis that all of them can reach."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest
from ngxlab_contracts.broker import TASK_RUN_TRIAL, host_queue
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.credential import Credential
from ngxlab_worker.tasks import make_app
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import processes_in
from tests.support.records import TrialRecord
from tests.support.redis import Redis

from scripts.testbed.netns import Fleet, why_unavailable

WRONG_CLOCK, AHEAD_MS = "gen-b", 300
_AGENT = ("-m", "ngxlab_worker.cli", "agent")
_SHIFT = f"""\
import sys, time
read = time.time_ns
time.time_ns = lambda: read() + {AHEAD_MS} * 1_000_000
from ngxlab_worker.cli import main
sys.argv = ["ngxlab", "agent"]
main()
"""
_AGENT_WITH_A_WRONG_CLOCK = ("-c", _SHIFT)


@dataclass(frozen=True)
class Lab:
    """``folder`` holds each host's agent folder, by the host's name."""

    fleet: Fleet
    backend: FakeBackend
    redis: Redis
    folder: Path

    def host_id(self, host: str) -> UUID:
        return UUID(int=self.fleet.hosts.index(host) + 1)

    def start_agents(self, user: str | None) -> None:
        """An agent process in each namespace; returns when all have exchanged times with the backend. The clock of one
        host is wrong, as its agent reads it."""
        for host in self.fleet.hosts:
            agent = self.folder / host
            agent.mkdir()
            self.redis.admit_host(self.host_id(host), host)
            Credential(
                host_id=self.host_id(host),
                credential=host,
                backend_url=self.backend.url,
                broker_url=self.redis.url,
            ).save(agent)
            environment = {**os.environ, "NGXLAB_AGENT_DIR": str(agent), "NGXLAB_RUN_AS": user or ""}
            program = _AGENT_WITH_A_WRONG_CLOCK if host == WRONG_CLOCK else _AGENT
            self.fleet.start(host, [sys.executable, *program], environment)
        # The first beat is answered before the second is sent: then the clock's offset is known.
        self.backend.wait_for(
            lambda: (
                len({beat.agent_instance for beat in self.backend.heartbeats if beat.inventory is None})
                == len(self.fleet.hosts)
            ),
            timeout_s=60,
        )

    def run(self, specs: dict[str, TrialSpec], *, auto_start: bool = True) -> dict[str, TrialRecord]:
        """Give every host what it has to do in one trial."""
        records = self.backend.add_fleet(specs)
        for record in records.values():
            record.auto_start = auto_start
        with make_app(self.redis.url) as app:
            for host, spec in specs.items():
                app.send_task(TASK_RUN_TRIAL, args=[str(spec.trial_id)], queue=host_queue(self.host_id(host)))
        return records

    def nothing_left(self, host: str) -> bool:
        """Neither processes nor folders of trials."""
        trials = self.folder / host / "trials"
        return processes_in(trials) == [] and list(trials.glob("*")) == []

    def nothing_spooled(self, host: str) -> bool:
        return list((self.folder / host / "spool").glob("*")) == []


@pytest.fixture(scope="module")
def lab(user: str | None) -> Iterator[Lab]:
    reason = why_unavailable()
    if reason is not None:
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-fleet-"))
    folder.chmod(0o755)
    try:
        with Fleet() as fleet:
            backend, redis = FakeBackend(fleet.gateway), Redis(fleet.gateway)
            try:
                lab = Lab(fleet, backend, redis, folder)
                lab.start_agents(user)
                yield lab
            finally:
                backend.stop()
                redis.close()
    finally:
        shutil.rmtree(folder)
