"""Random requests to every operation: each answer is one that the API's document declares, in the form it declares."""

from typing import Any

import pytest
import schemathesis
from harness import Backend
from hypothesis import HealthCheck, settings
from ngxlab.accounts.models import Role
from ngxlab.core.config import Settings
from ngxlab.main import create_app
from schemathesis.specs.openapi.checks import negative_data_rejection

_NOWHERE = Settings(
    DATABASE_URL="postgresql://nobody@127.0.0.1:1/none",
    REDIS_URL="redis://127.0.0.1:1",
    coordinator_token="c" * 32,
)
# Rules say more than a schema can, so a request that is right by the schema may be refused, with the field: 422.
_ANSWERS_TO_RIGHT_REQUESTS = ["2xx", "400", "401", "403", "404", "409", "410", "422", "429"]
# A text that is longer than its schema allows may make the body too large to be read: 413.
_ANSWERS_TO_WRONG_REQUESTS = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
_CONFIG = schemathesis.Config.from_dict(
    {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": _ANSWERS_TO_RIGHT_REQUESTS},
            "negative_data_rejection": {"expected-statuses": _ANSWERS_TO_WRONG_REQUESTS},
        }
    }
)
_OPEN = {"POST /api/v1/agent/enrol", "POST /api/v1/agent/enrol/check", "POST /api/v1/agent/heartbeat"}
"""Newer agents may say more here than this server knows, which is ignored."""
_VOIDS = "DELETE /api/v1/agent/host"
"""The credential with which it is called is void afterwards: it gets one of its own."""

schemathesis.serializer.alias("application/zip", "application/octet-stream")
schema = schemathesis.openapi.from_dict(create_app(_NOWHERE).openapi(), config=_CONFIG)


@pytest.fixture(scope="module")
def credentials(backend: Backend) -> dict[str, dict[str, Any]]:
    """What shows who calls, by caller, as the document names them; an administrator may do what other people may."""
    person = backend.person(Role.administrator)
    token = person.client.post("/auth/tokens", json={"name": "all operations", "scope": "administer"}).json()["token"]
    return {
        "anyone": {},
        "host": {"headers": {"Authorization": backend.agent().client.headers["Authorization"]}},
        "coordinator": {"headers": {"Authorization": backend.coordinator().client.headers["Authorization"]}},
        "person": {"headers": {"Authorization": f"Bearer {token}"}, "cookies": {"ngxlab_session": "signed out"}},
    }


@schema.parametrize()
@settings(derandomize=True, max_examples=8, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_declared(case: Any, backend: Backend, credentials: dict[str, dict[str, Any]]) -> None:
    caller = case.operation.definition.raw["x-caller"]
    excluded = [negative_data_rejection] if case.operation.label in _OPEN else []
    shown = credentials.get(caller, credentials["person"])
    if case.operation.label == _VOIDS:
        shown = {"headers": {"Authorization": backend.agent().client.headers["Authorization"]}}
    case.call_and_validate(base_url=backend.url, timeout=60, excluded_checks=excluded, **shown)
