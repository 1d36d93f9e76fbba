"""Scripts of the worst kind, run as a trial runs them: each is stopped, by what it must be stopped by."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from ngxlab_contracts.streams import StreamSpec
from ngxlab_worker.confinement import Bounds, Confinement, probe_fence
from ngxlab_worker.engines import GeneratorContext, GeneratorError, Target
from ngxlab_worker.engines.wrk import WrkEngine
from ngxlab_worker.engines.wrk.engine import WrkGenerator
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from ngxlab_worker.sandbox.identity import hand_over
from tests.scripts.hostile import MEMORY_CAP, PRELUDE, PRIVILEGES, PROCESS_CAP, SAYS, SCRIPTS, Script

BOUNDS = Bounds(memory_bytes=600 << 20, processes=48, file_bytes=1 << 30)


class Listener:
    """A server that only notes who came. It listens on all addresses, so that only a filter keeps a script away."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port: int = self.socket.getsockname()[1]
        self.callers = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.callers += 1
            connection.close()


@pytest.fixture
def listeners() -> Iterator[tuple[Listener, Listener]]:
    """The target, and a server that no script may reach."""
    target, other = Listener(), Listener()
    yield target, other
    for one in (target, other):
        one.socket.shutdown(socket.SHUT_RDWR)
        one.socket.close()


@pytest.fixture
def fenced() -> None:
    """Skips, with the reason, where this host refuses scripts altogether."""
    probe = probe_fence()
    if not probe.available:
        pytest.skip(probe.detail)


@pytest.fixture
def place(agent_folder: Path, user: str | None) -> Path:
    """A trial's folder, in the agent's."""
    root = agent_folder / "trials"
    root.mkdir(mode=0o711)
    folder = root / agent_folder.name
    folder.mkdir()
    hand_over(folder, resolve_run_as(user))
    for name in ("credential.json", "caps.toml", f"trials/{folder.name}/nginx.conf"):
        (agent_folder / name).write_text("secret")
    return folder


def prepared(place: Path, sandbox: Sandbox, port: int, script: str) -> WrkGenerator:
    folder = place / "stream-0"
    folder.mkdir()
    hand_over(folder, sandbox.run_as)
    stream = StreamSpec(key="main", engine="wrk", threads=1, connections=1, script=script)
    context = GeneratorContext(target=Target("127.0.0.1", (port,)), sandbox=sandbox, folder=folder, life_s=2)
    return WrkEngine().prepare(stream, context, lambda *_: None)


def written(script: Script, place: Path, target: int, other: int, agent: int) -> str:
    text = script.attempt
    for name, value in {"OTHER": other, "TARGET": target, "FOLDER": place, "AGENT": agent}.items():
        text = text.replace(name, str(value))
    return PRELUDE.replace("%s", text)


def test_there_are_many() -> None:
    assert len({script.attempt for script in SCRIPTS}) >= 40


@pytest.mark.usefixtures("fenced")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_it_is_stopped(script: Script, place: Path, user: str | None, listeners: tuple[Listener, Listener]) -> None:
    target, other = listeners
    run_as = resolve_run_as(user)
    confinement = Confinement(place, BOUNDS, uid=run_as.uid if run_as else None)
    with closing(confinement):
        sandbox = replace(Sandbox(Isolation.NAMESPACE, run_as), confinement=confinement)
        text = written(script, place, target.port, other.port, threading.get_native_id())
        generator = prepared(place, sandbox, target.port, text)
        try:
            generator.release(0)
            if script.stopped_by in {MEMORY_CAP, PROCESS_CAP}:
                assert f"({script.stopped_by})" in await_cap(confinement, generator)
                return
            assert generator._child.wait(20) is not None
        finally:
            generator.kill()
    said = (place / "stream-0" / "wrk.out").read_text() + (place / "stream-0" / "wrk.err").read_text()
    assert "REACHED" not in said
    assert "STOPPED" in said, said
    assert other.callers == 0
    if not script.stopped_by.startswith(PRIVILEGES):
        assert re.search(SAYS[script.stopped_by], said), f"{script.stopped_by}: {said}"


def await_cap(confinement: Confinement, generator: WrkGenerator) -> str:
    """Which cap it hit, by the time it is over."""
    for _ in range(200):
        if reason := confinement.exceeded():
            return reason
        generator._child.wait(0.1)
    raise AssertionError("no cap was hit")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_without_namespaces_it_is_not_run(script: Script, place: Path, user: str | None) -> None:
    run_as = resolve_run_as(user)
    confinement = Confinement(place, BOUNDS, uid=run_as.uid if run_as else None)
    with closing(confinement):
        sandbox = replace(Sandbox(Isolation.GUARDIAN, run_as), confinement=confinement)
        with pytest.raises(GeneratorError) as refused:
            prepared(place, sandbox, 1, written(script, place, 1, 1, 1))
    assert refused.value.code == "script-uncontained"


def test_without_a_fence_it_is_not_run(place: Path, user: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ngxlab_worker.core.cgroups.unified", lambda *_: None)
    run_as = resolve_run_as(user)
    with closing(Confinement(place, BOUNDS, uid=run_as.uid if run_as else None)) as confinement:
        sandbox = replace(Sandbox(Isolation.NAMESPACE, run_as), confinement=confinement)
        with pytest.raises(GeneratorError, match="cannot be kept to its addresses: no control groups of version 2"):
            prepared(place, sandbox, 1, "x = 1")


@pytest.mark.usefixtures("fenced")
def test_wrks_own_functions_lead_nowhere_else(
    place: Path, user: str | None, listeners: tuple[Listener, Listener]
) -> None:
    target, other = listeners
    run_as = resolve_run_as(user)
    text = f'local there = wrk.lookup("127.0.0.1", "{other.port}")\nfunction setup(thread) thread.addr = there[1] end'
    with closing(Confinement(place, BOUNDS, uid=run_as.uid if run_as else None)) as confinement:
        sandbox = replace(Sandbox(Isolation.NAMESPACE, run_as), confinement=confinement)
        generator = prepared(place, sandbox, target.port, text)
        try:
            generator.release(0)
            assert generator._child.wait(20) is not None
        finally:
            generator.kill()
    assert target.callers > 0  # wrk tries the address that it was given before it asks the script
    assert other.callers == 0


@pytest.mark.usefixtures("fenced")
def test_what_it_prints_does_not_become_a_long_reason(
    place: Path, user: str | None, listeners: tuple[Listener, Listener]
) -> None:
    run_as = resolve_run_as(user)
    text = 'print(string.rep("long\\27[31m ", 2^16)) os.exit(3, true)'
    with closing(Confinement(place, BOUNDS, uid=run_as.uid if run_as else None)) as confinement:
        sandbox = replace(Sandbox(Isolation.NAMESPACE, run_as), confinement=confinement)
        generator = prepared(place, sandbox, listeners[0].port, text)
        try:
            generator.release(0)
            assert generator._child.wait(20) is not None
            with pytest.raises(GeneratorError, match="ended early") as failure:
                generator.check()
        finally:
            generator.kill()
    assert len(str(failure.value)) < 2200
    assert "\33" not in str(failure.value)
