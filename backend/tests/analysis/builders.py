"""Constructs trial records from plain numbers, so that each test knows the answer without the code under test."""

import math
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID, uuid5

from hdrh.histogram import HdrHistogram
from ngxlab.analysis.records import HostRecord, StoredFrame, TrialRecord
from ngxlab_contracts.hosts import Cpu, Inventory, NginxBinary, Nic, WrkBinary
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import (
    Answer,
    Artefact,
    Event,
    LatencyInterval,
    Layout,
    NoteEvent,
    PhaseEvent,
    ProcessEvent,
    SeriesDef,
    StreamResult,
    WrkPrint,
)
from ngxlab_contracts.trials import NginxSpec, SamplingSpec, TimingSpec, TrialSpec

NAMESPACE = UUID("8f2b3c1e-93f6-4b07-9e0e-0a1d6f1c2a55")
T0_US = 1_700_000_000_000_000
"""When the warm-up begins."""

Value = Callable[[float], float | None]
Samples = Callable[[int], Sequence[int]]
Column = tuple[str, Mapping[str, str], Value]
Columns = Sequence[Column]
"""(name, labels, value at t_s), with t_s relative to the window's beginning."""


def identity(name: str) -> UUID:
    return uuid5(NAMESPACE, name)


def histogram(values_us: Sequence[int]) -> str:
    recorder = HdrHistogram(1, 60_000_000, 3)
    for value in values_us:
        recorder.record_value(value)
    payload: bytes = recorder.encode()
    return payload.decode()


def spec(
    *,
    warmup_s: float = 2,
    measure_s: float = 10,
    interval_ms: int = 1000,
    streams: Sequence[StreamSpec] | None = None,
    config: str = "events { worker_connections 1024; } http { access_log off; }",
    arm: str = "a",
    block: int = 1,
    name: str = "trial",
    host_name: str = "host",
    target: bool = True,
    remote_streams: bool = False,
) -> TrialSpec:
    default = [StreamSpec(key="main", engine="wrk", threads=2, connections=100)]
    return TrialSpec(
        trial_id=identity(name),
        run_id=identity("run"),
        host_id=identity(host_name),
        arm=arm,
        block=block,
        position=1,
        attempt=1,
        nginx=NginxSpec(binary="/usr/sbin/nginx", config=config, workers=4) if target else None,
        remote_streams=remote_streams,
        streams=list(streams) if streams is not None else default,
        timing=TimingSpec(warmup_s=warmup_s, measure_s=measure_s, cooldown_s=1),
        sampling=SamplingSpec(interval_ms=interval_ms),
    )


def inventory(
    *,
    kernel: str = "6.1.0",
    governor: str | None = "performance",
    speed_mbps: int | None = None,
    hostname: str = "bench1",
    boot_id: str = "boot-1",
) -> Inventory:
    return Inventory(
        agent_version="0.1.0",
        hostname=hostname,
        boot_id=boot_id,
        kernel=kernel,
        os="Debian 12",
        python="3.11",
        cpu=Cpu(model="CPU", logical=2, physical=2, mhz=None, governor=governor),
        memory_bytes=8 * 2**30,
        nics=[Nic(name="eth0", addresses=["10.0.0.1"], speed_mbps=speed_mbps, mtu=1500)],
        limits={"nofile_soft": "1024", "nofile_hard": "20000", "ip_local_port_range": "32768\t60999"},
        settings={"net.core.somaxconn": "4096"},
        nginx=[
            NginxBinary(path="/usr/sbin/nginx", version="1.22.1", configure_arguments=[], modules=[], sha256="ab" * 32)
        ],
        wrk=WrkBinary(path="/usr/bin/wrk", version="4.1.0", sha256="cd" * 32),
        capabilities=[],
    )


def phases(of: TrialSpec, *, cooldown: bool = True) -> list[Event]:
    """Phase events as the agent sends them, without any delay between them."""
    start = T0_US + round(of.timing.warmup_s * 1e6)
    end = start + round(of.timing.measure_s * 1e6)
    events: list[Event] = [
        PhaseEvent(t_us=T0_US - 1_500_000, phase="ready"),
        PhaseEvent(t_us=T0_US, phase="warmup"),
        PhaseEvent(t_us=start, phase="measure"),
    ]
    return [*events, PhaseEvent(t_us=end, phase="cooldown")] if cooldown else events


def collector(
    of: TrialSpec, columns: Columns, *, layout: int = 0, name: str = "test", skip: Callable[[float], bool] | None = None
) -> tuple[Layout, list[StoredFrame]]:
    """Readings every interval from a second before the load to the end of the window, both included."""
    series = [SeriesDef(name=column, labels=dict(labels), unit="1", kind="gauge") for column, labels, _ in columns]
    step = of.sampling.interval_ms / 1000
    first, last = -of.timing.warmup_s - 1, of.timing.measure_s
    count = math.floor((last - first) / step + 1e-9) + 1
    frames = []
    for number in range(count):
        t_s = round(first + number * step, 6)
        if skip is not None and skip(t_s):
            continue
        t_us = T0_US + round((of.timing.warmup_s + t_s) * 1e6)
        frames.append(StoredFrame(layout, t_us, 100, [value(t_s) for _, _, value in columns]))
    return Layout(id=layout, collector=name, series=series), frames


def intervals(of: TrialSpec, samples_us: Samples, stream: str = "main") -> list[LatencyInterval]:
    """One a second from the warm-up's beginning to the window's end; ``samples_us`` by the second's t_s."""
    found = []
    for t_s in range(-round(of.timing.warmup_s), round(of.timing.measure_s)):
        start = T0_US + round((of.timing.warmup_s + t_s) * 1e6)
        values = samples_us(t_s)
        found.append(
            LatencyInterval(
                stream=stream,
                t0_us=start,
                t1_us=start + 1_000_000,
                count=len(values),
                histogram=histogram(values) if values else None,
            )
        )
    return found


def host(
    of: TrialSpec,
    collectors: Sequence[tuple[Layout, list[StoredFrame]]] = (),
    latency: Sequence[LatencyInterval] = (),
    extra: Sequence[Event] = (),
    *,
    events: Sequence[Event] | None = None,
    of_inventory: Inventory | None = None,
    clock_offset_us: int = 0,
    name: str | None = None,
) -> HostRecord:
    return HostRecord(
        host_id=of.host_id,
        spec=of,
        clock_offset_us=clock_offset_us,
        inventory=of_inventory if of_inventory is not None else inventory(),
        layouts={layout.id: layout for layout, _ in collectors},
        frames=sorted((frame for _, frames in collectors for frame in frames), key=lambda frame: frame.t_us),
        intervals=latency,
        events=[*(phases(of) if events is None else events), *extra],
        name=name,
    )


def trial(record: HostRecord, *more: HostRecord, state: str = "completed") -> TrialRecord:
    of = record.spec
    return TrialRecord(of.trial_id, of.arm, of.block, of.position, of.attempt, state, [record, *more])


def wrk_print(requests: int, **errors: int) -> WrkPrint:
    return WrkPrint(
        requests=requests,
        duration_s=10,
        bytes_read=requests * 100,
        requests_per_s=requests / 10,
        latency_avg_us=100,
        latency_stdev_us=10,
        latency_max_us=1000,
        **errors,
    )


def stream_result(
    stream: str = "main", /, *, live: int | None, printed: int | None, stub: int | None, **errors: int
) -> StreamResult:
    return StreamResult(
        t_us=T0_US,
        stream=stream,
        exit_code=0,
        live_requests=live,
        stub_requests=stub,
        printed=wrk_print(printed, **errors) if printed is not None else None,
    )


def process(role: str, cpus: str, index: int = 0, stream: str = "main") -> ProcessEvent:
    return ProcessEvent.model_validate(
        {"t_us": T0_US, "role": role, "index": index, "pid": 100 + index, "cpus_allowed": cpus}
        | ({"stream": stream} if role == "generator" else {})
    )


def artefact(name: str, text: str) -> Artefact:
    return Artefact(t_us=T0_US, name=name, text=text)


def answer(status: int, stream: str = "main") -> Answer:
    headers = {"content-type": "text/html", "content-length": "153"}
    return Answer(t_us=T0_US, stream=stream, status=status, headers=headers)


def note(code: str, message: str) -> NoteEvent:
    return NoteEvent(t_us=T0_US, severity="error", code=code, message=message)


def line(slope: float, start: float = 0.0) -> Value:
    """A counter that grows by ``slope`` a second, ``start`` at the window's beginning."""
    return lambda t_s: start + slope * t_s


def constant(value: float | None) -> Value:
    return lambda t_s: value
