"""The whole sampler against this machine and a real nginx."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ngxlab_worker.collectors import Sample, Sampler, SampleTargets, network, read_status
from ngxlab_worker.collectors.procfile import Machine, ProcFile
from ngxlab_worker.collectors.reading import Table
from ngxlab_worker.collectors.sampler import Layouts, host_collectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ngxlab_contracts.telemetry import Layout

    from .conftest import Nginx, StartNginx

Series = dict[tuple[str, ...], float | None]
# The kernel lets these step back a little (proc(5)).
_UNSTEADY = {"idle", "iowait"}


def clock() -> int:
    return time.time_ns() // 1000


class Recorder:
    """Keeps layouts and reads frames as the backend does."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self.layouts: dict[int, Layout] = {}
        self.collectors: set[str] = set()
        self.last = Sample()

    def take(self) -> Series:
        self.last = self._sampler.sample()
        for layout in self.last.new_layouts:
            assert layout.id == len(self.layouts), "ids count up from 0 and are declared once"
            self.layouts[layout.id] = layout
        values: Series = {}
        self.collectors = {self.layouts[frame.layout].collector for frame in self.last.frames}
        for frame in self.last.frames:
            for series, value in zip(self.layouts[frame.layout].series, frame.values, strict=True):
                key = (series.name, *series.labels.values())
                assert key not in values
                values[key] = value
        return values

    def counters(self) -> set[tuple[str, ...]]:
        return {
            (series.name, *series.labels.values())
            for layout in self.layouts.values()
            for series in layout.series
            if series.kind == "counter" and not _UNSTEADY & set(series.labels.values())
        }


def targets_of(nginx: Nginx, workers: list[int]) -> SampleTargets:
    return SampleTargets(
        status_address=nginx.address, nginx_master=nginx.master, nginx_workers=workers, agent=os.getpid()
    )


def workers_seen(values: Iterable[tuple[str, ...]]) -> set[str]:
    return {key[2] for key in values if key[:2] == ("ngxlab_process_open_fds", "nginx-worker")}


def test_counters_of_a_real_nginx_only_grow(start_nginx: StartNginx) -> None:
    nginx = start_nginx()
    sampler = Sampler(targets_of(nginx, nginx.workers()), clock)
    recorder = Recorder(sampler)
    samples = [recorder.take() for _ in range(20)]
    sampler.close()
    assert recorder.last.notes == []
    assert {"cpu", "load", "memory", "network", "tcp", "softnet", "process", "stub_status"} <= recorder.collectors
    assert workers_seen(samples[0]) == {"0", "1", "2", "3"}
    for key in recorder.counters():
        values = [sample[key] for sample in samples if key in sample]
        assert values == sorted(values, key=lambda value: value or 0), key
    assert all(frame.t_us > 0 for frame in recorder.last.frames)


def test_polls_explain_every_request_of_an_idle_nginx(start_nginx: StartNginx) -> None:
    nginx = start_nginx(keepalive_requests=7)
    sampler = Sampler(targets_of(nginx, nginx.workers()), clock)
    recorder = Recorder(sampler)
    before = read_status(nginx.address)
    for taken in range(1, 31):
        values = recorder.take()
        assert values["ngxlab_stub_status_polls_total",] == sampler.polls == taken
        assert values["nginx_http_requests_total",] == before.requests + taken
    sampler.close()
    assert read_status(nginx.address).requests == before.requests + sampler.polls + 1


def test_a_worker_that_ends_leaves_the_others_their_labels(start_nginx: StartNginx) -> None:
    nginx = start_nginx()
    workers = nginx.workers()
    sampler = Sampler(targets_of(nginx, workers), clock)
    recorder = Recorder(sampler)
    recorder.take()
    os.kill(workers[1], signal.SIGKILL)
    while Path(f"/proc/{workers[1]}").exists() or len(nginx.workers()) < 4:
        os.sched_yield()
    values = recorder.take()
    assert workers_seen(values) == {"0", "2", "3"}
    assert [layout.collector for layout in recorder.last.new_layouts] == ["process"]
    assert recorder.last.notes == []
    workers[1] = next(pid for pid in nginx.workers() if pid not in workers)
    sampler.update(targets_of(nginx, workers))
    assert workers_seen(recorder.take()) == {"0", "1", "2", "3"}
    assert recorder.last.new_layouts == [], "columns seen before keep their number"
    sampler.close()


def test_a_vanished_nginx_is_noted_once(start_nginx: StartNginx) -> None:
    nginx = start_nginx()
    sampler = Sampler(targets_of(nginx, nginx.workers()), clock)
    recorder = Recorder(sampler)
    recorder.take()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        sampler.update(SampleTargets(status_address=closed.getsockname(), agent=os.getpid()))
        recorder.take()
        (note,) = recorder.last.notes
        assert (note.code, note.severity) == ("collector-failed", "warning")
        assert "stub_status" in note.message
        assert "Connection refused" in note.message
        assert "stub_status" not in recorder.collectors
        recorder.take()
        assert recorder.last.notes == []
    sampler.update(targets_of(nginx, nginx.workers()))
    recorder.take()
    assert [(note.code, note.severity) for note in recorder.last.notes] == [("collector-recovered", "info")]
    assert "stub_status" in recorder.collectors
    sampler.close()


def test_an_unreadable_source_stops_its_own_collector_only(tmp_path: Path) -> None:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            (tmp_path / entry.name).symlink_to(entry)
    source = tmp_path / "meminfo"
    source.unlink()
    source.symlink_to("/proc/self/mem")  # its page 0 is never mapped: EIO, for root too
    sampler = Sampler(SampleTargets(), clock, proc=str(tmp_path))
    recorder = Recorder(sampler)
    recorder.take()
    assert [note.code for note in recorder.last.notes] == ["collector-failed"]
    assert "memory" in recorder.last.notes[0].message
    assert "Input/output error" in recorder.last.notes[0].message
    assert "memory" not in recorder.collectors
    assert {"cpu", "load", "network", "tcp"} <= recorder.collectors
    source.unlink()
    source.symlink_to("/proc/loadavg")  # readable, but something else
    recorder.take()
    assert ["unexpected content" in note.message for note in recorder.last.notes] == [True]
    recorder.take()
    assert recorder.last.notes == []
    sampler.close()
    source.unlink()
    source.symlink_to("/proc/meminfo")
    assert recorder.take()["node_memory_MemTotal_bytes",] is not None
    assert [note.code for note in recorder.last.notes] == ["collector-recovered"]
    sampler.close()


def test_a_source_that_does_not_exist_is_a_failure_unless_it_is_optional(tmp_path: Path) -> None:
    (tmp_path / "net").symlink_to("/proc/net")
    sampler = Sampler(SampleTargets(), clock, proc=str(tmp_path))
    recorder = Recorder(sampler)
    values = recorder.take()
    sampler.close()
    assert recorder.collectors == {"network", "tcp", "softnet"}
    assert not [key for key in values if key[0].startswith("node_nf_conntrack")]
    without_source = {one.name for one in host_collectors(Machine())} - recorder.collectors
    assert {note.message.split()[1].rstrip(":") for note in recorder.last.notes} == without_source


def test_columns_seen_before_get_their_old_number() -> None:
    lines = [
        b"",
        b"",
        b" lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
        b" veth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
    ]
    table = Table(network.METRICS)
    layouts = Layouts()
    numbers = []
    for count in (3, 4, 3, 4):
        columns = table.reading(network.parse(b"\n".join(lines[:count]))).columns
        number, layout = layouts.number("network", columns)
        numbers.append((number, layout is not None))
    assert numbers == [(0, True), (1, True), (0, False), (1, False)]


def test_a_file_of_many_pages_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long"
    file = ProcFile(str(path))
    for size in (0, 1, 16_383, 16_384, 16_385, 100_000, 5):
        path.write_bytes(b"x" * size)
        assert len(file.read()) == size
    file.close()


def opened() -> set[tuple[int, str]]:
    """What this process has open, by number. Leftovers of other tests may close at any time."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add((int(path.name), str(path.readlink())))
    return found


def test_nothing_stays_open(start_nginx: StartNginx) -> None:
    nginx = start_nginx()
    before = opened()
    sampler = Sampler(targets_of(nginx, nginx.workers()), clock)
    sampler.sample()
    own = opened() - before
    assert own
    sampler.close()
    assert not own & opened()


@pytest.mark.parametrize("targets", [SampleTargets(), SampleTargets(nginx_workers=[2**22 + 1], agent=2**22 + 2)])
def test_without_processes_there_is_no_process_frame(targets: SampleTargets) -> None:
    sampler = Sampler(targets, clock)
    recorder = Recorder(sampler)
    recorder.take()
    sampler.close()
    assert not {"process", "stub_status"} & recorder.collectors
