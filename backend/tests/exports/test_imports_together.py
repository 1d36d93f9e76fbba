"""What an import leaves to others, and what a person may import."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from exports.archives import edited, files_of, take_in, with_other_ids
from exports.measured import Finished
from harness import Backend, Person
from ngxlab.accounts.models import Account, Role
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict
from ngxlab.exports.archive import importing, layout, staging
from ngxlab.metrics.models import LayoutRow, StagedRun
from retention.rounds import look_until
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("imports_here")]


@pytest.fixture(scope="module")
def archive(finished: Finished) -> bytes:
    return finished.export("run.zip")


@contextmanager
def _held(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The first import stays where it calls the function of this name, until the end. The event: it is there."""
    begun, ended, function = threading.Event(), threading.Event(), getattr(importing, name)

    async def held(*told: Any) -> Any:
        if not begun.is_set():
            begun.set()
            await asyncio.to_thread(ended.wait)
        return await function(*told)

    monkeypatch.setattr(importing, name, held)
    try:
        yield begun
    finally:
        ended.set()


_STAGES = {"its raw data are stored": "stage", "all is stored, and is not committed": "analyse"}


@pytest.mark.parametrize("stage", _STAGES)
def test_nobody_waits_for_an_import(
    archive: bytes, empty_lab: Backend, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """Not its person, nor who imports another run of the same host; nor do changes of accounts. Of one run, one import
    is taken."""
    one, another, administrator = empty_lab.person(), empty_lab.person(), empty_lab.person()
    slow = with_other_ids(archive)
    run = json.loads(files_of(slow)[layout.RUN])
    of_the_same_host = with_other_ids(slow, run["hosts"][0]["id"])
    as_another_experiment = edited(slow, layout.RUN, lambda _: run | {"experiment": run["experiment"] | _new_id()})
    with ThreadPoolExecutor(1) as pool:
        with _held(_STAGES[stage], monkeypatch) as begun:
            first = pool.submit(take_in, one, slow)
            assert begun.wait(90)
            for person, other in ((another, of_the_same_host), (one, with_other_ids(archive))):
                assert take_in(person, other).status_code == 201
            _acts(one, administrator)
            assert empty_lab.operator(_locked) == []
            second = take_in(another, as_another_experiment)
            assert (second.status_code, second.json()["code"]) == (409, "under-way")
            assert not first.done()
        assert first.result().status_code == 201, first.result().text


def _new_id() -> dict[str, str]:
    return {"id": str(uuid4())}


def _acts(one: Person, administrator: Person) -> None:
    one.sign_in()
    account = one.client.get("/auth/me").raise_for_status().json()["account"]["id"]
    for change in ({"role": "viewer"}, {"role": "administrator"}):
        administrator.client.patch(f"/accounts/{account}", json=change).raise_for_status()
    one.sign_in()
    one.client.get("/runs").raise_for_status()


async def _locked(session: AsyncSession) -> list[UUID]:
    """The accounts that somebody has locked, however weakly."""
    every = set((await session.scalars(select(Account.id))).all())
    free = select(Account.id).with_for_update(skip_locked=True)
    return sorted(every - set((await session.scalars(free)).all()))


def _refused(answer: httpx2.Response) -> str:
    assert (answer.status_code, answer.json()["code"]) == (409, "import-quota")
    return str(answer.json()["detail"])


def test_a_person_imports_so_many_bytes(archive: bytes, empty_lab: Backend) -> None:
    """As long as the runs are kept. Other people have their own."""
    person = empty_lab.person(Role.experimenter)
    run_id = take_in(person, with_other_ids(archive)).raise_for_status().json()["id"]
    statement = text("UPDATE run_import SET bytes = :bytes WHERE run_id = :id")
    values = {"bytes": staging.MOST_BYTES_OF_A_PERSON, "id": run_id}
    empty_lab.operator(lambda session: session.execute(statement, values))
    assert "Your imported runs take 16.0 GiB here" in _refused(take_in(person, with_other_ids(archive)))
    assert take_in(empty_lab.person(Role.experimenter), with_other_ids(archive)).status_code == 201
    person.client.delete(f"/runs/{run_id}").raise_for_status()
    assert take_in(person, with_other_ids(archive)).status_code == 201


def test_a_person_imports_so_many_runs_a_day(
    archive: bytes, empty_lab: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_A_DAY", 2)
    person = empty_lab.person(Role.experimenter)
    first, _ = (take_in(person, with_other_ids(archive)).raise_for_status().json()["id"] for _ in range(2))
    assert "You have imported 2 runs within a day" in _refused(take_in(person, with_other_ids(archive)))
    assert take_in(empty_lab.person(Role.experimenter), with_other_ids(archive)).status_code == 201
    statement = text("UPDATE run_import SET imported_at = imported_at - interval '1 day' WHERE run_id = :id")
    empty_lab.operator(lambda session: session.execute(statement, {"id": first}))
    assert take_in(person, with_other_ids(archive)).status_code == 201


@pytest.mark.parametrize("what", ["bytes", "runs"])
def test_what_is_on_its_way_counts(
    archive: bytes, empty_lab: Backend, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    person = empty_lab.person(Role.experimenter)
    account = UUID(person.client.get("/auth/me").raise_for_status().json()["account"]["id"])
    size = staging.MOST_BYTES_OF_A_PERSON if what == "bytes" else 1
    if what == "runs":
        monkeypatch.setattr(staging, "MOST_A_DAY", 1)

    until = utcnow() + timedelta(hours=1)

    async def on_its_way(session: AsyncSession) -> None:
        session.add(StagedRun(id=uuid4(), account_id=account, trials=[], hosts=[], bytes=size, until=until))

    empty_lab.operator(on_its_way)
    _refused(take_in(person, with_other_ids(archive)))


@pytest.mark.parametrize("what", ["bytes", "runs"])
def test_what_was_stored_of_a_refused_import_counts_for_a_day(
    archive: bytes, empty_lab: Backend, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Its rows are removed bit by bit: refused imports would fill the disk otherwise."""
    person, refused = empty_lab.person(Role.experimenter), with_other_ids(archive)
    account = UUID(person.client.get("/auth/me").raise_for_status().json()["account"]["id"])
    own = StagedRun.account_id == account

    async def refuse(*_: Any) -> None:
        raise Conflict("It is refused when all raw data are stored.", code="refused")

    with monkeypatch.context() as patched:
        patched.setattr(importing, "analyse", refuse)
        assert take_in(person, refused).json()["code"] == "refused"
    if what == "runs":
        monkeypatch.setattr(staging, "MOST_A_DAY", 1)
    else:
        size = empty_lab.operator(lambda session: session.scalar(select(StagedRun.bytes).where(own)))
        monkeypatch.setattr(staging, "MOST_BYTES_OF_A_PERSON", 2 * size - 1)
    look_until(empty_lab, lambda: not _layouts(empty_lab, refused), "the removal of its rows")
    _refused(take_in(person, refused))
    a_day_later = update(StagedRun).where(own).values(until=StagedRun.until - timedelta(days=1))
    empty_lab.operator(lambda session: session.execute(a_day_later))
    claims = select(func.count(StagedRun.id)).where(own)
    look_until(empty_lab, lambda: not empty_lab.operator(lambda session: session.scalar(claims)), "the end of its day")
    look_until(empty_lab, lambda: take_in(person, refused).status_code == 201, "the import")


def _layouts(backend: Backend, archive: bytes) -> int:
    trials = [UUID(json.loads(line)["id"]) for line in files_of(archive)[layout.TRIALS].splitlines()]
    query = select(func.count()).select_from(LayoutRow).where(LayoutRow.trial_id.in_(trials))
    found: int = backend.operator(lambda session: session.scalar(query))
    return found


@pytest.mark.parametrize("code", ["not-owner", "version-differs"])
def test_what_does_not_fit_its_experiment_is_refused_before_it_is_stored(
    archive: bytes, empty_lab: Backend, code: str
) -> None:
    one = empty_lab.person(Role.experimenter)
    first = with_other_ids(archive)
    take_in(one, first).raise_for_status()
    run = json.loads(files_of(first)[layout.RUN])
    experiment = run["experiment"]
    if code == "version-differs":
        person, experiment = one, experiment | {"definition": experiment["definition"] | {"question": "Another?"}}
    else:
        person = empty_lab.person(Role.experimenter)
    another = with_other_ids(first, experiment["id"])
    other = {"number": run["number"] + 1, "experiment": experiment}
    another = edited(another, layout.RUN, lambda told: told | other)
    assert take_in(person, another).json()["code"] == code
    assert _layouts(empty_lab, another) == 0
    take_in(person, with_other_ids(archive)).raise_for_status()
