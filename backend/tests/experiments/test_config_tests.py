"""A host's own nginx is asked about every arm, and what it says leads to the template's line."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from definition.definitions import sound
from harness import Agent, Backend, Person, english, identity
from kombu import Connection
from ngxlab.core.clock import utcnow
from ngxlab.experiments.models import ConfigTest
from ngxlab_contracts.broker import TASK_TEST_CONFIG, host_queue
from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.hosts import HostCaps
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession


@pytest.fixture(scope="module")
def person(backend: Backend) -> Person:
    return backend.person()


def _ask(person: Person, agent: Agent, **changes: Any) -> httpx2.Response:
    body = {"host_id": str(agent.host_id), "definition": sound() | changes}
    return person.client.post("/experiments/config-tests", json=body)


def _asked(person: Person, agent: Agent) -> str:
    test_id: str = _ask(person, agent).raise_for_status().json()["id"]
    return test_id


def _verdict(arm: str, *findings: dict[str, Any]) -> dict[str, Any]:
    return {"arm": arm, "accepted": not findings, "findings": list(findings)}


def _answer(agent: Agent, test_id: str, *verdicts: dict[str, Any], failure: str | None = None) -> httpx2.Response:
    body = {"verdicts": list(verdicts), "failure": failure}
    return agent.client.post(f"/agent/config-tests/{test_id}", json=body)


def test_the_agent_gets_every_arm_and_a_hint(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    asked = _ask(person, agent)
    assert (asked.status_code, asked.json()["state"], asked.json()["accepted"]) == (201, "pending", None)
    with (
        Connection(backend.settings.redis_url.get_secret_value()) as broker,
        broker.SimpleQueue(host_queue(agent.host_id)) as queue,
    ):
        message = queue.get(timeout=10)
        message.ack()
        assert message.headers["task"] == TASK_TEST_CONFIG
        assert message.payload[0] == [asked.json()["id"]]
    spec = ConfigTestSpec.model_validate(agent.client.get(f"/agent/config-tests/{asked.json()['id']}").json())
    assert [arm.arm for arm in spec.arms] == ["off.low", "off.high", "threads.low", "threads.high"]
    assert spec.arms[0].nginx.binary == "/usr/sbin/nginx"
    assert spec.arms[0].nginx.upstream_servers == ["upstream.app"]
    assert "@@upstream.app@@" in spec.arms[0].nginx.config


def test_findings_lead_to_the_templates_line(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    test_id = _asked(person, agent)
    spec = agent.client.get(f"/agent/config-tests/{test_id}").json()
    lines = spec["arms"][2]["nginx"]["config"].splitlines()
    wrong = {"severity": "emerg", "message": "bad path", "line": 1 + lines.index("            root @@folder@@/files;")}
    ours = {"severity": "warn", "message": "about our part", "line": 1}
    nowhere = {"severity": "emerg", "message": "of no line", "line": None}
    accepted = [_verdict(arm) for arm in ("off.low", "off.high", "threads.high")]
    assert _answer(agent, test_id, *accepted, _verdict("threads.low", wrong, ours, nowhere)).status_code == 204
    result = person.client.get(f"/experiments/config-tests/{test_id}").json()
    assert (result["state"], result["accepted"]) == ("done", False)
    (arm,) = [arm for arm in result["arms"] if not arm["accepted"]]
    assert [(f["field"], f["line"], f["message"]) for f in arm["findings"]] == [
        ("nginx.server", 3, "bad path"),
        (None, None, "about our part"),
        (None, None, "of no line"),
    ]


def test_all_accepted(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    test_id = _asked(person, agent)
    _answer(agent, test_id, *[_verdict(arm) for arm in ("off.low", "off.high", "threads.low", "threads.high")])
    result = person.client.get(f"/experiments/config-tests/{test_id}").json()
    assert (result["state"], result["accepted"], len(result["arms"])) == ("done", True, 4)


def test_the_first_answer_counts(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    test_id = _asked(person, agent)
    assert _answer(agent, test_id, failure="no space").status_code == 204
    assert _answer(agent, test_id, _verdict("off.low")).status_code == 204
    result = person.client.get(f"/experiments/config-tests/{test_id}").json()
    assert (result["state"], result["reason"], result["accepted"]) == ("failed", "no space", None)
    over = agent.client.get(f"/agent/config-tests/{test_id}")
    assert (over.status_code, over.json()["code"]) == (409, "test-over")


def test_an_answer_about_something_else_is_refused(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    test_id = _asked(person, agent)
    assert _answer(agent, test_id, _verdict("nobody")).status_code == 422
    assert person.client.get(f"/experiments/config-tests/{test_id}").json()["state"] == "pending"


def test_a_check_without_an_answer_reads_as_failed(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    test_id = _asked(person, agent)

    async def age(session: AsyncSession) -> None:
        earlier = utcnow() - timedelta(seconds=31)
        await session.execute(update(ConfigTest).where(ConfigTest.id == test_id).values(created_at=earlier))

    backend.operator(age)
    result = person.client.get(f"/experiments/config-tests/{test_id}").json()
    assert result["state"] == "failed"
    assert "did not answer within 30 s" in result["reason"]
    assert agent.client.get(f"/agent/config-tests/{test_id}").status_code == 409


def test_a_saved_experiment_is_checked(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    body = {"host_id": str(agent.host_id), "experiment_id": person.experiment()["id"]}
    test_id = person.client.post("/experiments/config-tests", json=body).raise_for_status().json()["id"]
    spec = agent.client.get(f"/agent/config-tests/{test_id}").json()
    assert [arm["arm"] for arm in spec["arms"]] == ["mutex-on", "mutex-off", "reuseport"]


def test_what_cannot_be_checked(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    broken = _ask(person, agent, baseline="x")
    assert (broken.status_code, broken.json()["errors"][0]["field"]) == (422, "baseline")
    without_nginx = backend.agent(nginx=[])
    assert _ask(person, without_nginx).json()["code"] == "no-nginx"
    nowhere = {"host_id": str(agent.host_id), "experiment_id": str(uuid4())}
    assert person.client.post("/experiments/config-tests", json=nowhere).status_code == 404
    neither = {"host_id": str(agent.host_id)}
    assert person.client.post("/experiments/config-tests", json=neither).status_code == 422
    assert _ask(person, Agent(agent.client, uuid4(), "nobody")).status_code == 404


def test_another_host_learns_nothing(backend: Backend, person: Person) -> None:
    test_id = _asked(person, backend.agent())
    other = backend.agent()
    assert other.client.get(f"/agent/config-tests/{test_id}").status_code == 404
    assert _answer(other, test_id).status_code == 404
    assert person.client.get(f"/agent/config-tests/{test_id}").status_code == 401


def _refusal(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_host_that_a_run_holds_is_not_disturbed(backend: Backend, person: Person) -> None:
    agent, coordinator = backend.agent(), backend.coordinator()
    run_id = person.run(agent)["id"]
    coordinator.begin(run_id)
    refused = _ask(person, agent)
    assert _refusal(refused) == (409, "host-busy")
    assert agent.name in refused.json()["detail"]


def test_a_draining_host_is_not_asked(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    person.client.post(f"/hosts/{agent.host_id}/drain", json={"draining": True}).raise_for_status()
    assert _refusal(_ask(person, agent)) == (409, "host-draining")


def test_a_host_that_may_not_be_a_target_is_not_asked(backend: Backend, person: Person) -> None:
    agent = backend.agent(caps=HostCaps(roles=["generator"]))
    assert _refusal(_ask(person, agent)) == (409, "role-not-allowed")


def _answered(path: str, status: int | None, size: int | None, **others: Any) -> dict[str, Any]:
    told = {"content_type": "text/html", "content_encoding": None, "failure": None} | others
    return {"stream": "constant", "method": "GET", "path": path, "status": status, "body_bytes": size, **told}


def test_first_answers_are_compared_with_what_was_declared_and_with_the_baseline(
    backend: Backend, person: Person
) -> None:
    agent = backend.agent()
    files = sound()["nginx"] | {"files": [{"folder": "data", "count": 4, "size_bytes": 1024, "content": "json"}]}
    test_id = _ask(person, agent, nginx=files).raise_for_status().json()["id"]
    spec = ConfigTestSpec.model_validate(agent.client.get(f"/agent/config-tests/{test_id}").json())
    assert spec.requires == "2.1"
    assert [stream.key for stream in spec.arms[0].streams] == ["constant", "other"]
    assert [(one.key, one.address) for one in spec.arms[0].upstream_servers] == [("app", "127.0.0.1")]
    assert spec.arms[0].nginx.files[0].count == 4
    said = {
        "off.low": [_answered("/data/0", 200, 1024, content_type="application/json")],
        "off.high": [_answered("/data/0", 404, 153)],
        "threads.low": [_answered("/data/0", 200, 300, content_type="application/json", content_encoding="gzip")],
        "threads.high": [_answered("/data/0", 200, 1000), _answered("/", None, None, failure="refused")],
    }
    verdicts = [{**_verdict(arm), "answers": answers} for arm, answers in said.items()]
    verdicts[3]["unanswered"] = "no time"
    assert _answer(agent, test_id, *verdicts).status_code == 204
    arms = {one["arm"]: one for one in person.client.get(f"/experiments/config-tests/{test_id}").json()["arms"]}
    (good,) = arms["off.low"]["answers"]
    assert (good["text"], good["departures"], good["differences"]) == (
        "GET /data/0 -> 200, application/json, 1,024 B",
        [],
        [],
    )
    (missing,) = arms["off.high"]["answers"]
    assert missing["text"] == "GET /data/0 -> 404, text/html, 153 B"
    assert [english(one) for one in missing["departures"]] == [
        "status 404 is an error: the stream names 2xx, 3xx as served"
    ]
    assert [english(one) for one in missing["differences"]] == [
        "status 404, in the baseline 200",
        "type text/html, in the baseline application/json",
        "bytes 153, in the baseline 1,024",
    ]
    (packed,) = arms["threads.low"]["answers"]
    assert packed["departures"] == []
    assert english(packed["differences"][0]) == "encoding gzip, in the baseline none"
    short, silent = arms["threads.high"]["answers"]
    assert [english(one).partition(":")[0] for one in short["departures"]] == [
        "1,000 B instead of the 1,024 B of the file",
        "type text/html instead of application/json",
    ]
    assert (silent["text"], english(silent["departures"][0])) == ("GET / -> no answer: refused", "no answer came")
    assert arms["threads.high"]["unanswered"] == "no time"


def test_an_older_agent_tests_the_configurations_alone(backend: Backend, person: Person) -> None:
    agent = backend.agent()
    agent.beat(agent=identity("2.0")).raise_for_status()
    test_id = _asked(person, agent)
    spec = agent.client.get(f"/agent/config-tests/{test_id}").json()
    assert (spec["requires"], set(spec["arms"][0])) == ("2.0", {"arm", "nginx"})
    _answer(agent, test_id, _verdict("off.low"))
    (arm,) = person.client.get(f"/experiments/config-tests/{test_id}").json()["arms"]
    assert "too old" in arm["unanswered"]
