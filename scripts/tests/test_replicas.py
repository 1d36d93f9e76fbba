"""Two backends behind the front, and two coordinators: one of each is killed while a run is measured.

The clocks of the backends' machines are a minute apart, for which a host would be offline, and a lease long over.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import pytest
import services
from harness import COORDINATOR_TOKEN, LAYOUT, Backend, frame
from jobs_service import jobs_service
from ngxlab.core.config import Settings
from ngxlab.runs.models import Coordinator
from services import wait_until
from serving import front, own_database
from sqlalchemy import func, select

from scripts.paths import BIN
from scripts.testbed.set_clocks import SetClock, built
from scripts.tests.lasting_clients import Insistent, Viewer, dispatched, wait_for_start

APART_S = 60


@dataclass
class Replicas:
    """``door``: the way in. Processes by the address that nginx knows, and coordinators in the order of their start."""

    door: Backend
    backends: dict[str, "subprocess.Popen[bytes]"]
    coordinators: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start_coordinator(self) -> None:
        known = self._coordinators_heard()
        environment = {
            **os.environ,
            "NGXLAB_BACKEND_URL": self.door.url,
            "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN,
            "REDIS_URL": self.door.settings.redis_url.get_secret_value(),
        }
        self.coordinators.append(subprocess.Popen([BIN / "ngxlab-worker", "coordinator"], env=environment))
        wait_until(lambda: self._coordinators_heard() > known, "the coordinator being heard")

    def _coordinators_heard(self) -> int:
        heard: int = self.door.operator(lambda session: session.scalar(select(func.count()).select_from(Coordinator)))
        return heard

    def end(self) -> None:
        for process in [*self.backends.values(), *self.coordinators]:
            process.kill()
            process.wait()


@pytest.fixture
def replicas() -> Iterator[Replicas]:
    with (
        services.postgresql() as postgresql_url,
        own_database(postgresql_url) as settings,
        jobs_service(settings),
        TemporaryDirectory(prefix="ngxlab-replicas-", dir="/tmp") as name,
    ):
        folder = Path(name)
        right, wrong = (SetClock.right(folder / f"{which}.clock") for which in ("right", "wrong"))
        library, ports = built(folder), {services.free_port(): right, services.free_port(): wrong}
        with wrong.stepped(APART_S):
            found = Replicas(
                Backend("", settings),
                {f"127.0.0.1:{port}": _serve(settings, port, library, clock) for port, clock in ports.items()},
            )
            try:
                for port in ports:
                    wait_until(partial(_is_ready, port), "readiness")
                with front(*found.backends) as door:
                    found.door.url = f"http://127.0.0.1:{door}"
                    yield found
                    found.door.close()
            finally:
                found.end()


def _serve(settings: Settings, port: int, library: Path, clock: SetClock) -> "subprocess.Popen[bytes]":
    environment = {
        **os.environ,
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "REDIS_URL": settings.redis_url.get_secret_value(),
        "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN,
        "NGXLAB_PORT": str(port),
        "NGXLAB_LOG_LEVEL": "WARNING",
        "LD_PRELOAD": str(library),
        "NGXLAB_TEST_CLOCK": str(clock.file),
        "NGXLAB_TRUSTED_PROXIES": "127.0.0.1",
    }
    return subprocess.Popen([BIN / "ngxlab-server", "serve"], env=environment)


def _is_ready(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    except httpx2.TransportError:
        return False


def test_a_run_outlives_a_backend_and_the_coordinator_that_drives_it(replicas: Replicas) -> None:
    person, agent = replicas.door.person(), replicas.door.agent()
    replicas.start_coordinator()
    run = person.run(agent)
    run_id: str = run["id"]
    with Insistent(agent).beating():
        first = dispatched(person.client, run_id, 0)
        replicas.start_coordinator()
        agent.prepare(first)
        wait_for_start(agent, first)
        viewer = Viewer(person.client, run_id)
        viewer.start()
        wait_until(lambda: bool(viewer.served_by), "the viewer watching")
        begun = {"layouts": [LAYOUT], "frames": [frame(0)], "events": [agent.phase("warmup")]}
        agent.send(first, 2, **begun).raise_for_status()
        wait_until(lambda: bool(viewer.points), "the first reading being seen")

        killed = viewer.served_by[0]
        for process in (replicas.backends[killed], replicas.coordinators[0]):
            process.kill()
            process.wait()
        trials = [first]
        agent.measure(first)  # repeats what was acknowledged, as an agent does that has not heard of it
        agent.end(first)
        for position in range(1, len(run["trials"])):
            trials.append(dispatched(person.client, run_id, position))
            agent.prepare(trials[-1])
            wait_for_start(agent, trials[-1])
            agent.measure(trials[-1])
            agent.end(trials[-1])
        viewer.join(60)
    assert viewer.run_state == "completed"
    assert killed not in viewer.served_by[1:]
    times = [-1.0, 0.0, 1.0, 2.0]
    assert viewer.points == [(trial, t) for trial in trials for t in times]
