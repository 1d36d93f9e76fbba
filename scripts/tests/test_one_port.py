"""Two processes of the backend on one port: one is killed while a run is measured, and replaced."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import psutil
import pytest
import services
from harness import _LAYOUT as LAYOUT
from harness import COORDINATOR_TOKEN, Backend, Person, frame
from ngxlab.core.config import Settings
from processes import coordinator
from services import wait_until
from serving import own_database

from scripts.paths import BIN
from scripts.tests.lasting_clients import Insistent, Viewer, dispatched, wait_for_start

COUNT = 2
_NOT_STARTED = 3
"""What uvicorn says where it cannot start."""


class Served:
    """``first``: the process that has started the others."""

    def __init__(self, door: Backend) -> None:
        settings = door.settings
        self.door = door
        self.port = settings.port
        environment = {
            **os.environ,
            "DATABASE_URL": settings.database_url.get_secret_value(),
            "REDIS_URL": settings.redis_url.get_secret_value(),
            "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN,
            "NGXLAB_PORT": str(self.port),
            "NGXLAB_BACKEND_PROCESSES": str(COUNT),
            "NGXLAB_LOG_LEVEL": "ERROR",
        }
        self.first = subprocess.Popen([BIN / "ngxlab-server", "serve"], env=environment)

    def listening(self) -> set[int]:
        """Processes that take connections."""
        return {pid for pid in self.all() if self._connections(pid, psutil.CONN_LISTEN)}

    def all(self) -> set[int]:
        return {child.pid for child in psutil.Process(self.first.pid).children()}

    def serving(self, client_port: int) -> int:
        """The process at the other end of a connection."""
        (pid,) = [pid for pid in self.all() if client_port in self._connections(pid, psutil.CONN_ESTABLISHED)]
        return pid

    def _connections(self, pid: int, state: str) -> set[int]:
        try:
            found = psutil.Process(pid).net_connections("tcp")
        except psutil.NoSuchProcess:
            return set()
        own = [one for one in found if one.status == state and one.laddr.port == self.port]
        return {one.raddr.port if one.raddr else self.port for one in own}

    def wait(self) -> None:
        wait_until(lambda: len(self.listening()) == COUNT, "all processes listening")

    def end(self) -> int:
        """The code of the first process."""
        self.first.send_signal(signal.SIGTERM)
        return self.first.wait(30)


@contextmanager
def _served(settings: Settings) -> Iterator[Served]:
    door = Backend(f"http://127.0.0.1:{settings.port}", settings)
    served = Served(door)
    try:
        served.wait()
        yield served
    finally:
        door.close()
        served.first.kill()
        served.first.wait()


@pytest.fixture
def served() -> Iterator[Served]:
    with (
        services.postgresql() as postgresql_url,
        own_database(postgresql_url) as settings,
        _served(settings) as found,
    ):
        yield found


def _viewers_of_both(served: Served, person: Person, run_id: str) -> dict[int, Viewer]:
    """By the process that serves each."""
    viewers: dict[int, Viewer] = {}

    def are_both() -> bool:
        viewer = Viewer(person.client, run_id)
        viewer.start()
        wait_until(lambda: bool(viewer.ports), "the viewer watching")
        viewers.setdefault(served.serving(viewer.ports[0]), viewer)
        return len(viewers) == COUNT

    wait_until(are_both, "viewers of both processes")
    return viewers


def test_a_run_outlives_one_of_them(served: Served) -> None:
    person, agent = served.door.person(), served.door.agent()
    run = person.run(agent)
    with coordinator(served.door), Insistent(agent).beating():
        trials = [dispatched(person.client, run["id"], 0)]
        agent.prepare(trials[0])
        wait_for_start(agent, trials[0])
        viewers = _viewers_of_both(served, person, run["id"])
        begun = {"layouts": [LAYOUT], "frames": [frame(0)], "events": [agent.phase("warmup")]}
        agent.send(trials[0], 2, **begun).raise_for_status()
        wait_until(lambda: all(viewer.points for viewer in viewers.values()), "both seeing the first reading")

        killed = min(viewers)
        os.kill(killed, signal.SIGKILL)
        agent.measure(trials[0])
        agent.end(trials[0])
        for position in range(1, len(run["trials"])):
            trials.append(dispatched(person.client, run["id"], position))
            agent.prepare(trials[-1])
            wait_for_start(agent, trials[-1])
            agent.measure(trials[-1])
            agent.end(trials[-1])
        for viewer in viewers.values():
            viewer.join(60)
    for viewer in viewers.values():
        assert viewer.run_state == "completed"
        assert viewer.points == [(trial, t) for trial in trials for t in (-1.0, 0.0, 1.0, 2.0)]
    served.wait()
    assert killed not in served.all()


def test_attempts_to_sign_in_count_together(served: Served) -> None:
    """A wrong password at one process is a wrong password at the other."""
    wrong = {"email": served.door.person().email, "password": "wrong password"}
    answers: dict[int, list[int]] = {}

    def is_refused_by_both() -> bool:
        with httpx.Client(base_url=served.door.url) as client:
            answer = client.get("/healthz")
            process = served.serving(answer.extensions["network_stream"].get_extra_info("client_addr")[1])
            said = client.post("/api/v1/auth/login", json=wrong).status_code
        answers.setdefault(process, []).append(said)
        return len(answers) == COUNT and all(each[-1] == 429 for each in answers.values())

    wait_until(is_refused_by_both, "both refusing further attempts")
    wrong_ones = [each.count(401) for each in answers.values()]
    assert sum(wrong_ones) <= 10, "as many as one process would have answered"


def test_all_end_together(served: Served) -> None:
    left = [psutil.Process(pid) for pid in served.all()]
    assert served.end() == 0
    assert not any(process.is_running() for process in left)


def test_none_outlives_the_first(served: Served) -> None:
    left = [psutil.Process(pid) for pid in served.all()]
    served.first.kill()
    served.first.wait()
    wait_until(lambda: not any(process.is_running() for process in left), "the end of the others")


def test_a_port_in_use_is_not_shared_with_strangers(served: Served) -> None:
    second = Served(served.door)
    assert second.first.wait(30) == _NOT_STARTED
    wait_until(partial(_answers, served.port), "the first ones going on")


def _answers(port: int) -> bool:
    return httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
