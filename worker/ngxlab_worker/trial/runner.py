"""A trial as straight-line code: prepare, start nginx, wait for the instant, load, cool down, leave nothing."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import structlog
from ngxlab_contracts.telemetry import ProcessEvent
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.clock import HostClock, Offset, monotonic_us
from ngxlab_worker.collectors import Sampler, SampleTargets
from ngxlab_worker.engines import ENGINES, Generator, Setting, Target
from ngxlab_worker.nginx import NginxError, NginxServer, scan_error_log
from ngxlab_worker.nginx.config import LOCAL
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.sandbox.process import cpus_allowed
from ngxlab_worker.spool import Spool
from ngxlab_worker.trial.failure import COMPLETED, Outcome, outcome_of
from ngxlab_worker.trial.folder import make_folder, read_bounded, remove_folder
from ngxlab_worker.trial.load import Load
from ngxlab_worker.trial.recorder import LONGEST_ARTEFACT, Recorder
from ngxlab_worker.trial.schedule import cooldown_ticks
from ngxlab_worker.trial.steering import Steering

Role = Literal["nginx-master", "nginx-worker", "generator"]

SLACK_S = 30.0
SCANNED_LOG_BYTES = 16 << 20

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TrialSetting:
    """What a trial needs of its host. ``offset`` is the backend's clock's, ``None`` while unknown."""

    trials_root: Path
    sandbox: Sandbox
    offset: Callable[[], Offset | None]


def longest_life_s(spec: TrialSpec) -> float:
    """Beyond this the trial is ended, whatever it waits for."""
    timing = spec.timing
    load = timing.warmup_s + timing.measure_s + timing.cooldown_s
    return timing.ready_timeout_s + timing.start_timeout_s + load + SLACK_S


def run_trial(
    spec: TrialSpec, setting: TrialSetting, spool: Spool, steering: Steering, spooled: Callable[[], None]
) -> Outcome:
    """Execute ``spec``; everything there is to say goes through ``spool``, the end last, after nothing is left.

    Call it from the main thread: the children's lives hang on it. Raises only where the spool cannot be written.
    """
    trial = _Trial(spec, setting, spool, steering, spooled)
    outcome = COMPLETED
    with structlog.contextvars.bound_contextvars(trial=str(spec.trial_id)):
        try:
            with ExitStack() as leftovers:
                trial.execute(leftovers)
        except Exception as error:
            outcome = outcome_of(error)
            log.warning("trial ended early", code=outcome.code, exc_info=outcome.code == "agent-error")
        trial.recorder.end(outcome.outcome, outcome.code, outcome.reason)
    return outcome


class _Trial:
    def __init__(
        self, spec: TrialSpec, setting: TrialSetting, spool: Spool, steering: Steering, spooled: Callable[[], None]
    ) -> None:
        self._spec = spec
        self._setting = setting
        self._steering = steering
        self._spooled = spooled
        self._clock = HostClock.anchored_now()
        self.recorder = Recorder(spool, self._clock, self._offset_us, spooled)

    def execute(self, leftovers: ExitStack) -> None:
        """Each step registers its undoing in ``leftovers`` before it can fail."""
        self.recorder.phase("preparing")
        self.recorder.flush()
        if self._setting.offset() is None:
            self.recorder.note("warning", "clock-offset-unknown", "no exchange of times with the backend yet")
        folder = self._make_folder(leftovers)
        nginx = self._start_nginx(folder, leftovers)
        generators = self._prepare_generators(folder, nginx, leftovers)
        sampler = self._start_sampler(nginx, generators, leftovers)
        self.recorder.phase("ready")
        self.recorder.flush()
        self._steering.expect_start()
        self._spooled()  # the uploader looks up: from now on it waits at the backend
        start_us = self._steering.await_start(self._spec.timing.start_timeout_s) - self._offset_us()
        load = Load(self._spec, generators, nginx=nginx, sampler=sampler, recorder=self.recorder, clock=self._clock)
        load.run(start_us, self._steering)
        self._cool_down(sampler, nginx)

    def _offset_us(self) -> int:
        offset = self._setting.offset()
        return 0 if offset is None else offset.against(self._clock)

    def _make_folder(self, leftovers: ExitStack) -> Path:
        folder = make_folder(self._setting.trials_root, self._spec.trial_id, self._setting.sandbox.run_as)
        leftovers.callback(remove_folder, folder)
        return folder

    def _start_nginx(self, folder: Path, leftovers: ExitStack) -> NginxServer:
        if self._spec.nginx is None:
            raise NginxError("not-a-target", "this agent runs whole trials only")
        if self._spec.nginx is None:
            raise NginxError("spec-unsupported", "this agent runs no trial without an nginx of its own")
        nginx = NginxServer(self._spec.nginx, folder, self._setting.sandbox, self._steering.pause)
        leftovers.callback(self._keep_artefacts, nginx)
        leftovers.callback(nginx.stop)
        nginx.configure()
        nginx.start(self._spec.timing.ready_timeout_s)
        self._process("nginx-master", 0, nginx.master)
        for index, pid in enumerate(nginx.workers()):
            self._process("nginx-worker", index, pid)
        return nginx

    def _prepare_generators(self, folder: Path, nginx: NginxServer, leftovers: ExitStack) -> list[Generator]:
        # Undone first of all: a generator must be gone before nginx is asked to finish what it serves.
        setting = Setting(
            target=Target(LOCAL, nginx.http_port),
            sandbox=self._setting.sandbox,
            folder=folder,
            life_s=longest_life_s(self._spec),
        )
        generators: list[Generator] = []
        for index, stream in enumerate(self._spec.streams):
            generator = ENGINES[stream.engine].prepare(stream, setting, self.recorder.note)
            leftovers.callback(generator.kill)
            self._process("generator", index, generator.pid, stream.key)
            generators.append(generator)
        return generators

    def _start_sampler(self, nginx: NginxServer, generators: list[Generator], leftovers: ExitStack) -> Sampler:
        targets = SampleTargets(
            status_address=nginx.status_address,
            nginx_master=nginx.master,
            nginx_workers=nginx.workers(),
            generators={generator.key: generator.pid for generator in generators},
            agent=os.getpid(),
        )
        sampler = Sampler(targets, self._clock.now_us)
        leftovers.callback(sampler.close)
        self.recorder.sample(sampler.sample())
        return sampler

    def _cool_down(self, sampler: Sampler, nginx: NginxServer) -> None:
        begin_us = monotonic_us()
        for tick in cooldown_ticks(self._spec.timing, self._spec.sampling):
            self._steering.pause_until(begin_us + tick.at_us)
            self.recorder.sample(sampler.sample())
            self.recorder.pulse()
            nginx.check()

    def _process(
        self,
        role: Literal["nginx-master", "nginx-worker", "generator"],
        index: int,
        pid: int,
        stream: str | None = None,
    ) -> None:
        self.recorder.event(
            ProcessEvent(
                t_us=self._clock.now_us(),
                role=role,
                index=index,
                pid=pid,
                cpus_allowed=cpus_allowed(pid),
                stream=stream,
            )
        )

    def _keep_artefacts(self, nginx: NginxServer) -> None:
        """After nginx has ended, so that its last words are among them."""
        self.recorder.phase("cleanup")
        error_log = read_bounded(nginx.values.error_log, SCANNED_LOG_BYTES)
        for finding in scan_error_log(error_log.splitlines()):
            self.recorder.note("error", finding.code, f"{finding.count} times in nginx's error log: {finding.example}")
        for name, text in (
            ("nginx.conf", nginx.config),
            ("nginx-V.txt", nginx.build),
            ("error.log", error_log[: LONGEST_ARTEFACT + 1]),
        ):
            if text:
                self.recorder.artefact(name, text)
