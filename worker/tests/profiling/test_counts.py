"""What the kernel counts of a program that does a known number of things."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.profiles import KernelCounts
from ngxlab_worker.profiling.counts import between, counted

WAITS, PAGES = 300, 400
PROGRAM = """
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    puts("ready"), fflush(stdout);
    getchar();
    struct timespec moment = {0, 1000000};
    for (int i = 0; i < WAITS; i++) nanosleep(&moment, NULL);
    long page = sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++) memory[i * page] = 1;
    puts("done"), fflush(stdout);
    getchar();
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    source, binary = tmp_path / "counts.c", tmp_path / "counts"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", f"-DWAITS={WAITS}", f"-DPAGES={PAGES}", "-o", binary, source], check=True)
    with subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_waits_and_page_faults_are_those_of_the_program(program: "subprocess.Popen[str]") -> None:
    assert program.stdout is not None
    assert program.stdin is not None
    assert program.stdout.readline() == "ready\n"
    before = counted([program.pid])
    program.stdin.write("\n")
    program.stdin.flush()
    assert program.stdout.readline() == "done\n"
    found = between(before, counted([program.pid]))
    assert found is not None
    assert WAITS <= found.waits <= WAITS + 5  # and for its input, and its output
    assert PAGES <= found.minor_faults <= PAGES + 50  # and what the program itself has not touched before
    assert found.major_faults <= 50


def test_of_a_process_that_has_ended_nobody_knows() -> None:
    with subprocess.Popen(["true"]) as process:
        pass
    here = counted([os.getpid()])
    assert here is not None
    assert counted([os.getpid(), process.pid]) is None
    assert (between(here, None), between(None, here), counted([])) == (None, None, None)


def test_counts_that_have_become_less_are_not_told() -> None:
    def counts(waits: int) -> KernelCounts:
        return KernelCounts(cpu_wait_us=7, waits=waits, preemptions=0, migrations=None, minor_faults=0, major_faults=0)

    assert between(counts(5), counts(3)) is None
    assert between(counts(3), counts(5)) == counts(2).model_copy(update={"cpu_wait_us": 0})
