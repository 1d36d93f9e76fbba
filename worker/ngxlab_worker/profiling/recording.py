"""One recording of perf: opened on nginx's processes before the load, switched on and off at the edges of the window.

perf runs beside the trial's sandbox, with the agent's rights, and looks at nothing but the processes that it is told;
those that they start later are followed, as after a reload. What it records goes to a file without a name. What it
recorded is read by a perf without rights, since that one reads files that the sampled processes may have made.
"""

import contextlib
import os
import select
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ngxlab_contracts.profiles import KernelCounts, Profile
from ngxlab_contracts.trials import ProfileSpec

from ngxlab_worker.core.kernel_files import PROC
from ngxlab_worker.core.programs import last_words, printable
from ngxlab_worker.profiling.counts import between, counted
from ngxlab_worker.profiling.probe import PERF, samples_kernel
from ngxlab_worker.profiling.stacks import KERNEL, CallTree, call_tree
from ngxlab_worker.profiling.unwinding import SAMPLE_BYTES, STACK_BYTES, Unwinding, has_frame_pointers

MOST_BYTES = 256 << 20
"""Of one recording: what would be larger is unwound by frame pointers, or is refused."""
OPEN_S = 15.0
"""To open a clock for each thread on each CPU."""
CLOSE_S = 20.0
READ_S = 60.0
"""To name the functions of a recording."""
_WITH_AGENT = ("--pdeathsig", "TERM")
"""What ``setpriv`` is told, so that neither perf outlives the agent; ``timeout`` passes the signal on."""
_READING = {"as": 2 << 30, "fsize": 64 << 20, "core": 0}
"""Bounds of the perf that reads, by prlimit's names: the kernel's modules, which it may unpack, are smaller."""
_MOST_CLOCKS = 4_000
"""Beyond so many threads on CPUs, threads that begin later are not followed."""
_ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "PERF_CONFIG": "/dev/null",
}


class ProfilingError(Exception):
    """There is no profile, and the message says why. The trial itself is sound."""


@dataclass
class Recording:
    """``pids``: the master and the workers. ``program``: nginx. ``seconds``: how long the window is to be. ``drop``:
    the command by which the reading perf gives up its rights."""

    spec: ProfileSpec
    pids: Sequence[int]
    program: Path
    seconds: float
    drop: Sequence[str]
    now_us: Callable[[], int]
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)
    _unwinding: Unwinding = field(default="fp", init=False)
    _kernel: bool = field(default=True, init=False)
    _data: IO[bytes] | None = field(default=None, init=False)
    _said: IO[bytes] | None = field(default=None, init=False)
    _control: int = field(default=-1, init=False)
    _answers: int = field(default=-1, init=False)
    _began_us: int | None = field(default=None, init=False)
    _ended_us: int | None = field(default=None, init=False)
    _before: KernelCounts | None = field(default=None, init=False)
    _counts: KernelCounts | None = field(default=None, init=False)

    def open(self, life_s: float) -> None:
        """Start perf, and wait until its clocks are there, still switched off. It is killed after ``life_s`` whatever
        happens. Raises ``ProfilingError``."""
        self._kernel = samples_kernel()
        self._unwinding = self._affordable()
        self._data, self._said = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (closed with it)
        theirs, self._control = os.pipe()
        self._answers, their_answers = os.pipe()
        try:
            self._process = subprocess.Popen(
                self._command(theirs, their_answers, life_s),
                stdin=subprocess.DEVNULL, stdout=self._data, stderr=self._said, env=_ENVIRONMENT, cwd="/",
                pass_fds=(theirs, their_answers), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ProfilingError(f"perf cannot be started: {error.strerror or error}") from error
        finally:
            os.close(theirs)
            os.close(their_answers)
        self._tell("ping")
        if not select.select([self._answers], [], [], OPEN_S)[0] or not os.read(self._answers, 64):
            raise ProfilingError(f"perf did not begin to record: {self._words()}")

    def begin(self) -> None:
        """The measured window begins."""
        self._tell("enable")
        self._began_us, self._before = self.now_us(), counted(self.pids)

    def end(self) -> None:
        """The measured window has ended."""
        self._tell("disable")
        self._ended_us, self._counts = self.now_us(), between(self._before, counted(self.pids))

    def result(self) -> Profile:
        """What was sampled between :meth:`begin` and :meth:`end`. Raises ``ProfilingError``."""
        process, data = self._process, self._data
        if process is None or data is None or self._began_us is None or self._ended_us is None:
            raise ProfilingError("nothing was recorded")
        self._tell("stop")
        try:
            process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            raise ProfilingError(f"perf did not end: {self._words()}") from None
        if process.returncode:
            raise ProfilingError(f"perf ended with {process.returncode}: {self._words()}")
        size = os.fstat(data.fileno()).st_size
        if size >= MOST_BYTES:
            raise ProfilingError(f"the recording has more than {MOST_BYTES >> 20} MiB")
        if not size:
            raise ProfilingError(f"perf recorded nothing: {self._words()}")
        tree = self._read(data)
        if not tree.calls:
            raise ProfilingError("no sample was taken: nginx used no CPU time in the window")
        return Profile(
            t_us=self._ended_us,
            hz=self.spec.hz,
            seconds=(self._ended_us - self._began_us) / 1e6,
            unwinding=self._unwinding,
            kernel=self._kernel and any(module == KERNEL for _, module in tree.frames),
            lost=tree.lost,
            unresolved=tree.unresolved,
            frames=[printable(name) for name, _ in tree.frames],
            modules=[printable(module) for _, module in tree.frames],
            parents=tree.parents,
            calls=tree.calls,
            samples=tree.samples,
            counts=self._counts,
        )

    def close(self) -> None:
        """Whatever happened; nothing of it is left."""
        if self._process is not None and self._process.returncode is None:  # else its number may be another's
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, 9)
            self._process.wait()
        for descriptor in (self._control, self._answers):
            if descriptor >= 0:
                os.close(descriptor)
        self._control = self._answers = -1
        for file in (self._data, self._said):
            if file is not None:
                file.close()

    def _affordable(self) -> Unwinding:
        """DWARF where it is needed and the recording stays small enough. Raises ``ProfilingError``."""
        samples = self.spec.hz * self.seconds * min(len(os.sched_getaffinity(0)), max(1, len(self._threads())))
        wanted: Unwinding = "fp" if has_frame_pointers(self.program) else "dwarf"
        for unwinding in dict.fromkeys((wanted, "fp")):
            if samples * SAMPLE_BYTES[unwinding] < MOST_BYTES:
                return unwinding
        raise ProfilingError(f"{samples:,.0f} samples may be taken, which is too many: sample less often")

    def _threads(self) -> list[int]:
        return [int(path.name) for pid in self.pids for path in (PROC / str(pid) / "task").glob("[0-9]*")]

    def _command(self, control: int, answers: int, life_s: float) -> list[str]:
        event = "cpu-clock" if self._kernel else "cpu-clock:u"
        graph = "fp" if self._unwinding == "fp" else f"dwarf,{STACK_BYTES}"
        followed = len(self._threads()) * (os.cpu_count() or 1) <= _MOST_CLOCKS
        return [
            "setpriv", *_WITH_AGENT, "timeout", "--signal=KILL", f"{life_s:.0f}", PERF, "record", "--quiet",
            "-e", event, "-F", str(self.spec.hz), "--call-graph", graph, "-p", ",".join(map(str, self.pids)),
            *([] if followed else ["--no-inherit", "--per-thread"]),
            "-D", "-1", f"--control=fd:{control},{answers}", f"--max-size={MOST_BYTES >> 20}M",
            "--no-buildid", "--no-buildid-cache", "-o", "-",
        ]  # fmt: skip

    def _tell(self, command: str) -> None:
        with contextlib.suppress(OSError):  # perf has ended: what it recorded says so
            os.write(self._control, f"{command}\n".encode())

    def _read(self, data: IO[bytes]) -> CallTree:
        """By ``perf script``, without rights; the kernel's symbols, which only root may see, are given to it."""
        data.seek(0)
        with tempfile.TemporaryFile() as symbols, tempfile.TemporaryFile() as said:
            with contextlib.suppress(OSError):
                symbols.write((PROC / "kallsyms").read_bytes())
                symbols.flush()
                os.fchmod(symbols.fileno(), 0o444)  # it has no name by which anybody else could open it
            names = ["--kallsyms", f"/proc/self/fd/{symbols.fileno()}"] if symbols.tell() else []
            command = [
                *self.drop, *_WITH_AGENT, "prlimit", *(f"--{name}={most}" for name, most in _READING.items()),
                "timeout", "--signal=KILL", f"{READ_S:.0f}", PERF, "script", "-i", "-", "--no-inline",
                "--show-lost-events", "-F", "pid,ip,sym,dso", *names,
            ]  # fmt: skip
            with subprocess.Popen(
                command, stdin=data, stdout=subprocess.PIPE, stderr=said, env=_ENVIRONMENT, cwd="/",
                pass_fds=(symbols.fileno(),), text=True, errors="replace",
            ) as process:  # fmt: skip
                assert process.stdout is not None  # noqa: S101 (it is a pipe)
                tree = call_tree(process.stdout)
            if process.returncode and not tree.calls:
                raise ProfilingError(f"perf cannot read its recording: {_end_of(said)}")
        return tree

    def _words(self) -> str:
        return _end_of(self._said) if self._said is not None else "it said nothing"


def _end_of(file: IO[bytes]) -> str:
    return last_words(Path(f"/proc/self/fd/{file.fileno()}")) or "it said nothing"
