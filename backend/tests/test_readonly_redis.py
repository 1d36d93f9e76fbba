"""A Redis that takes no writes, as one that lost its replicas or its disk: what needs none goes on, and it is named."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from harness import Backend
from redis import Redis
from services import wait_until


@contextmanager
def read_only(backend: Backend) -> Iterator[None]:
    """Redis then answers NOREPLICAS to each write."""
    with Redis.from_url(backend.settings.redis_url.get_secret_value()) as redis:
        redis.config_set("min-replicas-to-write", 1)
        try:
            yield
        finally:
            redis.config_set("min-replicas-to-write", 0)


def _ready(backend: Backend) -> httpx2.Response:
    return httpx2.get(f"{backend.url}/readyz", timeout=20)


def test_what_needs_no_write_goes_on(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    with read_only(backend):
        person.sign_in()
        assert agent.beat().status_code == 200
        run = person.run(agent, blocks=1)
        trial_id = coordinator.begin(run["id"])
        agent.whole_trial(coordinator, trial_id)
        assert person.client.get(f"/runs/{run['id']}").json()["trials"][0]["state"] == "completed"
        second = backend.agent()
        assert second.beat().status_code == 200
        assert (
            _ready(backend).json()["parts"]["redis"] == "takes no writes: NOREPLICAS Not enough good replicas to write."
        )
    wait_until(lambda: _ready(backend).status_code == 200, "readiness")
