"""A measured window that is chosen after the run: everything follows it, and nobody can overlook it."""

import json
from typing import Any

import httpx2
import pytest
from harness import T0_US, Agent, Backend, Coordinator, Person, english
from ngxlab.accounts.models import Role
from ngxlab_contracts.telemetry import Frame

Finished = tuple[Person, dict[str, Any]]


class _Slow(Agent):
    """Serves 1,000 requests a second, and in the second half of the window 3,000."""

    def send(self, trial_id: str, seq: int, **content: Any) -> httpx2.Response:
        frames = content.pop("frames", [])
        return super().send(trial_id, seq, frames=[_faster_at_the_end(one) for one in frames], **content)


def _faster_at_the_end(one: Frame) -> Frame:
    values = list(one.values)
    if one.t_us == T0_US + 3_000_000:
        values[6] = (values[6] or 0) + 2000
    return one.model_copy(update={"values": values})


@pytest.fixture
def finished(backend: Backend) -> Finished:
    """A person and their completed run of one block."""
    person, plain, coordinator = backend.person(Role.experimenter), backend.agent(), backend.coordinator()
    agent = _Slow(plain.client, plain.host_id, plain.name, plain.instance)
    return person, _measured(person, agent, coordinator)


def _measured(person: Person, agent: Agent, coordinator: Coordinator) -> dict[str, Any]:
    run = person.run(agent, blocks=1)
    coordinator.lease(run["id"]).raise_for_status()
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    found: dict[str, Any] = person.client.get(f"/runs/{run['id']}").json()
    return found


def _report(person: Person, run: dict[str, Any]) -> Any:
    return person.client.get(f"/runs/{run['id']}/report").raise_for_status().json()


def _rates(report: Any) -> set[float]:
    return {trial["summary"]["requests_per_s"] for trial in report["trials"]}


def test_everything_is_computed_again_and_the_planned_window_can_be_restored(finished: Finished) -> None:
    person, run = finished
    before = _report(person, run)
    assert _rates(before) == {2000.0}
    assert before["analysis"]["chosen_window"] is None

    body = {"start_s": 0, "end_s": 1, "reason": "a backup began"}
    windows = person.client.put(f"/runs/{run['id']}/window", json=body).raise_for_status().json()
    assert windows["run"] == {"start_s": 0, "end_s": 1}
    after = _report(person, run)
    assert _rates(after) == {1000.0}
    said = "The measured window was chosen after the run: 0 s to 1 s instead of 0 s to 2 s."
    assert said in english(after["analysis"]["headline"])
    assert all("window chosen afterwards" in english(one["text"]) for one in after["analysis"]["sentences"])
    assert "chosen-window" in [badge["key"] for badge in after["badges"]]
    listed = person.client.get("/runs", params={"experiment_id": run["experiment_id"]}).json()["items"]
    assert said in english(listed[0]["headline"])
    [change] = after["windows"]["changes"]
    assert (change["changed_by"], change["reason"]) == (person.email, "a backup began")

    person.client.delete(f"/runs/{run['id']}/window").raise_for_status()
    restored = _report(person, run)
    assert restored["analysis"] == before["analysis"]
    # Those of before were each computed at the end of its trial, these all at once.
    assert json.dumps(restored["trials"], sort_keys=True) == json.dumps(before["trials"], sort_keys=True)
    assert [change["window"] for change in restored["windows"]["changes"]] == [None, {"start_s": 0, "end_s": 1}]


def test_a_share_shows_the_change_without_naming_a_person(backend: Backend, finished: Finished) -> None:
    person, run = finished
    person.client.put(f"/runs/{run['id']}/window", json={"start_s": 0, "end_s": 1}).raise_for_status()
    url = person.client.post(f"/runs/{run['id']}/shares", json={}).json()["url"]
    shared = backend.client().get(f"/shared/{url.rpartition('/')[2]}")
    assert person.email not in shared.text
    assert "was chosen after the run" in english(shared.json()["analysis"]["headline"])
    assert [change["window"] for change in shared.json()["windows"]["changes"]] == [{"start_s": 0, "end_s": 1}]


def test_one_trial_may_have_a_window_of_its_own_with_a_reason(finished: Finished) -> None:
    person, run = finished
    trial_id = run["trials"][0]["id"]
    path = f"/trials/{trial_id}/window"
    assert person.client.put(path, json={"start_s": 1, "end_s": 2}).status_code == 422
    person.client.put(path, json={"start_s": 1, "end_s": 2, "reason": "a backup ended"}).raise_for_status()
    report = _report(person, run)
    assert _rates(report) == {2000.0, 3000.0}
    assert "The measured window of 1 of 3 trials was chosen after the run" in english(report["analysis"]["headline"])
    # The run's window leaves the exception alone; the return to the plan ends it.
    person.client.put(f"/runs/{run['id']}/window", json={"start_s": 0, "end_s": 1}).raise_for_status()
    assert _rates(_report(person, run)) == {1000.0, 3000.0}
    person.client.delete(path).raise_for_status()
    assert _rates(_report(person, run)) == {1000.0}
    person.client.put(path, json={"start_s": 1, "end_s": 2, "reason": "a backup ended"}).raise_for_status()
    person.client.delete(f"/runs/{run['id']}/window").raise_for_status()
    assert _rates(_report(person, run)) == {2000.0}


@pytest.mark.parametrize(
    ("window", "code"),
    [
        ((-2, 2), "window-without-load"),
        ((0, 3), "window-without-load"),
        ((1, 1.5), "window-too-short"),
        ((2, 1), "window-too-short"),
    ],
)
def test_a_window_has_load_and_lasts_a_second(finished: Finished, window: tuple[float, float], code: str) -> None:
    person, run = finished
    answer = person.client.put(f"/runs/{run['id']}/window", json=dict(zip(("start_s", "end_s"), window, strict=True)))
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert _report(person, run)["windows"]["changes"] == []


def test_choosing_what_holds_already_is_no_change(finished: Finished) -> None:
    person, run = finished
    for window in ((0, 2), (0, 1), (0, 1)):
        body = dict(zip(("start_s", "end_s"), window, strict=True))
        person.client.put(f"/runs/{run['id']}/window", json=body).raise_for_status()
    assert len(_report(person, run)["windows"]["changes"]) == 1
