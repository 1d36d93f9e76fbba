"""What an API token made ends with it, unless its person adopts it; what a disabled person made pauses."""

from datetime import timedelta
from typing import Any

import pytest
from exports.measured import Finished
from harness import Backend, Person
from ngxlab.accounts.models import Role
from schedules.scheduled import DAILY, Scheduled

pytestmark = pytest.mark.timeout(600)  # a run is measured


@pytest.fixture
def finished(backend: Backend) -> Finished:
    return Finished(backend)


def _token(person: Person) -> dict[str, Any]:
    body = {"name": "nightly", "scope": "operate"}
    made: dict[str, Any] = person.client.post("/auth/tokens", json=body).raise_for_status().json()
    return made


def _opens(finished: Finished, url: str) -> int:
    return finished.backend.client().get(f"/shared/{url.rpartition('/')[2]}").status_code


def test_a_link_ends_with_the_token_that_made_it(finished: Finished) -> None:
    token = _token(finished.person)
    script = finished.backend.client(token["token"])
    lost, kept = (script.post(f"/runs/{finished.id}/shares", json={}).raise_for_status().json() for _ in range(2))
    assert (lost["by_token"], lost["works"]) == ("nightly", True)
    known = {one["id"]: one for one in finished.backend.person().client.get("/shares").json()["items"]}
    found = known[lost["id"]]
    assert (found["by_token"], found["created_by"], found["run_id"]) == ("nightly", finished.person.email, finished.id)
    assert finished.backend.person(Role.experimenter).client.get("/shares").status_code == 403
    assert finished.person.client.post(f"/shares/{kept['id']}/refresh").json()["by_token"] is None
    finished.person.client.delete(f"/auth/tokens/{token['id']}").raise_for_status()
    assert (_opens(finished, lost["url"]), _opens(finished, kept["url"])) == (404, 200)
    listed = {one["id"]: one["works"] for one in finished.get("/shares").json()["items"]}
    assert listed == {lost["id"]: False, kept["id"]: True}
    after = {one["id"] for one in finished.backend.person().client.get("/shares").json()["items"]}
    assert (lost["id"] in after, kept["id"] in after) == (False, True)


def test_refreshing_by_a_token_adopts_nothing(finished: Finished) -> None:
    script = finished.backend.client(_token(finished.person)["token"])
    made = script.post(f"/runs/{finished.id}/shares", json={}).json()
    assert script.post(f"/shares/{made['id']}/refresh").raise_for_status().json()["by_token"] == "nightly"


def test_links_of_a_disabled_person_pause(finished: Finished, backend: Backend) -> None:
    url = finished.person.client.post(f"/runs/{finished.id}/shares", json={}).json()["url"]
    account = finished.person.client.get("/auth/me").json()["account"]["id"]
    administrator = backend.person()
    before = backend.client().get(f"/shared/{url.rpartition('/')[2]}").json()
    for disabled, status in ((True, 404), (False, 200)):
        administrator.client.patch(f"/accounts/{account}", json={"disabled": disabled}).raise_for_status()
        assert _opens(finished, url) == status
    assert backend.client().get(f"/shared/{url.rpartition('/')[2]}").json()["as_of"] == before["as_of"]


def test_a_schedule_pauses_with_the_token_that_made_it(backend: Backend) -> None:
    person, agent = backend.person(Role.experimenter), backend.agent()
    token = _token(person)
    script = backend.client(token["token"])
    experiment_id = person.experiment()["id"]
    body = {"timing": DAILY, "run": {"host_id": str(agent.host_id)}}
    made = script.post(f"/experiments/{experiment_id}/schedules", json=body).raise_for_status().json()
    assert made["by_token"] == "nightly"
    person.client.delete(f"/auth/tokens/{token['id']}").raise_for_status()
    scheduled = Scheduled(backend, person, agent, experiment_id, made["id"])
    scheduled.due(timedelta(minutes=1))
    [refused] = scheduled.settle()
    assert refused["reason"].startswith("The API token nightly, which made this schedule, has ended.")
    assert scheduled.now()["state"] == "paused"
    person.client.patch(f"/schedules/{made['id']}", json={"paused": False}).raise_for_status()
    now = scheduled.now()
    assert (now["state"], now["by_token"]) == ("active", None)
