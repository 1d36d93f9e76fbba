"""nginx's first answers, before anything is measured: each arm is started for a moment, and asked as its streams ask.

Everything happens on this host and its loopback interface, within the bounds and behind the walls of a trial. Without
such walls nothing is asked, since nginx could reach the host's other services.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.config_test import ArmConfig
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import Endpoint

from ngxlab_worker.confinement import probe_fence
from ngxlab_worker.nginx import NginxServer, UpstreamServer, upstream_server
from ngxlab_worker.nginx.files import Wanted, make_files
from ngxlab_worker.nginx.requests import ask, paths_of
from ngxlab_worker.sandbox import Sandbox, own_network
from ngxlab_worker.trial.folder import make_workplace
from ngxlab_worker.upstream_groups import groups_of

READY_S = 5.0
LONGEST_ANSWER_S = 5.0
_SMALL_SET = (1000, 64 << 20)
"""Up to so many files and bytes a set is made whole; of a larger one, what the requests ask for."""

Pause = Callable[[float], None]


class NoWallsError(Exception):
    """This host cannot keep nginx from its other services; the message says why."""


@contextmanager
def walls(sandbox: Sandbox) -> Iterator[Sandbox]:
    """Meanwhile the calling thread is in a network of its own; where the host allows none, the sandbox's children
    reach each other and nothing else. Raises ``NoWallsError``."""
    with ExitStack() as leftovers:
        try:
            leftovers.enter_context(own_network())
        except OSError as error:
            fence = probe_fence()
            if not fence.available:
                raise NoWallsError(f"this host cannot give nginx a network of its own ({error.strerror})") from error
            sandbox = replace(sandbox, fences=True)
        yield sandbox


def first_answers(arm: ArmConfig, folder: Path, sandbox: Sandbox, pause: Pause) -> Iterator[FirstAnswer]:
    """Start the arm's upstream servers and its nginx in ``folder``, and send one request of each stream.

    ``pause`` sleeps, or raises where no time is left. Raises what it raises, ``NginxError``, ``SandboxError``, and
    ``OSError``.
    """
    with ExitStack() as leftovers:
        endpoints = [one.endpoint for one in _upstream_servers(arm, folder, sandbox, pause, leftovers)]
        nginx = _nginx(arm, folder, sandbox, pause, endpoints=endpoints, leftovers=leftovers)
        for stream in arm.streams:
            pause(0)
            for answer in ask(stream, nginx.endpoint, min(LONGEST_ANSWER_S, stream.timeout_s)):
                yield answer
                pause(0)


def _upstream_servers(
    arm: ArmConfig, folder: Path, sandbox: Sandbox, pause: Pause, leftovers: ExitStack
) -> Iterator[UpstreamServer]:
    for number, spec in enumerate(arm.upstream_servers):
        place = make_workplace(folder / f"upstream-{number}", sandbox.run_as)
        server = upstream_server(spec, place, sandbox, pause)
        leftovers.callback(server.stop)
        server.configure()
        server.start(READY_S)
        yield server


def _nginx(
    arm: ArmConfig, folder: Path, sandbox: Sandbox, pause: Pause, *, endpoints: list[Endpoint], leftovers: ExitStack
) -> NginxServer:
    make_files(folder, arm.nginx.files, lambda: pause(0), wanted=_wanted(arm))
    nginx = NginxServer(arm.nginx, folder, sandbox, pause)
    leftovers.callback(nginx.stop)
    groups = groups_of(arm.nginx, endpoints, nginx, folder, pause)
    if groups is not None:
        groups.before_test()
    nginx.configure(endpoints)
    nginx.start(READY_S)
    if groups is not None:
        groups.fill()
    return nginx


def _wanted(arm: ArmConfig) -> Wanted:
    asked = {path.rpartition("/")[2] for stream in arm.streams for path in paths_of(stream)}
    numbers = {0, *(int(name) for name in asked if name.isdecimal())}

    def is_wanted(files: FileSet, number: int) -> bool:
        most, most_bytes = _SMALL_SET
        return number in numbers or (files.count <= most and files.total_bytes <= most_bytes)

    return is_wanted
