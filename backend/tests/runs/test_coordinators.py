"""/readyz says whether there is a coordinator that works."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from harness import Backend
from ngxlab.hosts.models import HostLease
from ngxlab.runs import coordinators
from ngxlab.runs.models import Coordinator, Run
from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession


def pulse(backend: Backend, held: Mapping[str, UUID] | None = None, broker_age_s: float = 0.5) -> list[str]:
    """``held``: the holders that the coordinator takes for those of the runs. Those that it has lost."""
    leases = [{"run_id": run_id, "holder": str(holder)} for run_id, holder in (held or {}).items()]
    body = {"instance": str(uuid4()), "broker_age_s": broker_age_s, "leases": leases}
    answer = backend.coordinator().client.post("/coordinator/pulse", json=body).raise_for_status()
    lost: list[str] = answer.json()["lost"]
    return lost


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


def expires_at(backend: Backend, run_id: str) -> tuple[datetime | None, datetime | None]:
    """The lease of a run, and that of its host."""

    async def read(session: AsyncSession) -> tuple[datetime | None, datetime | None]:
        host = await session.scalar(select(HostLease.expires_at).where(HostLease.run_id == UUID(run_id)))
        return await session.scalar(select(Run.lease_expires_at).where(Run.id == UUID(run_id))), host

    found: tuple[datetime | None, datetime | None] = backend.operator(read)
    return found


def begun(backend: Backend) -> tuple[str, UUID]:
    """A run that is driven, and who drives it."""
    coordinator, run_id = backend.coordinator(), backend.person().run(backend.agent())["id"]
    coordinator.begin(run_id)
    return run_id, coordinator.holder


def test_a_pulse_renews_all_leases_also_those_that_have_lapsed_meanwhile(backend: Backend) -> None:
    (one, its_holder), (other, others_holder) = begun(backend), begun(backend)

    async def lapse(session: AsyncSession) -> None:
        await session.execute(update(Run).where(Run.id == UUID(other)).values(lease_expires_at=func.now()))

    backend.operator(lapse)
    before = expires_at(backend, one), expires_at(backend, other)
    assert pulse(backend, {one: its_holder, other: others_holder}) == []
    for was, now in zip(before, (expires_at(backend, one), expires_at(backend, other)), strict=True):
        assert all(earlier and later and earlier < later for earlier, later in zip(was, now, strict=True))


def test_what_another_drives_and_what_is_over_is_lost_and_not_taken_again(backend: Backend) -> None:
    driven, holder = begun(backend)
    released, former = begun(backend)
    coordinator, person = backend.coordinator(), backend.person()
    coordinator.client.delete(f"/coordinator/runs/{released}/lease/{former}").raise_for_status()
    run = person.run(backend.agent())
    coordinator.lease(run["id"]).raise_for_status()
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert coordinator.next(run["id"])["kind"] == "finished"
    unknown = str(uuid4())
    before = expires_at(backend, driven)
    held = {driven: uuid4(), released: former, run["id"]: coordinator.holder, unknown: uuid4()}
    assert set(pulse(backend, held)) == held.keys()
    assert expires_at(backend, driven) == before
    assert expires_at(backend, released)[0] is None
    assert pulse(backend, {driven: holder}) == []


def test_a_run_that_is_locked_keeps_no_other_waiting(backend: Backend) -> None:
    (locked, its_holder), (other, others_holder) = begun(backend), begun(backend)
    before = expires_at(backend, locked)[0], expires_at(backend, other)[0]

    async def pulse_meanwhile(session: AsyncSession) -> list[str]:
        await session.execute(select(Run.id).where(Run.id == UUID(locked)).with_for_update())
        return await asyncio.to_thread(pulse, backend, {locked: its_holder, other: others_holder})

    assert backend.operator(pulse_meanwhile) == []
    now = expires_at(backend, locked)[0], expires_at(backend, other)[0]
    assert now[0] == before[0]
    assert None not in (before[1], now[1])
    assert before[1] != now[1]
