"""Work on what people send in, done by processes of its own that can be killed, apart from all else."""

import asyncio
import os
import select
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import structlog

from ngxlab.core import errors
from ngxlab.core.subprocess_pool.process import DONE, ENVIRONMENT, HEAD, MEMORY_BYTES, REFUSED, packed, raised

log = structlog.get_logger()

PROCESSES = 2
SECONDS = 5.0
_GRACE_SECONDS = 1.0
_START_SECONDS = 60.0


class _Process:
    """One process and its pipes. Used by one thread at a time."""

    def __init__(self, module: str, seconds: float) -> None:
        environment = {name: value for name, value in os.environ.items() if name in ENVIRONMENT}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "ngxlab.core.subprocess_pool.process", module, str(seconds)]
        self._popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0, start_new_session=True
        )
        self._is_ready, self._seconds = False, seconds

    def ask(self, request: str) -> str:
        """Raises TimeoutError or EOFError; the process must then be killed."""
        if not self._is_ready:
            self._read(_START_SECONDS)
            self._is_ready = True
        if self._popen.stdin is None:
            raise EOFError
        try:
            self._popen.stdin.write(packed(request))
        except BrokenPipeError:
            raise EOFError from None
        return self._read(self._seconds + _GRACE_SECONDS)

    def kill(self) -> None:
        self._popen.kill()
        self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                pipe.close()

    def _read(self, seconds: float) -> str:
        deadline = time.monotonic() + seconds
        (length,) = HEAD.unpack(self._exactly(HEAD.size, deadline))
        return self._exactly(length, deadline).decode()

    def _exactly(self, length: int, deadline: float) -> bytes:
        found = bytearray()
        if self._popen.stdout is None:
            raise EOFError
        arriving = select.poll()  # select.select() knows the first 1,024 files of a process only
        arriving.register(self._popen.stdout, select.POLLIN)
        while len(found) < length:
            left = deadline - time.monotonic()
            if left <= 0 or not arriving.poll(left * 1000):
                raise TimeoutError
            piece = self._popen.stdout.read(min(length - len(found), 1 << 20))
            if not piece:
                raise EOFError
            found += piece
        return bytes(found)


class ProcessPool:
    """Each thread of the pool has a process, and starts another in its place when it had to be killed."""

    def __init__(self, module: str, seconds: float = SECONDS, processes: int = PROCESSES) -> None:
        self._module, self._seconds = module, seconds
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="apart")
        self._own = threading.local()
        self._all: set[_Process] = set()

    def start(self) -> None:
        """Begin to start one process, for which nobody waits before it is needed; the others begin when it is busy."""
        self._threads.submit(self._process)

    async def run(self, job: str, text: str) -> str:
        """The job's result. Raises the ApiError that the job raised, and Invalid for what is too costly."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, job, text)

    def stop(self) -> None:
        for process in list(self._all):
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in list(self._all):
            process.kill()

    def _process(self) -> _Process:
        if getattr(self._own, "process", None) is None:
            self._own.process = _Process(self._module, self._seconds)
            self._all.add(self._own.process)
        process: _Process = self._own.process
        return process

    def _run(self, job: str, text: str) -> str:
        process = self._process()
        try:
            kind, _, rest = process.ask(f"{job}\n{text}").partition("\n")
        except (TimeoutError, EOFError, OSError):
            self._replace(process)
            log.warning("a job was ended", job=job, characters=len(text))
            raise errors.Invalid(
                f"This takes longer than {self._seconds:g} s to work out.", code="too-costly"
            ) from None
        if kind == DONE:
            return rest
        if kind == REFUSED:
            raise raised(rest)
        self._replace(process)  # what is left of its memory is unknown
        raise errors.Invalid(self._limits(), code="too-costly")

    def _limits(self) -> str:
        return f"This cannot be worked out within {self._seconds:g} s and {MEMORY_BYTES >> 20} MiB."

    def _replace(self, process: _Process) -> None:
        process.kill()
        self._all.discard(process)
        self._own.process = None
        self._process()
