"""Nobody reaches what they may not reach."""

import pytest
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from harness import Backend
from ngxlab.accounts.models import Role
from ngxlab.core.access import decisions_of
from ngxlab.core.config import Settings
from ngxlab.main import create_app


def _routes(settings: Settings) -> list[RouteContext]:
    contexts = iter_route_contexts(create_app(settings).routes)
    return [context for context in contexts if isinstance(context.original_route, APIRoute)]


def test_every_endpoint_has_exactly_one_decision_on_who_may_call_it(settings: Settings) -> None:
    undecided = {
        f"{route.methods} {route.path}" for route in _routes(settings) if len(decisions_of(route.dependant)) != 1
    }
    assert undecided == set()
    assert len(_routes(settings)) > 40


@pytest.mark.parametrize(
    "path", ["/auth/me", "/experiments", "/runs", "/hosts", "/templates", "/accounts", "/auth/tokens"]
)
def test_a_stranger_is_asked_to_sign_in(backend: Backend, path: str) -> None:
    answer = backend.client().get(path)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not-signed-in"


def test_a_viewer_may_look_but_not_change(backend: Backend) -> None:
    viewer = backend.person(Role.viewer).client
    assert viewer.get("/experiments").status_code == 200
    body = {"name": "x", "template_key": "reuseport"}
    assert viewer.post("/experiments", json=body).json()["code"] == "role"
    assert viewer.post("/hosts/enrolment-tokens", json={}).status_code == 403


def test_an_experimenter_cannot_manage_hosts_or_accounts(backend: Backend) -> None:
    experimenter = backend.person(Role.experimenter).client
    assert experimenter.post("/hosts/enrolment-tokens", json={}).status_code == 403
    assert experimenter.get("/accounts").status_code == 403


def test_an_unsafe_call_with_a_cookie_needs_the_csrf_token(backend: Backend) -> None:
    person = backend.person()
    del person.client.headers["X-CSRF-Token"]
    answer = person.client.post("/hosts/enrolment-tokens", json={})
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf")


def test_people_cannot_use_the_workers_doors_and_workers_not_the_peoples(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    nowhere = "00000000-0000-0000-0000-000000000000"
    assert person.client.post(f"/coordinator/runs/{nowhere}/next", json={"holder": nowhere}).status_code == 401
    assert person.client.get(f"/agent/trials/{nowhere}/control").status_code == 401
    assert agent.client.get("/hosts").status_code == 401
    assert coordinator.client.get("/hosts").status_code == 401


def test_a_host_sees_no_trial_of_another_host(backend: Backend) -> None:
    mine, other = backend.agent(), backend.agent()
    trial_id = backend.coordinator().begin(backend.person().run(mine)["id"])
    assert other.claim(trial_id).status_code == 404
    assert other.send(trial_id, 1).status_code == 404
    assert mine.claim(trial_id).status_code == 200


def test_somebody_elses_run_cannot_be_cancelled_or_shared(backend: Backend) -> None:
    agent = backend.agent()
    run = backend.person(Role.experimenter).run(agent)
    stranger = backend.person(Role.experimenter).client
    assert stranger.post(f"/runs/{run['id']}/cancel").json()["code"] == "not-owner"
    assert stranger.post(f"/runs/{run['id']}/shares", json={}).status_code == 403
    assert stranger.get(f"/runs/{run['id']}/shares").status_code == 403
    assert backend.person(Role.administrator).client.post(f"/runs/{run['id']}/cancel").status_code == 200
