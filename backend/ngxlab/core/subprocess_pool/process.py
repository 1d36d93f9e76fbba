"""``python -m ngxlab.core.subprocess_pool.process MODULE SECONDS``: does the work of a module for its parent.

A job takes and returns JSON text, so that nothing but text comes back. What takes too long ends by its own alarm, also
if the parent is gone; the memory is limited beyond what the imports took. No secret is in its environment.
"""

import gc
import importlib
import json
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import BinaryIO

from ngxlab_contracts.sentences import read_sentence, written

from ngxlab.core import errors
from ngxlab.core.errors import ApiError

HEAD = struct.Struct("!I")
READY = "ready"
"""What a process says first."""
DONE, REFUSED, NO_MEMORY = "done", "refused", "no memory"
"""The first line of an answer. The rest is the result, or an error as JSON, or nothing."""


def packed(text: str) -> bytes:
    body = text.encode()
    return HEAD.pack(len(body)) + body


MEMORY_BYTES = 512 << 20
ENVIRONMENT = {"PATH", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VIRTUAL_ENV"}
"""What such processes know of ours: no address, no password."""


def limit_memory(first: int = MEMORY_BYTES) -> None:
    """From now on, this process may have so much more than it has: at first so much, and :data:`MEMORY_BYTES` once it
    raises that to the most (:func:`allow_most_memory`)."""
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    now = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (now + first, now + MEMORY_BYTES))


def allow_most_memory() -> None:
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _read(stream: BinaryIO) -> str | None:
    head = stream.read(HEAD.size)
    return stream.read(HEAD.unpack(head)[0]).decode() if len(head) == HEAD.size else None


def refusal(error: ApiError) -> str:
    """As text, for the parent, which :func:`raised` makes it of again."""
    told = {"kind": type(error).__name__, "detail": written(error.detail), "code": error.code}
    return json.dumps(told | {"errors": [problem.model_dump() for problem in error.errors]})


def raised(text: str) -> ApiError:
    """The error that another process has told."""
    told = json.loads(text)
    kind: type[ApiError] = getattr(errors, told["kind"])
    problems = [errors.FieldProblem(**problem) for problem in told["errors"]]
    return kind(read_sentence(told["detail"]), code=told["code"], errors=problems)


def _answer(jobs: object, request: str) -> str:
    name, _, text = request.partition("\n")
    try:
        return f"{DONE}\n{getattr(jobs, name)(text)}"
    except ApiError as error:
        return f"{REFUSED}\n{refusal(error)}"
    except MemoryError:
        return f"{NO_MEMORY}\n"


def main() -> None:
    jobs, seconds = importlib.import_module(sys.argv[1]), float(sys.argv[2])
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    gc.freeze()
    limit_memory()
    stdout.write(packed(READY))
    stdout.flush()
    while (request := _read(stdin)) is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM ends the process
        answer = _answer(jobs, request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        stdout.write(packed(answer))
        stdout.flush()


if __name__ == "__main__":
    main()
