"""A batch that could not be read back is refused at the door, and nothing of it is stored."""

import base64
import json
import struct
import zlib
from typing import Any

import pytest
from harness import T0_US, Agent, Backend, frame
from hdrh.histogram import HdrHistogram

HUGE = "9" * 30


def _histogram(figures: int = 3, values: int = 1, highest: int = 3_600_000_000) -> str:
    histogram = HdrHistogram(1, highest, figures)
    for value in range(1, values + 1):
        histogram.record_value(value)
    return str(histogram.encode(), "ascii")


def _packed(content: bytes, cookie: bytes = b"\x1c\x84\x93\x14") -> str:
    compressed = zlib.compress(content)
    return base64.b64encode(cookie + struct.pack(">i", len(compressed)) + compressed).decode()


def _counts(varint: bytes, **header: int) -> str:
    fields = {"cookie": 0x1C849313, "figures": 3, "lowest": 1, "highest": 3_600_000_000} | header
    head = struct.pack(
        ">iiiiqqd", fields["cookie"], len(varint), 0, fields["figures"], fields["lowest"], fields["highest"], 1.0
    )
    return _packed(head + varint)


def _frame(**changes: Any) -> dict[str, Any]:
    return {"frames": [{"layout": 0, "t_us": T0_US, "took_us": 1, "values": [1.0] * 8} | changes]}


def _interval(**changes: Any) -> dict[str, Any]:
    whole = {"stream": "load", "t0_us": T0_US, "t1_us": T0_US + 1, "count": 1, "histogram": None}
    return {"intervals": [whole | changes]}


def _event(**event: Any) -> dict[str, Any]:
    return {"events": [{"t_us": T0_US} | event]}


_LAYOUT = {"id": 0, "collector": "c", "series": []}
_PROCESS = {"kind": "process", "role": "generator", "index": 0, "pid": 1}

BAD = {
    "too few columns": _frame(values=[1.0] * 7),
    "too many columns": _frame(values=[1.0] * 9),
    "no column": _frame(values=[]),
    "more frames than a batch may have": {"frames": _frame()["frames"] * 100_000},
    "more values than a batch may have": _frame(values=[1] * 1_000_001),
    "unknown layout": _frame(layout=7),
    "layout out of range": _frame(layout=40_000),
    "text for a number": _frame(values=["x"] * 8),
    "not a number": _frame(values=[float("nan")] * 8),
    "infinity": _frame(values=[float("inf")] * 8),
    "minus infinity": _frame(values=[float("-inf")] * 8),
    "a float beyond all measure": _frame(values=[1e300] * 8),
    "a time of 2^63": _frame(t_us=2**63),
    "a time of 30 digits": _frame(t_us=int(HUGE)),
    "a duration of 2^40": _frame(took_us=2**40),
    "a negative duration": _frame(took_us=-1),
    "a layout declared again": {"layouts": [_LAYOUT]},
    "a layout declared twice at once": {"layouts": [_LAYOUT | {"id": 3}] * 2},
    "an offset of 2^63": {"clock_offset_us": 2**63},
    "a count of 2^70": _interval(count=2**70),
    "a negative count": _interval(count=-1),
    "an interval that ends before it begins": _interval(t1_us=T0_US - 1),
    "a stream that the host has not": _interval(stream="nobody"),
    "a result of a stream that the host has not": _event(
        kind="stream_result", stream="nobody", exit_code=0, live_requests=1, stub_requests=1, printed=None
    ),
    "an unknown quantity": _interval(quantity="colour"),
    "no base64": _interval(histogram="%%%"),
    "empty histogram": _interval(histogram=""),
    "short histogram": _interval(histogram=base64.b64encode(b"\x1c").decode()),
    "not compressed": _interval(histogram=base64.b64encode(b"\x1c\x84\x93\x14" + b"\0" * 40).decode()),
    "a wrong outer cookie": _interval(histogram=_packed(b"\0" * 64, cookie=b"abcd")),
    "a wrong inner cookie": _interval(histogram=_counts(b"\x02", cookie=1)),
    "a header cut short": _interval(histogram=_packed(b"\x1c\x84\x93\x13" + b"\0" * 8)),
    "two significant figures": _interval(histogram=_histogram(figures=2)),
    "units of 1 ms": _interval(histogram=_counts(b"\x02", lowest=1024)),
    "a range of 2^62": _interval(histogram=_counts(b"\x02", highest=2**62)),
    "a negative range": _interval(histogram=_counts(b"\x02", highest=-5)),
    "counts beyond the range": _interval(histogram=_counts(b"\x02" * 4000, highest=2)),
    "a run of zeros beyond the range": _interval(histogram=_counts(b"\xff\xff\xff\xff\x0f\x02")),
    "a varint cut short": _interval(histogram=_counts(b"\x02\xff")),
    "a count of almost 2^63": _interval(histogram=_counts(b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff")),
    "a count of nine bytes": _interval(histogram=_counts(b"\xff" * 8 + b"\x7f")),
    "fewer counts than told": _interval(count=3, histogram=_histogram(values=2)),
    "more counts than told": _interval(quantity="service", histogram=_histogram(values=2)),
    "an endless histogram": _interval(histogram=_packed(b"\0" * (8 << 20))),
    "a pid of 2^70": _event(**_PROCESS | {"pid": 2**70, "cpus_allowed": "0"}),
    "a list of 10^12 CPUs": _event(**_PROCESS, cpus_allowed="0-999999999999"),
    "no list of CPUs": _event(**_PROCESS, cpus_allowed="all"),
    "an unknown event": _event(kind="party"),
    "half a character": _event(kind="note", severity="info", code="x", message="\ud800"),
    "a number of a batch of 2^40": {"seq": 2**40},
    "true as the number of a batch": {"seq": True},
    "text as the number of a batch": {"seq": "6"},
    "true as a layout": _frame(layout=True),
    "true as the id of a layout": {"layouts": [_LAYOUT | {"id": True}]},
    "true as a duration": _frame(took_us=True),
    "true as the number of an action": _event(
        kind="action", ended_us=None, perturbation="p", number=True, action="x", ok=True
    ),
    "a kept file that is a path": _event(kind="artefact", name="../../etc/passwd", text="x"),
    "a kept file without a name": _event(kind="artefact", name="", text="x"),
    "a kept file with a long name": _event(kind="artefact", name="x" * 201, text="x"),
    "true as a port": _event(kind="endpoint", name="x", address="127.0.0.1", ports=[True]),
}

STOPPED_BY = {
    "too-many-parts: The batch has more than 200,000 parts": ["more frames than a batch may have"],
    "too-many-parts: The batch has more than 1,000,000 values": ["more values than a batch may have"],
    "bad-frame: A frame has": ["too few columns", "too many columns", "no column", "unknown layout"],
    "bad-layout: Layout": ["a layout declared again", "a layout declared twice at once"],
    "bad-interval: ": ["an interval that ends before it begins"],
    "unknown-stream: ": ["a stream that the host has not", "a result of a stream that the host has not"],
    "invalid: frames.0.layout: ": ["layout out of range", "true as a layout"],
    "invalid: frames.0.values.0: ": [
        "text for a number", "not a number", "infinity", "minus infinity", "a float beyond all measure",
    ],
    "invalid: frames.0.t_us: ": ["a time of 2^63", "a time of 30 digits"],
    "invalid: frames.0.took_us: ": ["a duration of 2^40", "a negative duration", "true as a duration"],
    "invalid: layouts.0.id: ": ["true as the id of a layout"],
    "invalid: intervals.0.count: ": ["a count of 2^70", "a negative count"],
    "invalid: intervals.0.quantity: ": ["an unknown quantity"],
    "invalid: events.0: ": ["an unknown event"],
    "invalid: events.0.action.number: ": ["true as the number of an action"],
    "invalid: events.0.endpoint.ports.0: ": ["true as a port"],
    "invalid: events.0.artefact.name: ": [
        "a kept file that is a path", "a kept file without a name", "a kept file with a long name",
    ],
    "invalid: events.0.process.pid: ": ["a pid of 2^70"],
    "invalid: events.0.process.cpus_allowed: ": ["a list of 10^12 CPUs", "no list of CPUs"],
    "invalid: clock_offset_us: ": ["an offset of 2^63"],
    "invalid: seq: ": [
        "a number of a batch of 2^40", "true as the number of a batch", "text as the number of a batch",
    ],
    "invalid: : Invalid JSON": ["half a character"],
    "Only base64 data is allowed": ["no base64"],
    "it is no compressed histogram of version 2": ["empty histogram", "short histogram", "a wrong outer cookie"],
    "Error -3 while decompressing data": ["not compressed"],
    "it unpacks to no histogram of version 2": ["a wrong inner cookie"],
    "it unpacks to fewer than 40 bytes or to more than": ["a header cut short", "an endless histogram"],
    "its precision or range is not one that agents use": [
        "two significant figures", "units of 1 ms", "a range of 2^62", "a negative range",
    ],
    "it has counts above its highest value": ["counts beyond the range", "a run of zeros beyond the range"],
    "its last number is cut off": ["a varint cut short", "a count of almost 2^63"],
    "it holds a number that is too large": ["a count of nine bytes"],
    "it holds 2 values instead of": ["fewer counts than told", "more counts than told"],
}  # fmt: skip
"""What the refusal says, code or field first, and what it is of."""


@pytest.fixture(scope="module")
def measuring(backend: Backend) -> tuple[Agent, str, str]:
    return backend.measuring()


def test_each_names_what_stops_it() -> None:
    assert sorted(name for names in STOPPED_BY.values() for name in names) == sorted(BAD)
    assert len(BAD) >= 50


@pytest.mark.parametrize(("said", "name"), [(said, name) for said, names in STOPPED_BY.items() for name in names])
def test_a_bad_batch_is_refused_with_what_is_wrong(
    backend: Backend, measuring: tuple[Agent, str, str], said: str, name: str
) -> None:
    agent, run_id, trial_id = measuring
    stream = agent.claim(trial_id).json()["streams"][0]["key"]
    text = json.dumps({"seq": 6, "clock_offset_us": 0} | BAD[name]).replace('"load"', f'"{stream}"')
    path = f"/agent/trials/{trial_id}/batches"
    answer = agent.client.post(path, content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert said in f"{answer.json()['code']}: {answer.json()['detail']}"
    assert len(answer.text) < 10_000
    assert backend.person().client.get(f"/runs/{run_id}/report").status_code == 200


def test_a_good_batch_passes_after_all_the_bad_ones(backend: Backend) -> None:
    agent, run_id, trial_id = backend.measuring()
    stream = agent.claim(trial_id).json()["streams"][0]["key"]
    content = _interval(stream=stream, count=5, histogram=_histogram(values=5)) | {"seq": 6, "clock_offset_us": 0}
    agent.client.post(f"/agent/trials/{trial_id}/batches", json=content).raise_for_status()
    agent.end(trial_id, 7)
    late = agent.send(trial_id, 8, frames=[frame(9)])
    assert (late.status_code, late.json()["code"]) == (409, "host-done")
    assert backend.person().client.get(f"/runs/{run_id}/report").status_code == 200


_MAX = 2**53
STRANGE = {
    "the far future": _frame(t_us=_MAX),
    "the far past": _frame(t_us=-_MAX),
    "largest values": _frame(t_us=T0_US + 1_500_000, values=[1e24, -1e24] * 4),
    "nothing readable": _frame(t_us=T0_US + 1_500_000, values=[None] * 8),
    "an empty interval": _interval(t1_us=T0_US),
    "most responses": _interval(t0_us=T0_US + 1_000_000, t1_us=T0_US + 2_000_000, count=_MAX),
    "responses without a histogram": _interval(t0_us=T0_US + 1_000_000, t1_us=T0_US + 2_000_000, count=7),
    "an empty histogram": _interval(
        t0_us=T0_US + 1_000_000, t1_us=T0_US + 2_000_000, count=0, histogram=_histogram(values=0)
    ),
    "an interval over all times": _interval(t0_us=-_MAX, t1_us=_MAX),
    "another measured window": _event(kind="phase", phase="measure") | {"frames": []},
    "phases in any order": {
        "events": [{"kind": "phase", "t_us": t, "phase": p} for t, p in ((5, "cooldown"), (_MAX, "warmup"))]
    },
    "an endless cooldown": {"events": [{"kind": "phase", "t_us": _MAX, "phase": "cooldown"}]},
    "a perturbation of nobody": _event(
        kind="action", t_us=T0_US + 2_000_000, ended_us=-_MAX, perturbation="p", number=_MAX, action="x", ok=True
    ),
    "a result of nothing": _event(
        kind="stream_result", stream="load", exit_code=None, live_requests=-1, stub_requests=-_MAX, printed=None
    ),
    "a result of everything": _event(
        kind="stream_result",
        stream="load",
        exit_code=_MAX,
        live_requests=_MAX,
        stub_requests=_MAX,
        printed={"requests": 0, "duration_s": 0, "bytes_read": -_MAX, "requests_per_s": 1e24}
        | dict.fromkeys(("latency_avg_us", "latency_stdev_us", "latency_max_us"), 1e24),
    ),
    "totals of nothing": _event(
        kind="stream_result",
        stream="load",
        exit_code=0,
        live_requests=0,
        stub_requests=0,
        printed=None,
        totals=dict.fromkeys(("sent", "completed", "connects", "reconnects", "bytes_read", "processes", "intended"), 0),
    ),
    "nginx's total": _event(kind="nginx_total", requests=-_MAX),
    "temporary files": _event(kind="temporary_files", requests=-1, responses=_MAX, log_bytes=_MAX),
    "an answer": _event(kind="answer", stream="load", status=999, headers={"": "\x00", "content-length": "-1e9"}),
    "handshakes": _event(kind="tls_use", full=_MAX, resumed=0, failed={"": _MAX, "%s{{}}": 0}, unfinished=_MAX),
    "requests by worker": _event(
        kind="served_requests",
        seconds=0,
        requests=_MAX,
        by_worker=[_MAX, 0],
        cache={"hit": _MAX},
        held=_MAX,
        compressed=0,
        body_bytes=_MAX,
        uncompressed_bytes=0,
    ),
    "memory": _event(kind="nginx_memory", at="end", workers=0, own_bytes=_MAX, zones_bytes=0, program_bytes=0),
    "a server's use": _event(kind="server_use", seconds=-1.5, cpu_s={"a": -1e24, "": 1e24}),
    "processes twice over": {"events": [{"t_us": T0_US, **_PROCESS, "cpus_allowed": "3-1"}] * 2},
    "an offset": {"clock_offset_us": -_MAX},
    "files of any content": {
        "events": [
            {"kind": "artefact", "t_us": 0, "name": name, "text": "\u2028%s{{}}\x00<" * 9}
            for name in ("nginx.conf", "nginx-V.txt", "error.log", "a..b")
        ]
    },
}


@pytest.mark.parametrize("content", STRANGE.values(), ids=STRANGE.keys())
@pytest.mark.parametrize("ended", [True, False], ids=["after the window", "within the window"])
def test_strange_data_breaks_neither_report_nor_charts(backend: Backend, content: dict[str, Any], ended: bool) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run_id = person.run(agent)["id"]
    trial_id = coordinator.begin(run_id)
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id, ended=ended)
    stream = agent.claim(trial_id).json()["streams"][0]["key"]
    text = json.dumps({"seq": 6, "clock_offset_us": 0} | content).replace('"load"', f'"{stream}"')
    path = f"/agent/trials/{trial_id}/batches"
    agent.client.post(path, content=text, headers={"Content-Type": "application/json"}).raise_for_status()
    agent.end(trial_id, 7)
    assert person.client.get(f"/runs/{run_id}/report").status_code == 200
    assert person.client.get(f"/runs/{run_id}").status_code == 200
    assert person.client.get(f"/trials/{trial_id}/series").status_code == 200
