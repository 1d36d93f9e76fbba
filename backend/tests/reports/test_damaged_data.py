"""Data that was stored damaged costs itself and nothing else: reports, charts and the live stream name it."""

import json
from typing import Any
from uuid import UUID

import pytest
from harness import T0_US, Agent, Backend, Person, english
from services import wait_until
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_NAN = "'{NaN,1,1,1,1,1,1,1}'"
_ONES = "'{1,1,1,1,1,1,1,1}'"
_BEYOND = 2**63 - 1
_YEAR_2100 = 4_102_444_800_000_000
_BROKEN_HISTOGRAM = "HISTOGRAMzzz="


def _frame(t_us: int = T0_US + 1_500_000, layout: int = 0, values: str = _ONES) -> str:
    return (
        "INSERT INTO frame (trial_id, host_id, layout, t_us, took_us, live_seq, values) "
        f"VALUES (:trial, :host, {layout}, {t_us}, 1, 1000000, {values})"
    )


def _interval(**changes: Any) -> str:
    row = {"stream": "wrk", "t0_us": T0_US + 1_000_000, "t1_us": T0_US + 2_000_000, "count": 3, "histogram": None}
    row |= {"quantity": "latency"} | changes
    told = ", ".join("NULL" if value is None else f"'{value}'" for value in row.values())
    return (
        f"INSERT INTO latency_interval (trial_id, host_id, live_seq, {', '.join(row)}) "
        f"VALUES (:trial, :host, 1000000, {told})"
    )


def _event(**event: Any) -> str:
    return (
        "INSERT INTO trial_event (trial_id, host_id, t_us, live_seq, event) "
        f"VALUES (:trial, :host, 1, 1000000, $${json.dumps(event)}$$)"
    )


def _layout(series: str) -> str:
    return (
        "INSERT INTO layout (trial_id, host_id, id, collector, series) "
        f"VALUES (:trial, :host, {5 + len(series)}, 'c', '{series}')"
    )


NAMED = {
    "a short frame": (_frame(values="'{1,2}'"), "layout 0 has 8 columns"),
    "an empty frame": (_frame(values="'{}'"), "layout 0 has 8 columns"),
    "a long frame": (_frame(values="'{1,1,1,1,1,1,1,1,1}'"), "layout 0 has 8 columns"),
    "a frame without a layout": (_frame(layout=77), "layout 77 is not declared"),
    "not a number": (_frame(values=_NAN), "not a finite number"),
    "infinity": (_frame(values=_NAN.replace("NaN", "-Infinity")), "not a finite number"),
    "a number beyond all measure": (_frame(values=_NAN.replace("NaN", "1e300")), "not a finite number"),
    "a time of 2^63": (_frame(t_us=_BEYOND), "beyond all clocks"),
    "an interval that ends before it begins": (_interval(t1_us=T0_US), "ends before it begins"),
    "an interval of 2^63": (_interval(t1_us=_BEYOND), "t1_us"),
    "a count of 2^63": (_interval(count=_BEYOND), "count"),
    "a negative count": (_interval(count=-1), "count"),
    "an unknown quantity": (_interval(quantity="colour"), "quantity"),
    "a histogram with a bad cookie": (_interval(histogram=_BROKEN_HISTOGRAM), "histograms unreadable"),
    "an unknown event": (_event(kind="party", t_us=1), "events unreadable"),
    "an event without a time": (_event(kind="phase", phase="measure"), "t_us"),
    "half an event": (_event(kind="stream_result", t_us=1), "events unreadable"),
    "no event": (_event(), "events unreadable"),
    "a layout of nothing": (_layout("[1]"), "layouts unreadable"),
    "a layout that is no list": (_layout("{}"), "layouts unreadable"),
}  # fmt: skip
_UNREAD_BY_CHARTS = {"layout 77 is not declared", "beyond all clocks"}
HARMLESS = {
    "the year 2100": _frame(t_us=_YEAR_2100),
    "an unknown stream": _interval(stream="nobody"),
    "a summary of another kind": "UPDATE trial SET summary = '[1]', checks = '{}' WHERE id = :trial",
    "checks of another kind": "UPDATE trial SET checks = '[{\"key\": 1}]' WHERE id = :trial",
}


Trial = tuple[Person, Agent, str, str]
"""Who reads it, the host, and the ids of run and trial."""


@pytest.fixture(scope="module")
def under_way(backend: Backend) -> Trial:
    """A trial to which the tests add damage after damage."""
    return _trial(backend)


def _trial(backend: Backend) -> Trial:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run_id = person.run(agent)["id"]
    trial_id = coordinator.begin(run_id)
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    return person, agent, run_id, trial_id


def _spoil(backend: Backend, agent: Agent, trial_id: str, statement: str) -> None:
    async def work(session: AsyncSession) -> None:
        escaped = text(statement.replace('":', '"\\:'))
        bound = {"trial": UUID(trial_id), "host": agent.host_id}
        used = {name: value for name, value in bound.items() if f":{name}" in statement}
        await session.execute(escaped, used)

    backend.operator(work)


def _shown(person: Person, run_id: str, trial_id: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The report, the charts, and the beginning of the live stream."""
    report = person.client.get(f"/runs/{run_id}/report").raise_for_status().json()
    series = person.client.get(f"/trials/{trial_id}/series").raise_for_status().json()
    person.client.get(f"/trials/{trial_id}/latency-maps").raise_for_status()
    with person.client.stream("GET", f"/runs/{run_id}/live") as live:
        assert live.status_code == 200
        lines = []
        for line in live.iter_lines():
            lines.append(line)
            if line.startswith("event: points"):
                break
    return report, series, "\n".join(lines)


@pytest.mark.parametrize(("statement", "reason"), NAMED.values(), ids=NAMED.keys())
def test_what_is_stored_damaged_is_named_and_the_rest_is_shown(
    backend: Backend, under_way: Trial, statement: str, reason: str
) -> None:
    person, agent, run_id, trial_id = under_way
    stream = agent.claim(trial_id).json()["streams"][0]["key"]
    _spoil(backend, agent, trial_id, statement.replace("'wrk'", f"'{stream}'"))
    report, series, _ = _shown(person, run_id, trial_id)
    notes = [note["message"] for note in report["trials"][0]["summary"]["notes"]]
    assert any("unreadable" in note and reason in note for note in notes), notes
    if reason not in _UNREAD_BY_CHARTS:
        assert any(reason in told for told in series["unreadable"]), series["unreadable"]
    assert any(one["key"] == "requests_per_s_nginx" and one["points"] for one in series["series"])
    assert report["trials"][0]["summary"]["requests_per_s"] is not None


def test_a_damaged_trial_that_ends_is_reported(backend: Backend, under_way: Trial) -> None:
    person, agent, run_id, trial_id = under_way
    agent.end(trial_id)
    assert person.client.get(f"/runs/{run_id}/report").json()["unreadable"] == []
    assert person.client.get(f"/trials/{trial_id}/series").status_code == 200


@pytest.mark.parametrize("statement", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_is_stored_strangely_breaks_nothing(backend: Backend, statement: str) -> None:
    person, agent, run_id, trial_id = _trial(backend)
    agent.end(trial_id)
    _spoil(backend, agent, trial_id, statement)
    assert person.client.get(f"/trials/{trial_id}/series").status_code == 200
    report = person.client.get(f"/runs/{run_id}/report").raise_for_status().json()
    assert report["unreadable"] == []
    assert len(report["trials"]) == 1


def test_a_trial_that_cannot_be_analysed_is_left_out_by_name(backend: Backend) -> None:
    person, agent, run_id, trial_id = _trial(backend)
    agent.end(trial_id)

    def is_summarised() -> bool:
        return bool(person.client.get(f"/runs/{run_id}").json()["trials"][0]["requests_per_s"])

    wait_until(is_summarised, "the trial's summary")
    _spoil(backend, agent, trial_id, "UPDATE trial SET summary = NULL WHERE id = :trial")
    _spoil(backend, agent, trial_id, "UPDATE trial_host SET spec = '{}' WHERE trial_id = :trial")
    report = person.client.get(f"/runs/{run_id}/report").raise_for_status().json()
    assert report["trials"] == []
    assert report["unreadable"][0].startswith("Trial 1 (")
    assert "is stored in a form that cannot be read: trial_id: Field required" in report["unreadable"][0]
    trial = person.client.get(f"/runs/{run_id}").json()["trials"][0]
    assert (trial["state"], trial["code"]) == ("completed", "unreadable")
    assert "What a host has to do in trial 1" in english(trial["reason"])
    series = person.client.get(f"/trials/{trial_id}/series")
    assert (series.status_code, series.json()["code"]) == (409, "unreadable")
