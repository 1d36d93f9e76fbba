"""Whether the product slows the measured nginx down: beside bare tools, and in windows within one trial.

Bare is a trial without the product: nginx with the trial's configuration and wrk with its command, nothing else. Within
a trial, the product is stopped and continued.
"""

import asyncio
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import WrkPrint
from ngxlab_contracts.trials import NginxSpec, ProfileSpec, TrialSpec
from ngxlab_worker.collectors.stub_status import StatusConnection
from ngxlab_worker.engines import Target
from ngxlab_worker.engines.wrk.command import wrk_command
from ngxlab_worker.engines.wrk.report import parse_report
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.profiling import ProfilingError, Recording
from ngxlab_worker.sandbox import network_of
from ngxlab_worker.sandbox.identity import RunAs, hand_over, resolve_run_as

from scripts.bench.cpu import everything_stopped, product_stopped, wait_for_window
from scripts.bench.lab import Lab
from scripts.bench.report import Found, NotMeasuredError, no_more_than_noise, paired
from scripts.stack.accounts import demoted
from scripts.stack.processes import descendants, living, proc_text
from scripts.stack.waiting import wait_healthy

LOCAL = "127.0.0.1"
READY_PATIENCE_S = 10
STOP_PATIENCE_S = 5
SPARE_S = 30
"""How much longer than its duration wrk may take."""
WINDOW_S = 2.0
"""Two stopped ones in a row are far from what anybody takes for a lost host or a stalled agent."""
SAMPLED_WINDOW_S = 0.25
"""Two neighbours have the same neighbourhood: what else uses the processor changes within seconds."""
MARGIN_S = 10
STATUS_TIMEOUT_S = 2.0
POLL_S = 0.005
FILE_BYTES = 20_000
_STATUS_SERVER = re.compile(r"listen 127\.0\.0\.1:(\d+);[^{}]*location = /stub_status")


@dataclass(frozen=True)
class BareTrial:
    """``config`` is the nginx.conf that a trial has stored, ``load_s`` its warm-up plus its measured window.

    nginx and wrk are pinned where the product pins them: the trial's spec says so. Each has a session of its own, as
    in the product: the kernel shares CPU time among sessions first (sched(7), autogroups).
    """

    nginx: NginxSpec
    config: str
    stream: StreamSpec
    load_s: int
    run_as: RunAs | None
    root: Path

    def run(self) -> WrkPrint:
        """Start nginx, run wrk against it, and return what wrk prints. Raises :class:`NotMeasuredError`."""
        self.root.mkdir(exist_ok=True)
        self.root.chmod(0o711)
        folder = Path(mkdtemp(dir=self.root))
        try:
            hand_over(folder, self.run_as)
            (folder / "temp").mkdir()
            hand_over(folder / "temp", self.run_as)
            port, config = _relocated(self.config, folder)
            (folder / "nginx.conf").write_text(config)
            (folder / "nginx.conf").chmod(0o644)
            with self._nginx(folder, port):
                return self.load(port)
        finally:
            shutil.rmtree(folder)

    @contextmanager
    def _nginx(self, folder: Path, port: int) -> Iterator[None]:
        error_log = folder / "error.log"
        command = [self.nginx.binary, "-p", f"{folder}/", "-c", str(folder / "nginx.conf"), "-e", str(error_log)]
        with subprocess.Popen(
            [*self._prefix(self.nginx.cpus), *command], stdin=subprocess.DEVNULL, start_new_session=True
        ) as nginx:
            try:
                complaint = wait_healthy(lambda: _connect_complaint(port), READY_PATIENCE_S)
                if complaint is not None:
                    raise NotMeasuredError(f"bare nginx does not answer: {complaint}")
                yield
            finally:
                nginx.send_signal(signal.SIGQUIT)
                try:
                    nginx.wait(STOP_PATIENCE_S)
                except subprocess.TimeoutExpired:
                    nginx.terminate()  # the fast shutdown, which ends the workers too

    def load(self, port: int) -> WrkPrint:
        """Run wrk against an nginx that is already running. Raises :class:`NotMeasuredError`."""
        command = wrk_command(self.stream, Target(LOCAL, (port,)), self.load_s)
        patience_s = self.load_s + SPARE_S
        done = subprocess.run(
            [*self._prefix(self.stream.cpus), *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=patience_s,
            start_new_session=True,
        )
        printed = parse_report(done.stdout)
        if printed is None:
            raise NotMeasuredError(f"bare wrk gave no report ({done.returncode}): {done.stdout}{done.stderr}")
        return printed

    def _prefix(self, cpus: str | None) -> list[str]:
        pinned = [] if cpus is None else ["taskset", "--cpu-list", cpus]
        return pinned if self.run_as is None else [*pinned, *demoted(self.run_as.name)]


def _relocated(config: str, folder: Path) -> tuple[int, str]:
    """A trial's nginx.conf moved to another folder and to free ports: the port under load, and the text.

    The product writes the status server first and the server under load second.
    """
    old_folder = re.search(r"^pid (\S+)/[^/]+;$", config, re.MULTILINE)
    listeners = re.findall(rf"listen {re.escape(LOCAL)}:(\d+)", config)
    if old_folder is None or len(listeners) != 2:
        raise NotMeasuredError("the stored nginx.conf does not have the form in which the product writes it")
    fresh = free_ports(2)
    text = config.replace(old_folder[1], str(folder))
    for old, new in zip(listeners, fresh, strict=True):
        text = text.replace(f"{LOCAL}:{old}", f"{LOCAL}:{new}")
    return fresh[1], text


def _connect_complaint(port: int) -> str | None:
    try:
        socket.create_connection((LOCAL, port), timeout=1).close()
    except OSError as error:
        return str(error)
    return None


async def beside_bare_tools(lab: Lab, cycles: int, warmup_s: int, measure_s: int) -> dict[str, Found]:
    """Ratios of requests/s and of p99, product / bare."""
    experiment = await lab.one_arm_experiment(warmup_s=warmup_s, measure_s=measure_s)
    # Not counted: this trial warms the code up and provides what the bare ones need.
    bare = await _bare_trial(lab, await _trial(lab, experiment))
    found = [await _cycle(lab, experiment, bare, reverse=number % 2 == 1) for number in range(cycles)]
    rates = [[printed.requests_per_s for printed in cycle] for cycle in found]
    p99s = [[_p99_us(printed) for printed in cycle] for cycle in found]
    return {"fidelity": _compared(rates), "fidelity-p99": _compared(p99s)}


async def _cycle(lab: Lab, experiment: dict[str, Any], bare: BareTrial, *, reverse: bool) -> list[WrkPrint]:
    """Through the product, bare, and bare again."""
    if reverse:
        bare_again, first = await _bare_twice(lab, bare)
        return [await _product(lab, experiment), first, bare_again]
    product = await _product(lab, experiment)
    return [product, *await _bare_twice(lab, bare)]


async def _product(lab: Lab, experiment: dict[str, Any]) -> WrkPrint:
    trial_id = await _trial(lab, experiment)
    stream = (await _spec(lab, trial_id)).streams[0].key
    printed = parse_report(await _artefact(lab, trial_id, f"{stream}.txt"))
    if printed is None:
        raise NotMeasuredError("a trial kept no report of wrk")
    return printed


async def _trial(lab: Lab, experiment: dict[str, Any]) -> str:
    """Run one trial with a viewer attached; its id."""
    return str((await lab.run(experiment))["trials"][-1]["id"])


async def _bare_twice(lab: Lab, trial: BareTrial) -> tuple[WrkPrint, WrkPrint]:
    def both() -> tuple[WrkPrint, WrkPrint]:
        with product_stopped(lab):
            return trial.run(), trial.run()

    return await asyncio.to_thread(both)


async def _bare_trial(lab: Lab, trial_id: str) -> BareTrial:
    """``trial_id`` without the product."""
    spec = await _spec(lab, trial_id)
    if spec.nginx is None:
        raise NotMeasuredError("this machine was not the trial's target")
    return BareTrial(
        nginx=spec.nginx,
        config=await _artefact(lab, trial_id, "nginx.conf"),
        stream=spec.streams[0],
        load_s=round(spec.timing.warmup_s + spec.timing.measure_s),
        run_as=resolve_run_as(lab.settings.passed_on.get("NGXLAB_RUN_AS")),
        root=lab.settings.data / "bare",
    )


async def _spec(lab: Lab, trial_id: str) -> TrialSpec:
    """This machine's specification of a trial."""
    async with lab.database() as connection:
        found = await connection.fetchval("SELECT spec FROM trial_host WHERE trial_id = $1", trial_id)
    return TrialSpec.model_validate(found)


async def _artefact(lab: Lab, trial_id: str, name: str) -> str:
    found = (await lab.get(f"/trials/{trial_id}/artefacts"))["items"]
    return next(str(artefact["text"]) for artefact in found if artefact["name"] == name)


def _compared(cycles: list[list[float]]) -> Found:
    product = paired([(through, bare) for through, bare, _ in cycles])
    noise = paired([(again, bare) for _, bare, again in cycles])
    detail = {
        "bare_against_bare": noise._asdict(),
        "no_more_than_noise": no_more_than_noise(product, noise),
        "trials": cycles,
    }
    return Found(product.ratio, detail, product.interval_95)


def _p99_us(printed: WrkPrint) -> float:
    if printed.latency_p99_us is None:
        raise NotMeasuredError("wrk recorded no latency")
    return printed.latency_p99_us


class Window(NamedTuple):
    """``requests_per_cpu_s``: for each second of nginx's CPU time."""

    requests_per_s: float
    requests_per_cpu_s: float
    p99_s: float


async def crossover(lab: Lab, pairs: int) -> dict[str, Found]:
    """The ratios of requests/s and of p99, with everything together and with nginx apart."""
    found = {}
    for name, apart in (("fidelity-crossover", False), ("fidelity-apart", True)):
        seed = time.time_ns()
        chance, switch = random.Random(seed), _product_running(lab)
        windows = await _watched_windows(lab, pairs, WINDOW_S, chance, apart=apart, switch=switch)
        for figure, quantity in ((name, "requests_per_s"), (f"{name}-p99", "p99_s")):
            values = [(getattr(runs, quantity), getattr(stopped, quantity)) for runs, stopped in windows]
            ratio = paired(values)
            found[figure] = Found(ratio.ratio, {"seed": seed, quantity: values}, ratio.interval_95)
    return found


async def profiling(lab: Lab, pairs: int) -> dict[str, Found]:
    """The ratio of requests for each second of nginx's CPU time, nginx sampled by perf / not."""
    seed = time.time_ns()
    window_s, chance = SAMPLED_WINDOW_S, random.Random(seed)
    switch = _sampling(lab, window_s * pairs)
    windows = await _watched_windows(lab, pairs, window_s, chance, apart=True, switch=switch)
    values = [(sampled.requests_per_cpu_s, plain.requests_per_cpu_s) for sampled, plain in windows]
    ratio = paired(values)
    detail = {"seed": seed, "hz": ProfileSpec().hz, "requests_per_cpu_s": values}
    return {"profile-cost": Found(ratio.ratio, detail, ratio.interval_95)}


Switch = Mapping[bool, Callable[[], AbstractContextManager[None]]]
"""What a window is within, by whether what is looked at is on in it."""


@contextmanager
def _product_running(lab: Lab) -> Iterator[Switch]:
    yield {True: nullcontext, False: lambda: everything_stopped(lab)}


@contextmanager
def _sampling(lab: Lab, seconds: float) -> Iterator[Switch]:
    """Of the nginx that runs now, as an agent does it, for ``seconds`` in all; perf runs on any CPU."""
    pids = sorted(_nginx(lab))
    recording = Recording(
        ProfileSpec(), pids, Path(f"/proc/{pids[0]}/exe"), seconds, [], lambda: time.time_ns() // 1000
    )

    @contextmanager
    def sampled() -> Iterator[None]:
        recording.begin()
        try:
            yield
        finally:
            recording.end()

    try:
        recording.open(3 * seconds + SPARE_S)
        yield {True: sampled, False: nullcontext}
    except ProfilingError as error:
        raise NotMeasuredError(f"nginx cannot be profiled: {error}") from error
    finally:
        recording.close()


async def _watched_windows(
    lab: Lab,
    pairs: int,
    window_s: float,
    chance: random.Random,
    *,
    apart: bool,
    switch: AbstractContextManager[Switch],
) -> list[tuple[Window, Window]]:
    """Within one trial, with a viewer attached."""
    change = _pack if apart else None
    seconds = 2 * window_s * pairs * 1.1 + MARGIN_S
    run_id = await lab.start_run(await lab.one_arm_experiment(warmup_s=2, measure_s=seconds, change=change))
    viewer = asyncio.create_task(lab.follow(run_id))
    async with lab.database() as connection:
        await wait_for_window(connection, run_id)
        trial_id = await connection.fetchval("SELECT id::text FROM trial WHERE run_id = $1", run_id)
    with switch as switched, _nginx_on_a_cpu_of_its_own(lab) if apart else nullcontext():
        found = await asyncio.to_thread(
            _windows, lab, _status_address(lab, trial_id), pairs, window_s, chance, switch=switched
        )
    run = await viewer
    if run["trials"][0]["state"] != "completed":
        raise NotMeasuredError("the trial did not last as long as the windows")
    return found


def _pack(definition: dict[str, Any]) -> None:
    """Have nginx pack a file for each answer: work for nginx, and little for who asks."""
    definition["nginx"] |= {
        "files": [{"folder": "pages", "count": 1, "size_bytes": FILE_BYTES, "content": "html"}],
        "server": (
            "keepalive_requests 1000000000;\nroot @@folder@@/files;\ndefault_type text/html;\n"
            "gzip on;\ngzip_comp_level 6;\nlocation / { }"
        ),
    }
    for stream in definition["streams"]:
        stream |= {"path": "/pages/0", "headers": {"Accept-Encoding": "gzip"}}


@contextmanager
def _nginx_on_a_cpu_of_its_own(lab: Lab) -> Iterator[None]:
    """The first CPU for the nginx that runs now, the others for the product, the load and this process."""
    every = os.sched_getaffinity(0)
    if len(every) < 2:
        raise NotMeasuredError("this machine has one CPU: nginx cannot have one to itself")
    first = {min(every)}
    nginx = _nginx(lab)
    try:
        _pin(nginx, first)
        _pin(_everybody(lab) - nginx, every - first)
        yield
    finally:
        _pin(_everybody(lab), every)


def _nginx(lab: Lab) -> set[int]:
    """The processes of the nginx under test."""
    if nginx := {pid for pid in _everybody(lab) if proc_text(pid, "comm") == "nginx"}:
        return nginx
    raise NotMeasuredError("no nginx runs")


def _everybody(lab: Lab) -> set[int]:
    """All processes of the stack and of the trial, and this one."""
    mains = {process.pid for process in living(lab.settings.run).values()}
    return {os.getpid(), *mains, *(pid for main in mains for pid in descendants(main))}


def _pin(pids: Iterable[int], cpus: set[int]) -> None:
    for pid in pids:
        with suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), cpus)


def _status_address(lab: Lab, trial_id: str) -> tuple[str, int]:
    config = (lab.settings.agent / "trials" / trial_id / "nginx.conf").read_text()
    found = _STATUS_SERVER.search(config)
    if found is None:
        raise NotMeasuredError("the trial's nginx has no status page")
    return "127.0.0.1", int(found[1])


def _windows(
    lab: Lab, address: tuple[str, int], pairs: int, window_s: float, chance: random.Random, *, switch: Switch
) -> list[tuple[Window, Window]]:
    """With it on and off, for each pair of windows; asked from within the trial's own network."""
    found, nginx = [], _nginx(lab)
    with network_of(min(nginx)), closing(StatusConnection(address, STATUS_TIMEOUT_S)) as status:
        for _ in range(pairs):
            both = {on: _window(status, nginx, window_s, switch[on]()) for on in chance.sample([True, False], 2)}
            found.append((both[True], both[False]))
    return found


def _window(
    status: StatusConnection, nginx: Iterable[int], window_s: float, within: AbstractContextManager[None]
) -> Window:
    with within:
        took_s = []
        first, began, used_s = status.poll().requests, time.monotonic(), _cpu_s(nginx)
        last, ended = first, began
        while ended - began < window_s:
            time.sleep(POLL_S)
            asked = time.monotonic()
            last, ended = status.poll().requests, time.monotonic()
            took_s.append(ended - asked)
        used_s = _cpu_s(nginx) - used_s
    requests = last - first
    return Window(requests / (ended - began), requests / used_s, float(np.quantile(took_s, 0.99)))


def _cpu_s(pids: Iterable[int]) -> float:
    return sum(int(proc_text(pid, "schedstat").split()[0]) for pid in pids) / 1e9
