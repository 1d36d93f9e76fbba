"""Real processes: names, threads that come and go, and files of another user's process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_worker.collectors import SampleTargets
from ngxlab_worker.collectors.process import Identity, TrackedProcess, fd_folder_has_size
from ngxlab_worker.collectors.processes import ProcessCollector
from ngxlab_worker.collectors.procfile import list_folder
from ngxlab_worker.collectors.reading import Reading

# One command a line: "start" begins a thread that burns CPU, "stop" ends the oldest. Each is answered when it is done.
_PUPPET = """
import ctypes, os, sys, threading
ctypes.CDLL(None).prctl(15, b"a) R (b 1", 0, 0, 0)
threads = []
def burn(started, stop):
    started.set()
    while not stop.is_set():
        sum(range(1000))
print("ready", flush=True)
for line in sys.stdin:
    if line == "start\\n":
        started, stop = threading.Event(), threading.Event()
        threads.append((threading.Thread(target=burn, args=(started, stop)), stop))
        threads[-1][0].start()
        started.wait()
    else:
        thread, stop = threads.pop(0)
        stop.set()
        thread.join()
        while os.path.exists(f"/proc/self/task/{thread.native_id}"):
            os.sched_yield()
    print("done", flush=True)
for thread, stop in threads:
    stop.set()
"""


class Puppet:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PUPPET], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self._process.pid
        self._await("ready")

    def tell(self, command: str) -> None:
        assert self._process.stdin is not None
        print(command, file=self._process.stdin, flush=True)
        self._await("done")

    def end(self) -> None:
        self._process.communicate(timeout=10)

    def _await(self, answer: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == f"{answer}\n"


@pytest.fixture
def puppet() -> Iterator[Puppet]:
    puppet = Puppet()
    yield puppet
    puppet.end()


def series(reading: Reading) -> dict[str, float | None]:
    """Values by name and those labels that tell columns of one process apart."""
    names = [
        column.name + "".join(f" {value}" for key, value in column.labels.items() if key in {"mode", "state", "thread"})
        for column in reading.columns
    ]
    return dict(zip(names, reading.values, strict=True))


def test_a_generators_threads_are_followed_and_its_sums_never_step_back(puppet: Puppet) -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(generators={"main": [puppet.pid]}))
    run = "ngxlab_process_run_seconds_total"
    threads: list[set[str]] = []
    totals: list[float] = []
    for command in ("start", "start", "stop", "start", "stop"):
        puppet.tell(command)
        values = series(collector.read())
        threads.append({name.split()[1] for name in values if name.startswith("ngxlab_thread_run")})
        totals.append(values[run] or 0)
        states = [values[f"ngxlab_process_threads {state}"] for state in ("R", "S", "D", "other")]
        assert sum(state or 0 for state in states) == len(threads[-1])
    assert threads == [{"0", "1"}, {"0", "1", "2"}, {"0", "2"}, {"0", "2", "3"}, {"0", "3"}]
    assert totals == sorted(totals)
    collector.close()


def test_one_thread_replaced_by_another_between_two_readings(puppet: Puppet) -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(generators={"main": [puppet.pid]}))
    puppet.tell("start")
    before = series(collector.read())
    puppet.tell("stop")
    puppet.tell("start")
    missed, after = series(collector.read()), series(collector.read())
    assert "ngxlab_thread_run_seconds_total 1" in before
    assert "ngxlab_thread_run_seconds_total 1" not in missed, "the ended thread is gone at once"
    assert "ngxlab_thread_run_seconds_total 2" in after, "its successor is found at the next reading"
    collector.close()


def test_an_ended_process_leaves_the_columns(puppet: Puppet) -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(generators={"main": [puppet.pid]}, agent=os.getpid()))
    assert {column.labels["role"] for column in collector.read().columns} == {"generator", "agent"}
    puppet.end()
    reading = collector.read()
    assert {column.labels["role"] for column in reading.columns} == {"agent"}
    assert len(reading.values) == len(reading.columns)
    collector.follow(SampleTargets(generators={"main": [puppet.pid]}))
    assert collector.read().columns == ()


def test_labels(puppet: Puppet) -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(nginx_workers=[os.getpid(), puppet.pid], agent=None))
    first, *_, last = collector.read().columns
    assert (first.name, first.kind, first.unit) == ("ngxlab_process_cpu_seconds_total", "counter", "seconds")
    assert first.labels == {"role": "nginx-worker", "index": "0", "mode": "user"}
    assert last.labels == {"role": "nginx-worker", "index": "1"}
    collector.close()


def test_open_files_are_counted(puppet: Puppet) -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(agent=puppet.pid))
    folder = os.open(f"/proc/{puppet.pid}", os.O_PATH)
    expected = len(list_folder("fd", dir_fd=folder))
    os.close(folder)
    assert series(collector.read())["ngxlab_process_open_fds"] == expected == 3
    collector.close()


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Files are opened as nobody while the test runs, if it runs as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


@pytest.mark.usefixtures("unprivileged")
def test_what_another_users_process_hides_is_none_and_said_once() -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(nginx_master=1))
    reading = collector.read()
    values = series(reading)
    assert values["ngxlab_process_read_bytes_total"] is None
    assert values["ngxlab_process_write_syscalls_total"] is None
    assert (values["ngxlab_process_resident_memory_bytes"] or 0) > 0
    hidden = {"io of nginx-master"} | (set() if fd_folder_has_size() else {"open files of nginx-master"})
    assert {notice.message.partition(":")[0] for notice in reading.notices} == hidden
    assert {notice.code for notice in reading.notices} == {"process-detail-unreadable"}
    again = collector.read()
    assert again.notices == []
    assert again.columns is reading.columns
    collector.close()


@pytest.mark.usefixtures("unprivileged")
def test_before_linux_6_2_open_files_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ngxlab_worker.collectors.process.fd_folder_has_size", lambda: False)
    collector = ProcessCollector()
    collector.follow(SampleTargets(nginx_master=1))
    reading = collector.read()
    assert series(reading)["ngxlab_process_open_fds"] is None
    assert any(notice.message.startswith("open files of nginx-master: ") for notice in reading.notices)
    collector.close()


def test_a_process_that_never_was() -> None:
    collector = ProcessCollector()
    collector.follow(SampleTargets(agent=2**22 + 1))
    assert collector.read() == Reading((), [], [])


def test_nothing_stays_open(puppet: Puppet) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    process = TrackedProcess(Identity("generator", 0, "main"), puppet.pid)
    puppet.tell("start")
    assert process.read() is not None
    process.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_generators_processes_are_one(puppet: Puppet) -> None:
    collector = ProcessCollector()
    other = Puppet()
    try:
        collector.follow(SampleTargets(generators={"main": [puppet.pid, other.pid]}))
        alone = ProcessCollector()
        alone.follow(SampleTargets(generators={"main": [puppet.pid], "other": [other.pid]}))
        together, apart = collector.read(), alone.read()
        collector_threads = [series for series in together.columns if series.name == "ngxlab_thread_run_seconds_total"]
        alone.close()
    finally:
        other.end()
    assert [series.labels["thread"] for series in collector_threads] == ["0", "1"]
    memory = "ngxlab_process_resident_memory_bytes"
    assert total_of(together, memory) == pytest.approx(total_of(apart, memory), rel=0.1)
    assert len({series.labels["index"] for series in together.columns if "index" in series.labels}) == 1
    assert collector.read().columns == (), "sums over fewer processes would step back"
    collector.close()


def total_of(reading: Reading, name: str) -> float:
    return sum(
        value or 0.0 for series, value in zip(reading.columns, reading.values, strict=True) if series.name == name
    )
