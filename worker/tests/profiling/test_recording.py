"""Real recordings of a program whose answer is known, and of a real nginx."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.profiles import Profile
from ngxlab_contracts.trials import ProfileSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.profiling import ProfilingError, Recording, probe, probe_profiling
from ngxlab_worker.profiling.unwinding import has_frame_pointers
from ngxlab_worker.sandbox import drop, resolve_run_as
from tests.support.fake_backend import FakeBackend
from tests.support.records import now_us
from tests.support.specs import NGINX, trial_spec
from tests.support.trials import assert_completed

pytestmark = pytest.mark.skipif(not probe_profiling().available, reason=probe_profiling().detail)

ROOT = Path(__file__).parents[2]
PLANTED = """
#include <stdlib.h>
#include <time.h>
static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}
#define SPIN(name) void name(double seconds) \\
    { for (double until = used() + seconds; used() < until;) for (volatile int i = 0; i < 2000; i++) ; }
__attribute__((noinline)) SPIN(the_rest)
__attribute__((noinline)) SPIN(a_tenth)
int main(void) {
    for (;;) {
        double cycle = (3 + 14.0 * rand() / RAND_MAX) / 1e3; /* no whole milliseconds, as samples are apart */
        the_rest(0.9 * cycle);
        a_tenth(0.1 * cycle);
    }
}
"""


@pytest.fixture
def planted(agent_folder: Path) -> Iterator[tuple[int, Path]]:
    """A process that spends a tenth of its CPU time in one function, and its program."""
    source, program = agent_folder / "planted.c", agent_folder / "planted"
    source.write_text(PLANTED)
    subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-rdynamic", "-o", program, source], check=True)
    with subprocess.Popen([program]) as process:
        yield process.pid, program
        process.kill()


def cpu_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def totals(told: Profile) -> dict[str, int]:
    """Samples of each function with what it called."""
    paths: list[set[int]] = []
    found: dict[str, int] = {}
    for parent, call, samples in zip(told.parents, told.calls, told.samples, strict=True):
        paths.append({call} | (paths[parent] if parent >= 0 else set()))
        for one in paths[-1]:
            found[told.frames[one]] = found.get(told.frames[one], 0) + samples
    return found


def recorded(pid: int, program: Path, user: str | None, cpu_time_s: float, hz: int = 999) -> tuple[Profile, float]:
    """A recording of a process while it uses so much CPU time, and what it used."""
    recording = Recording(ProfileSpec(hz=hz), [pid], program, 10, drop(resolve_run_as(user)), now_us)
    try:
        recording.open(life_s=600)
        recording.begin()
        before = cpu_s(pid)
        while cpu_s(pid) < before + cpu_time_s:
            time.sleep(0.02)
        recording.end()
        after = cpu_s(pid)
        return recording.result(), after - before
    finally:
        recording.close()


def test_a_planted_function_is_found_with_its_share_and_samples_are_cpu_time(
    planted: tuple[int, Path], user: str | None
) -> None:
    told, used_s = recorded(*planted, user, cpu_time_s=4)
    found, samples = totals(told), sum(told.samples)
    assert 100 * found["a_tenth"] / samples == pytest.approx(10, abs=2)
    assert 100 * found["the_rest"] / samples == pytest.approx(90, abs=2)
    assert samples / told.hz == pytest.approx(used_s, rel=0.03)
    assert told.unwinding == "fp"
    assert found["main"] > 0.98 * samples  # callers are found
    assert (told.lost, told.unresolved < 0.02 * samples) == (0, True)


def test_without_frame_pointers_the_tables_are_used(planted: tuple[int, Path], user: str | None) -> None:
    _, program = planted
    assert has_frame_pointers(program)
    plain = program.with_name("plain")
    source = program.with_suffix(".c")
    subprocess.run(["gcc", "-O2", "-fomit-frame-pointer", "-rdynamic", "-o", plain, source], check=True)
    assert not has_frame_pointers(plain)
    assert not has_frame_pointers(source)
    with subprocess.Popen([plain]) as process:
        told, _ = recorded(process.pid, plain, user, cpu_time_s=1)
        process.kill()
    assert told.unwinding == "dwarf"
    assert totals(told)["main"] > 0.95 * sum(told.samples)


def test_a_recording_that_has_ended_ends_no_process_that_has_its_number_since(
    planted: tuple[int, Path], user: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, _: killed.append(group))
    recorded(*planted, user, cpu_time_s=0.2)
    assert not killed


KILLED = """
import sys
from pathlib import Path
from ngxlab_contracts.trials import ProfileSpec
from ngxlab_worker.profiling import Recording
from ngxlab_worker.sandbox import drop
from tests.support.records import now_us
recording = Recording(ProfileSpec(), [int(sys.argv[1])], Path(sys.argv[2]), 10, drop(None), now_us)
recording.open(life_s=600)
recording.begin()
print(recording._process.pid, flush=True)
sys.stdin.read()
"""


def test_of_an_agent_that_is_killed_no_perf_is_left(planted: tuple[int, Path]) -> None:
    pid, program = planted
    command = [sys.executable, "-c", KILLED, str(pid), str(program)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as agent:
        assert agent.stdout is not None
        group = int(agent.stdout.readline())
        assert alive(group)
        agent.kill()
    deadline = time.monotonic() + 10
    while alive(group) and time.monotonic() < deadline:
        time.sleep(0.02)
    left = alive(group)
    if left:
        os.killpg(group, 9)
    assert not left


def alive(group: int) -> list[str]:
    """The programs of a process group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
            state, _, own = rest.split()[:3]
            if int(own) == group and state not in "ZX":
                found.append(name)
    return found


def test_a_process_that_does_nothing_has_no_profile(agent_folder: Path, user: str | None) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        with pytest.raises(ProfilingError, match=r"no sample was taken|recorded nothing"):
            recorded(process.pid, Path("/usr/bin/sleep"), user, cpu_time_s=0)
        process.kill()


def test_a_process_that_is_not_there_cannot_be_recorded(user: str | None) -> None:
    recording = Recording(ProfileSpec(), [2**22 - 1], Path(NGINX), 1, drop(resolve_run_as(user)), now_us)
    with pytest.raises(ProfilingError, match=r"did not begin to record: .+"):
        recording.open(life_s=10)
    recording.close()


def test_more_samples_than_anybody_reads_are_refused(user: str | None) -> None:
    recording = Recording(ProfileSpec(hz=999), [os.getpid()], Path(NGINX), 86_400, drop(resolve_run_as(user)), now_us)
    with pytest.raises(ProfilingError, match="sample less often"):
        recording.open(life_s=10)
    recording.close()


def test_a_host_without_perf_says_what_helps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    lacking = probe.probe_profiling()
    assert (lacking.available, "apt-get install linux-perf" in lacking.detail) == (False, True)


def test_an_ordinary_trial_has_no_profile(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(spec := trial_spec())
    namespaced.execute(spec.trial_id)
    assert_completed(record)
    assert not [event for event in record.events if isinstance(event, Profile)]
