"""Charts of a trial far longer than they have points: sparse readings give the same rates."""

from typing import Any

import pytest
from harness import Backend, frame


@pytest.fixture(scope="module")
def long_trial(backend: Backend) -> tuple[Any, str]:
    """A trial of 400 s at exactly 1,000 requests a second, polled each second."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    trial_id = coordinator.begin(person.run(agent, measure_s=400)["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id, ended=False)
    agent.send(trial_id, 6, frames=[frame(second) for second in range(4, 402)]).raise_for_status()
    return person.client, trial_id


def _line(client: Any, trial_id: str, key: str, label: str, **params: Any) -> list[tuple[float, float | None]]:
    series = client.get(f"/trials/{trial_id}/series", params=params).raise_for_status().json()["series"]
    return next([(t, value) for t, value in s["points"]] for s in series if (s["key"], s["label"]) == (key, label))


def test_rates_are_exact_however_few_readings_are_drawn(long_trial: tuple[Any, str]) -> None:
    points = _line(*long_trial, "requests_per_s_nginx", "nginx", points=20)
    assert 15 <= len(points) <= 21
    assert [value for _, value in points] == pytest.approx([1000.0] * len(points))
    assert points[-1][0] - points[0][0] > 350


def test_all_readings_come_where_they_fit(long_trial: tuple[Any, str]) -> None:
    points = _line(*long_trial, "nginx_connections", "waiting", points=1000)
    assert len(points) == 402
    assert points[0] == (-1.0, 10.0)


def test_only_the_charts_asked_for_are_derived(long_trial: tuple[Any, str]) -> None:
    client, trial_id = long_trial
    series = client.get(f"/trials/{trial_id}/series", params={"keys": ["accepts_per_s"]}).json()["series"]
    assert {one["key"] for one in series} == {"accepts_per_s"}
