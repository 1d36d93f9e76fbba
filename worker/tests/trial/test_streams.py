"""Streams of one host: each with its own duration, its own requests and its own sandbox."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import Endpoint, TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent, own_caps
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, trial_spec
from tests.support.trials import (
    artefacts,
    assert_completed,
    assert_nginx_agrees,
    assert_nothing_left,
    requests_of,
    result_of,
    when,
)

UPLOADS = CONFIG.replace(
    'location / { return 200 "OK\\n"; }',
    """client_max_body_size 0;
        location / { if ($request_method != PUT) { return 405; } if ($http_x_a != "b c") { return 400; }
                     if ($content_length != SIZE) { return 411; } return 204; }""",
)
HOSTILE = 'a"\\\n]] \u00e4 "..os.exit()--' * 1000
SPY = """
local function can(what, action) print(what .. (pcall(action) and "=yes" or "=no")) end
function init(args)
    can("read-passwd", function() return assert(io.open("/etc/passwd")) end)
    can("read-config", function() return assert(io.open("../../nginx.conf")) end)
    can("write-own-folder", function() return assert(io.open("x", "w")) end)
    can("write-root", function() return assert(io.open("/x", "w")) end)
    can("write-tmp", function() return assert(io.open("/tmp/x", "w")) end)
    can("fill-tmp", function()
        for i = 1, 64 do
            local file = assert(io.open("/tmp/y" .. i, "w"))
            assert(file:write(string.rep("x", 2^19)))
            assert(file:close())
        end
    end)
end
function request() return wrk.format("GET", "/scripted") end
"""


def streams(*changes: dict[str, Any], **timing: Any) -> TrialSpec:
    """A trial with a stream for each of ``changes``: s0, s1, …"""
    found = [
        StreamSpec(key=f"s{number}", engine="wrk", **{"threads": 1, "connections": 4, **change})
        for number, change in enumerate(changes)
    ]
    return trial_spec(**timing).model_copy(update={"streams": found})


def allow_scripts(agent: Agent) -> None:
    own_caps(agent.settings.folder, "allow_scripts = true\n")


def end_code(record: TrialRecord) -> str:
    assert record.end is not None
    return record.end.code


def test_streams_begin_and_end_at_their_own_instants(namespaced: Agent, backend: FakeBackend) -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"start_offset_s": 0.5, "duration_s": 0.8},
        {"start_offset_s": 1.0, "duration_s": 60},
    ]
    record = backend.add(streams(*changes, warmup_s=0.4, measure_s=1.6))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    lives = {
        key: [(i.t0_us, i.t1_us) for i in record.intervals if i.stream == key and i.count] for key in ("s0", "s1", "s2")
    }
    assert min(lives["s0"])[0] == record.phases["warmup"]
    assert record.start_at_us is not None
    start_us = record.start_at_us - record.batches[-1].clock_offset_us
    for key, begin_us in (("s0", 0), ("s1", 500_000), ("s2", 1_000_000)):
        of_stream = [i.t0_us for i in record.intervals if i.stream == key]
        assert of_stream, (key, record.notes(), result_of(record, key))
        first = min(of_stream)
        assert first - start_us - begin_us >= 0
        assert first - start_us - begin_us < 300_000 or "late-start" in record.notes()
    assert 1_300_000 <= max(lives["s1"])[1] - start_us < 1_800_000
    assert max(lives["s2"])[1] >= record.phases["cooldown"] - 1
    counted = [requests_of(record, key) for key in ("s0", "s1", "s2")]
    assert min(counted) > 100
    assert_nginx_agrees(record, sum(counted))
    assert {result_of(record, key).stub_requests for key in ("s0", "s1", "s2")} == {None}
    assert_nothing_left(namespaced)


def test_no_interval_straddles_the_edge_of_the_window_while_a_stream_ends(
    namespaced: Agent, backend: FakeBackend
) -> None:
    shorter = ({"duration_s": 0.4}, {"duration_s": 0.37}, {"duration_s": 0.3})
    record = backend.add(streams({}, *shorter, warmup_s=0.4, measure_s=1.2))
    namespaced.execute(record.spec.trial_id)
    edge_us = record.phases["measure"]
    assert not [i for i in record.intervals if i.t0_us < edge_us < i.t1_us]
    for stream in record.spec.streams:
        own = [i for i in record.intervals if i.stream == stream.key]
        result, seen = result_of(record, stream.key), sum(i.count for i in own)
        if result.live_requests is not None:
            assert result.live_requests == seen
        else:  # a busy machine did not read the last moments: fewer than printed, and never more
            assert 0 < seen <= requests_of(record, stream.key)
        assert all(earlier.t1_us == later.t0_us for earlier, later in pairwise(own))


def test_a_cancelled_trial_says_nothing_of_a_stream_that_never_began(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(streams({}, {"start_offset_s": 15}, measure_s=20))

    def cancel() -> None:
        with backend.changed:
            record.command = "cancel"

    thread = when(backend, lambda: "measure" in record.phases, cancel)
    namespaced.execute(record.spec.trial_id)
    thread.join()
    assert end_code(record) == "cancelled"
    assert result_of(record).stream == "s0"
    assert_nothing_left(namespaced)


@pytest.mark.parametrize(
    ("body", "size"), [({"body_bytes": 100_000}, 100_000), ({"body": HOSTILE}, len(HOSTILE.encode()))]
)
def test_method_headers_and_body_arrive(agent: Agent, backend: FakeBackend, body: dict[str, Any], size: int) -> None:
    stream = {"method": "PUT", "headers": {"X-A": "b c"}, **body}
    record = backend.add(trial_spec(config=UPLOADS.replace("SIZE", str(size)), stream=stream))
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    printed = result_of(record).printed
    assert printed is not None
    assert printed.requests > 50
    assert printed.errors_status == 0


def test_a_script_decides_on_requests_but_reaches_nothing(namespaced: Agent, backend: FakeBackend) -> None:
    config = CONFIG.replace("location / { return 200", "location / { return 404; } location = /scripted { return 200")
    record = backend.add(trial_spec(config=config, stream={"script": SPY, "threads": 2}))
    allow_scripts(namespaced)
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    printed = result_of(record).printed
    assert printed is not None
    assert printed.errors_status == 0
    said = set(artefacts(record)["main.txt"].splitlines())
    assert {line for line in said if "=" in line} == {
        "read-passwd=no",
        "read-config=no",
        "write-own-folder=no",
        "write-root=no",
        "write-tmp=yes",
        "fill-tmp=no",
    }
    assert_nothing_left(namespaced)


def test_a_script_that_could_not_be_contained_is_refused(
    agent_folder: Path, backend: FakeBackend, user: str | None
) -> None:
    agent = make_agent(agent_folder, backend, user, Isolation.GUARDIAN)
    record = backend.add(trial_spec(stream={"script": SPY}))
    allow_scripts(agent)
    agent.execute(record.spec.trial_id)
    assert end_code(record) == "script-uncontained"
    assert_nothing_left(agent)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"script": SPY, "method": "POST"}, "stream-invalid"),
        ({"method": "HEAD"}, "stream-invalid"),
        ({"start_offset_s": 2}, "stream-invalid"),
        ({"cpus": "4000"}, "cpus-unavailable"),
    ],
)
def test_what_cannot_work_is_refused_before_the_load(
    namespaced: Agent, backend: FakeBackend, change: dict[str, Any], code: str
) -> None:
    record = backend.add(trial_spec(stream=change, warmup_s=0.5, measure_s=1.5))
    allow_scripts(namespaced)
    namespaced.execute(record.spec.trial_id)
    assert end_code(record) == code
    assert "ready" not in record.phases
    assert_nothing_left(namespaced)


def test_load_goes_only_where_the_owner_allows(namespaced: Agent, backend: FakeBackend) -> None:
    """The address comes from the backend; TEST-NET-1 (RFC 5737) belongs to nobody."""
    own_caps(namespaced.settings.folder, 'allow_targets = ["198.51.100.0/24"]\n')
    target = Endpoint(name="target", address="192.0.2.1", ports=[80])
    record = backend.add(trial_spec().model_copy(update={"nginx": None}), announced=[target])
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.code == "target-not-allowed"
    assert record.end.reason == (
        "target is at 192.0.2.1: the owner of this host allows load to itself, 198.51.100.0/24 only (allow_targets)"
    )
    assert [event for event in record.events if event.kind == "process"] == []
    assert_nothing_left(namespaced)
