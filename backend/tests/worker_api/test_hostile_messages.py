"""What a host, a coordinator or a stranger may send instead of a message: refused, in words, and nothing breaks."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from harness import Backend, enrolment, identity, inventory

_INVENTORY = inventory().model_dump(mode="json")
_NOWHERE = "00000000-0000-0000-0000-000000000000"
_SOUND: dict[str, tuple[str, str, dict[str, Any]]] = {
    "enrolment": ("anyone", "/agent/enrol", enrolment("ngxe_none", "a-host")),
    "heartbeat": (
        "host", "/agent/heartbeat",
        {"agent_instance": _NOWHERE, "sent_at_us": 0, "clock_offset_us": 0, "clock_rtt_us": 0, "active_trial": None,
         "agent": identity().model_dump()},
    ),
    "claim": ("host", f"/agent/trials/{_NOWHERE}/claim", {"agent_instance": _NOWHERE, "protocol": "2.0"}),
    "batch": ("host", f"/agent/trials/{_NOWHERE}/batches", {"seq": 1, "clock_offset_us": 0}),
    "configuration test": ("host", f"/agent/config-tests/{_NOWHERE}", {"verdicts": [], "failure": None}),
    "lease": ("coordinator", f"/coordinator/runs/{_NOWHERE}/lease", {"holder": _NOWHERE}),
    "next step": ("coordinator", f"/coordinator/runs/{_NOWHERE}/next", {"holder": _NOWHERE}),
    "start": ("coordinator", f"/coordinator/trials/{_NOWHERE}/start", {"holder": _NOWHERE}),
}  # fmt: skip


def _with(body: dict[str, Any], addition: str) -> str:
    """The JSON text of ``body`` with one more field, as it would not come from ``json.dumps``."""
    return json.dumps(body)[:-1] + f", {addition}}}"


_BODIES: dict[str, Callable[[dict[str, Any]], str | bytes]] = {
    "no JSON": lambda body: "{",
    "a pickle": lambda body: "\x80\x04\x95.",
    "not UTF-8": lambda body: b'{"a": "\xff\xfe"}',
    "a list": lambda body: json.dumps([body]),
    "a Celery message": lambda body: json.dumps(
        {"body": "W10=", "headers": {"task": "ngxlab.run", "id": "x"}, "content-type": "application/x-python-serialize"}
    ),
    "nothing": lambda body: "null",
    "no fields": lambda body: '{"none": 1}',
    "one field too many": lambda body: json.dumps(body | {"__class__": "os.system"}),
    "a prototype": lambda body: json.dumps(body | {"__proto__": {"admin": True}}),
    "deep nesting": lambda body: _with(body, '"deep": ' + "[" * 60_000 + "]" * 60_000),
    "deep objects": lambda body: _with(body, '"deep": ' + '{"a":' * 15_000 + "1" + "}" * 15_000),
    "a number without end": lambda body: _with(body, '"n": ' + "9" * 5_000),
    "a number that is none": lambda body: _with(body, '"n": NaN'),
    "true for text": lambda body: json.dumps(dict.fromkeys(body, True)),
    "an object for each field": lambda body: json.dumps({name: {"$ne": None} for name in body}),
}


def _send(backend: Backend, caller: str, path: str, body: str | bytes) -> httpx2.Response:
    clients = {"anyone": backend.client, "host": lambda: backend.agent().client}
    client = clients[caller]() if caller in clients else backend.coordinator().client
    return client.post(path, content=body, headers={"Content-Type": "application/json"})


_OPEN = {"enrolment", "heartbeat", "claim", "batch", "configuration test"}
"""What agents send, who may be newer than the server: fields that it does not know are not read."""
_NOT_READ = {"one field too many", "a prototype"}


def _is_read(message: str, kind: str) -> bool:
    return not (message in _OPEN and kind in _NOT_READ) and (message, kind) != ("batch", "a number that is none")


@pytest.mark.parametrize(
    ("message", "kind"), [(message, kind) for message in _SOUND for kind in _BODIES if not _is_read(message, kind)]
)
def test_what_the_server_does_not_know_changes_nothing(backend: Backend, message: str, kind: str) -> None:
    caller, path, body = _SOUND[message]
    assert _send(backend, caller, path, _BODIES[kind](body)).status_code in {200, 404}


_STOPPED_BY = {
    "no JSON": "bad-request: The body is not JSON: ",
    "a pickle": "bad-request: The body is not JSON: ",
    "not UTF-8": "bad-request: The body is not UTF-8 text: ",
    "a list": "invalid: : Input should be a valid dictionary",
    "nothing": "invalid: : Input should be a valid dictionary",
    "a Celery message": "invalid: FIELD: Field required",
    "no fields": "invalid: FIELD: Field required",
    "one field too many": "invalid: __class__: Extra inputs are not permitted",
    "a prototype": "invalid: __proto__: Extra inputs are not permitted",
    "deep nesting": "invalid: : is nested too deeply",
    "deep objects": "invalid: : is nested too deeply",
    "a number without end": "invalid: n: is too large a number",
    "a number that is none": "invalid: : NaN is no number of JSON",
    "true for text": "invalid: FIELD: ",
    "an object for each field": "invalid: FIELD: ",
}
"""What the refusal says, by code and field. ``FIELD``: the first one of the message."""
_BATCH_STOPPED_BY = {
    "no JSON": "invalid: : Invalid JSON: EOF",
    "a pickle": "invalid: : Invalid JSON: expected value",
    "not UTF-8": "invalid: : Invalid JSON: invalid unicode code point",
    "a list": "invalid: : Input should be an object",
    "nothing": "invalid: : Input should be an object",
    "deep nesting": "invalid: : Invalid JSON: recursion limit exceeded",
    "deep objects": "invalid: : Invalid JSON: recursion limit exceeded",
    "a number without end": "invalid: : Invalid JSON: number out of range",
}
"""A batch has a reader of its own."""
_REFUSED = [(message, kind) for message in _SOUND for kind in _BODIES if _is_read(message, kind)]


def test_there_are_many() -> None:
    assert len(_REFUSED) >= 80


@pytest.mark.parametrize(("message", "kind"), _REFUSED)
def test_a_hostile_message_is_refused_in_words(backend: Backend, message: str, kind: str) -> None:
    caller, path, body = _SOUND[message]
    answer = _send(backend, caller, path, _BODIES[kind](body))
    assert answer.status_code in {400, 422}, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    stopped_by = (_STOPPED_BY | _BATCH_STOPPED_BY if message == "batch" else _STOPPED_BY)[kind]
    found = f"{answer.json()['code']}: {answer.json()['detail']}"
    assert found.startswith(stopped_by.replace("FIELD", next(iter(body))))
    assert len(answer.content) < 16_000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "a\u202eb"), ("name", ""), ("name", "a\nb"), ("name", "\x00"), ("name", "<b>"), ("name", "x" * 101),
        ("inventory", {}), ("inventory", _INVENTORY | {"memory_bytes": -1}),
        ("inventory", _INVENTORY | {"memory_bytes": True}), ("inventory", _INVENTORY | {"memory_bytes": 2**63}),
        ("inventory", _INVENTORY | {"caps": {"allow_scripts": 1}}),
        ("inventory", _INVENTORY | {"caps": {"allow_scripts": "yes"}}),
        ("inventory", _INVENTORY | {"caps": {"roles": ["everything"]}}),
        ("inventory", _INVENTORY | {"kernel": "\ud800"}), ("inventory", _INVENTORY | {"os": None}),
    ],
    ids=repr,
)  # fmt: skip
def test_a_host_cannot_enrol_as_what_no_host_is(backend: Backend, field: str, value: object) -> None:
    _, path, body = _SOUND["enrolment"]
    answer = backend.client().post(
        path, content=json.dumps(body | {field: value}), headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert any(problem["field"].startswith(field) for problem in answer.json()["errors"])


def test_sound_messages_get_further(backend: Backend) -> None:
    for message, (caller, path, body) in _SOUND.items():
        answer = _send(backend, caller, path, json.dumps(body))
        assert answer.status_code in {200, 404}, (message, answer.text)
