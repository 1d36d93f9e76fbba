"""A stack whose backend and jobs service run twice, as where several machines share the work of a server."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from scripts.testbed.stack import Stack, running_stack

JOBS = "jobs-2"


@contextmanager
def replicated_stack() -> Iterator[Stack]:
    """Two processes of the backend behind the front, and two jobs services, of which one beat fires."""
    with running_stack(NGXLAB_BACKEND_PROCESSES="2") as stack:
        text = (stack.data / "run" / "supervisord.conf").read_text()
        found = re.search(r"\n\[program:jobs\]\n[^\[]*", text)
        assert found is not None, "supervisord runs no jobs service"
        again = found[0].replace("[program:jobs]", f"[program:{JOBS}]")
        again = again.replace("/jobs.pid", f"/{JOBS}.pid").replace("/jobs.log", f"/{JOBS}.log")
        stack.reconfigure(f"{text.rstrip()}\n{again}", [JOBS])
        yield stack


def with_replicas(config: str, services: Iterable[str]) -> list[str]:
    """The names by which supervisord's configuration has ``services``: ``backend`` and ``backend-2``."""
    wanted = set(services)
    return [name for name in re.findall(r"\[program:([^\]]+)\]", config) if name.partition("-")[0] in wanted]
