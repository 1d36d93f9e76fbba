"""A run that has been over for a while is packed: it takes less, and says the same to whoever asks."""

import io
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import pytest
from exports.measured import Finished
from harness import Backend
from ngxlab.metrics import kept_series
from ngxlab.metrics.models import DerivedSeriesRow
from ngxlab.retention.upkeep import pack_next
from retention.rounds import look_until
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

_AN_HOUR_AGO = text("UPDATE run SET finished_at = now() - interval '1 hour' WHERE id = :id")
_PACKED_AT = text("SELECT packed_at FROM run WHERE id = :id")
_ROWS = text("""
    SELECT (SELECT count(*) FROM frame WHERE trial_id = ANY(:trials))
        + (SELECT count(*) FROM latency_interval WHERE trial_id = ANY(:trials)),
        (SELECT count(*) FROM frame_block WHERE trial_id = ANY(:trials)),
        (SELECT count(*) FROM interval_block WHERE trial_id = ANY(:trials)),
        (SELECT count(*) FROM derived_series WHERE trial_id = ANY(:trials))
""")
_LONGER = text("""
    INSERT INTO frame (trial_id, host_id, layout, t_us, took_us, live_seq, values)
    SELECT trial_id, host_id, layout, t_us + n * 1000000::bigint, took_us, live_seq,
        ARRAY[values[1] + n % 7, values[2], values[3], values[4], values[5] + n, values[6] + n,
            values[7] + n * 500 + n * n, values[8] + n]
    FROM (SELECT * FROM frame WHERE trial_id = :trial ORDER BY t_us DESC LIMIT 1) AS last, generate_series(1, 3000) AS n
""")


@pytest.fixture
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_series, "LONG", 1)


def _trials(finished: Finished) -> list[str]:
    return [trial["id"] for trial in finished.get().json()["trials"]]


def _pack(finished: Finished) -> None:
    """In one transaction: the backend's own process would take the run as soon as it saw that it is old enough, and for
    it no trial of a test is long."""

    async def pack(session: AsyncSession) -> None:
        await session.execute(_AN_HOUR_AGO, {"id": finished.id})
        while await session.scalar(_PACKED_AT, {"id": finished.id}) is None:
            assert await pack_next(session)

    finished.backend.operator(pack)


def _stored(finished: Finished) -> tuple[int, ...]:
    """Rows, blocks of readings, blocks of histograms, and kept charts."""

    async def count(session: AsyncSession) -> tuple[int, ...]:
        trials = [UUID(trial) for trial in _trials(finished)]
        return tuple((await session.execute(_ROWS, {"trials": trials})).one())

    found: tuple[int, ...] = finished.backend.operator(count)
    return found


def _said(finished: Finished) -> dict[str, Any]:
    """All that is made of raw data; the report is made anew by another window, and by the same one again."""
    client = finished.person.client
    client.put(f"/runs/{finished.id}/window", json={"start_s": 0.5, "end_s": 1.5, "reason": "a"}).raise_for_status()
    other = finished.get("/report").json()["analysis"]
    client.delete(f"/runs/{finished.id}/window").raise_for_status()
    said = {"other window": other, "report": finished.get("/report").json()["analysis"]}
    for trial in _trials(finished):
        for path in ("series", "latency-maps"):
            said[f"{trial} {path}"] = _of_trial(finished, f"{trial}/{path}")
        for keys in ([], ["latency_ms"], ["requests_per_s", "requests_per_s_nginx"]):
            asked: dict[str, Any] = {"from": 0.5, "to": 1.9, "keys": keys}
            part = _of_trial(finished, f"{trial}/series", **asked)
            found = {one["key"] for one in part["series"]}
            assert found == set(keys) if keys else found > {"latency_ms", "requests_per_s"}
            said[f"{trial} part {keys}"] = part
    for name in ("histograms.hlog", "data.csv"):
        said[name] = finished.export(name)
    with ZipFile(io.BytesIO(finished.export("run.zip"))) as archive:
        of_rows = [name for name in archive.namelist() if "frames" in name or "intervals" in name]
        assert len(of_rows) == 2
        said |= {name: archive.read(name) for name in of_rows}
    return said


def _of_trial(finished: Finished, path: str, **asked: Any) -> dict[str, Any]:
    """Without the run's position, which another window moves on."""
    answer: dict[str, Any] = finished.person.client.get(f"/trials/{path}", params=asked).raise_for_status().json()
    return {name: value for name, value in answer.items() if name != "live_seq"}


@pytest.mark.parametrize("kept", [False, True])
def test_a_packed_run_says_the_same(backend: Backend, kept: bool, request: pytest.FixtureRequest) -> None:
    if kept:
        request.getfixturevalue("everything_is_long")
    finished = Finished(backend)
    before, rows = _said(finished), _stored(finished)
    assert rows[0] > 0
    assert rows[1:] == (0, 0, 0)
    _pack(finished)
    left, frames, intervals, charts = _stored(finished)
    assert (left, frames, intervals, charts > 0) == (0, len(_trials(finished)), len(_trials(finished)), kept)
    assert _said(finished) == before
    look_until(backend, lambda: finished.get().json()["raw_bytes"] is not None, "measuring it again")
    finished.person.client.delete(f"/runs/{finished.id}").raise_for_status()


def test_charts_that_other_code_has_made_are_made_again(backend: Backend, everything_is_long: None) -> None:
    finished = Finished(backend)
    [trial, *_] = _trials(finished)
    before = _of_trial(finished, f"{trial}/series")
    _pack(finished)
    row = DerivedSeriesRow

    async def spoil(session: AsyncSession) -> None:
        spoilt = update(row).where(row.trial_id == UUID(trial)).values(derived_by="older", content=b"x")
        await session.execute(spoilt)

    async def made_by(session: AsyncSession) -> set[str]:
        return set((await session.scalars(select(row.derived_by).where(row.trial_id == UUID(trial)))).all())

    backend.operator(spoil)
    assert _of_trial(finished, f"{trial}/series") == before
    look_until(backend, lambda: backend.operator(made_by) == {kept_series.DERIVED_BY}, "making them again")
    assert _of_trial(finished, f"{trial}/series") == before


def _lines(finished: Finished, trial: str, **asked: Any) -> dict[tuple[str, str], list[Any]]:
    answer = finished.person.client.get(f"/trials/{trial}/series", params=asked).raise_for_status().json()
    return {(one["key"], one["label"]): one["points"] for one in answer["series"]}


@pytest.mark.parametrize("packed", [False, True])
def test_a_part_of_a_long_trial_comes_in_all_its_detail(backend: Backend, packed: bool) -> None:
    finished = Finished(backend)
    [trial, *_] = _trials(finished)
    backend.operator(lambda session: session.execute(_LONGER, {"trial": UUID(trial)}))
    if packed:
        _pack(finished)
    whole = _lines(finished, trial, points=100)["requests_per_s_nginx", "nginx"]
    assert 80 <= len(whole) <= 102
    assert whole[-1][0] > 2900
    part = _lines(finished, trial, points=100, **{"from": 1000, "to": 1050})
    seconds = [t_s for t_s, _ in part["requests_per_s_nginx", "nginx"]]
    assert seconds == [float(second) for second in range(1000, 1051)]
    # n * 500 + n * n requests, less the one of each poll: the rate of one second is exact.
    steps = [round(after - before) for (_, before), (_, after) in zip(
        part["requests_per_s_nginx", "nginx"], part["requests_per_s_nginx", "nginx"][1:], strict=False)]  # fmt: skip
    assert set(steps) == {2}
    assert len(_lines(finished, trial, points=100, **{"from": 2990})["nginx_connections", "waiting"]) < 30


def test_a_part_without_length_is_refused(backend: Backend) -> None:
    finished = Finished(backend)
    [trial, *_] = _trials(finished)
    asked = {"from": 5, "to": 5}
    answer = finished.person.client.get(f"/trials/{trial}/series", params=asked)
    assert (answer.status_code, "no length" in answer.json()["detail"]) == (422, True)
