"""The reader of wrk's histogram, on a process that lays out memory as wrk does (real wrk: tests/trial)."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator

import pytest
from ngxlab_worker.engines.wrk.memory import MemoryUnreadableError, WrkGoneError, WrkMemory

TIMEOUT_S = 1
LAYOUT = f"""
import mmap, struct, sys
limit = {TIMEOUT_S} * 1_000_000 + 1
memory = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def histogram(at, counts, count, limit=limit):
    low, high = (min(counts), max(counts)) if counts else (2**64 - 1, 0)
    struct.pack_into("<4Q", memory, at, count, limit, low, high)
    for latency, number in counts.items():
        struct.pack_into("<Q", memory, at + 32 + latency * 8, number)
"""
REAL = "histogram((24 << 20) + 0x18, {3: 2, 900: 1, 999_999: 7}, 10)\n"

Layout = Callable[[str], int]


@pytest.fixture
def laid_out() -> Iterator[Layout]:
    """Run ``LAYOUT`` and then the given code in a process; gives its PID once that is done."""
    started: list[subprocess.Popen[bytes]] = []

    def start(code: str) -> int:
        script = LAYOUT + textwrap.dedent(code) + "print(flush=True)\nsys.stdin.read()"
        process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process.pid

    yield start
    for process in started:
        process.communicate()


def read(pid: int) -> dict[int, int]:
    memory = WrkMemory(pid, TIMEOUT_S)
    try:
        found = memory.snapshot()
    finally:
        memory.close()
    return dict(zip(found.latency_us.tolist(), found.count.tolist(), strict=True))


def test_the_histogram_is_found_and_read_sparsely(laid_out: Layout) -> None:
    assert read(laid_out(REAL)) == {3: 2, 900: 1, 999_999: 7}


@pytest.mark.parametrize(
    "decoy",
    [
        "histogram(0x10, {5: 4}, 9999)",  # the sum does not fit the count
        "histogram(0x18, {5: 400}, 400, limit=10_000_001)",  # wrk's other histogram
        "histogram(0x10, {}, 500)",  # a count, but nothing between min and max
        "struct.pack_into('<4Q', memory, 0x10, 10, limit, 50, limit + 9)",  # max beyond the limit
    ],
)
def test_decoys_are_passed_over(laid_out: Layout, decoy: str) -> None:
    assert read(laid_out(f"{decoy}\n{REAL}")) == {3: 2, 900: 1, 999_999: 7}


def test_a_fresh_histogram_is_empty(laid_out: Layout) -> None:
    assert read(laid_out("histogram(0x18, {}, 0)\n")) == {}


def test_nothing_found_may_be_tried_again(laid_out: Layout) -> None:
    with pytest.raises(MemoryUnreadableError, match="no latency histogram") as caught:
        read(laid_out("\n"))
    assert not caught.value.permanent


def test_a_process_that_is_gone() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    with pytest.raises(WrkGoneError):
        read(process.pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user to be refused as")
def test_another_users_process_is_unreadable_for_good(laid_out: Layout) -> None:
    pid = laid_out(REAL)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        try:
            read(pid)
        except MemoryUnreadableError as error:
            os.write(writer, f"{error.permanent} {error}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert pipe.read().startswith("True the kernel does not allow")
