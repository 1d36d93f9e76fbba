"""/readyz says whether there is a coordinator that works."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from harness import Backend
from ngxlab.runs import coordinators
from ngxlab.runs.models import Coordinator
from sqlalchemy import delete, update
from sqlalchemy.ext.asyncio import AsyncSession


def pulse(backend: Backend, broker_age_s: float = 0.5) -> None:
    body = {"instance": str(uuid4()), "broker_age_s": broker_age_s}
    backend.coordinator().client.post("/coordinator/pulse", json=body).raise_for_status()


def readiness(backend: Backend) -> Any:
    return backend.client().get(f"{backend.url}/readyz").json()


@pytest.fixture(autouse=True)
def _nobody_has_called(backend: Backend) -> None:
    async def forget(session: AsyncSession) -> None:
        await session.execute(delete(Coordinator))

    backend.operator(forget)


def pass_time(backend: Backend, by: timedelta) -> None:
    async def work(session: AsyncSession) -> None:
        await session.execute(update(Coordinator).values(pulse_at=Coordinator.pulse_at - by))

    backend.operator(work)


def test_a_backend_without_a_coordinator_is_ready_and_says_so(backend: Backend) -> None:
    answer = readiness(backend)
    assert (answer["ready"], answer["coordinator"]) == (True, "none has called yet")
    assert "coordinator" not in answer["loops"]


def test_one_working_coordinator_is_enough(backend: Backend) -> None:
    pulse(backend)
    pass_time(backend, timedelta(hours=1))
    assert readiness(backend)["coordinator"].startswith("last called 36")
    pulse(backend, broker_age_s=100)
    assert readiness(backend)["coordinator"] == "has not reached Redis for 100 s"
    pulse(backend)
    answer = readiness(backend)
    assert answer["coordinator"] == "ok"
    assert answer["loops"]["coordinator"] < 15


def test_those_of_long_ago_are_forgotten(backend: Backend) -> None:
    pulse(backend)
    pass_time(backend, timedelta(days=2))
    pulse(backend)

    async def count(session: AsyncSession) -> int:
        return (await coordinators.liveliness(session)).state == "ok" and len(
            (await session.scalars(Coordinator.__table__.select())).all()
        )

    assert backend.operator(count) == 1


@pytest.mark.parametrize("broker_age_s", [-1, 1e30, "x", None])
def test_a_bad_pulse_is_refused(backend: Backend, broker_age_s: object) -> None:
    body = {"instance": str(uuid4()), "broker_age_s": broker_age_s}
    assert backend.coordinator().client.post("/coordinator/pulse", json=body).status_code == 422
