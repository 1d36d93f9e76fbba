"""A trial as straight-line code: set up, wait for the start, load, cool down, clean up."""

import platform
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import structlog
from ngxlab_contracts.perturbations import HttpCall
from ngxlab_contracts.telemetry import FingerprintEvent
from ngxlab_contracts.trials import TARGET_ENDPOINT, UPSTREAM_VARIABLE_PREFIX, NginxSpec, TrialSpec, UpstreamServerSpec

from ngxlab_worker.collectors import Sampler, SampleTargets
from ngxlab_worker.confinement import Bounds, CapWatch, Confinement, probe_fence
from ngxlab_worker.core.clock import HostClock, Offset, monotonic_us
from ngxlab_worker.core.kernel_files import SYSCTL, read
from ngxlab_worker.core.programs import ProgramError, sha256
from ngxlab_worker.core.reach import Reach, is_loopback
from ngxlab_worker.engines import ENGINES
from ngxlab_worker.inventory.hardware import cpu_governor, fingerprint, limits
from ngxlab_worker.nginx.files import LIBRARY
from ngxlab_worker.nginx.requests import answers
from ngxlab_worker.profiling import ProfilingError, Recording
from ngxlab_worker.sandbox import Sandbox, drop, lifeline, own_network
from ngxlab_worker.sandbox.process import end_processes
from ngxlab_worker.storage.cold import COLD_FOLDER, COLD_IMAGE
from ngxlab_worker.trial.failure import COMPLETED, Outcome, outcome_of
from ngxlab_worker.trial.folder import make_folder, remove_folder
from ngxlab_worker.trial.intervention import RequestAccounting
from ngxlab_worker.trial.load import PEERS_END_S, Load, cooldown_ticks
from ngxlab_worker.trial.recorder import Punctuality, Recorder
from ngxlab_worker.trial.server_use import ServerUseMeter
from ngxlab_worker.trial.stage import Stage
from ngxlab_worker.trial.streams import Stream, Streams
from ngxlab_worker.uplink.spool import Spool
from ngxlab_worker.uplink.steering import Steering, TrialStopError

SLACK_S = 30.0
NETWORK = "network"
OWN = "the trial's own"
FENCED = "the host's, fenced to the trial's own addresses"
SHARED = "the host's"
NO_PROFILE = "no-profile"
PREPARED = (LIBRARY, COLD_FOLDER, COLD_IMAGE)
"""What the agent itself creates in a trial's folder, of known size."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TrialContext:
    """What a trial needs of its host. ``offset``: that of the backend's clock, ``None`` while it is unknown.

    ``bounds``: what all children of the trial may use together. ``reach``: where the trial may send load.
    ``server_run``: where the pid files of a server on this host are.
    """

    trials_root: Path
    sandbox: Sandbox
    bounds: Bounds
    reach: Reach
    offset: Callable[[], Offset | None]
    collect_s: Callable[[], float] = lambda: 0
    server_run: Path | None = None


def longest_life_s(spec: TrialSpec) -> float:
    """A trial that takes longer is ended, whatever it waits for."""
    timing = spec.timing
    # This host waits for the nginx of another, that one for its upstream servers, and all wait for the start.
    waiting = 3 * timing.start_timeout_s + PEERS_END_S
    return timing.ready_timeout_s + waiting + timing.phases_s + SLACK_S


def stays_here(spec: TrialSpec) -> bool:
    """Whether all that takes part in the trial runs on this host, and listens on its loopback interface."""
    if spec.nginx is None or spec.remote_streams:
        return False
    here = {f"{UPSTREAM_VARIABLE_PREFIX}{server.key}" for server in spec.upstream_servers} | {TARGET_ENDPOINT}
    called = {one.action.endpoint for one in spec.perturbations if isinstance(one.action, HttpCall)}
    servers: list[NginxSpec | UpstreamServerSpec] = [spec.nginx, *spec.upstream_servers]
    return {*spec.nginx.upstream_servers, *called} <= here and all(is_loopback(one.address) for one in servers)


def declared_bytes(spec: TrialSpec) -> int:
    return sum(files.total_bytes for files in spec.nginx.files) if spec.nginx else 0


def beyond_caps(reason: str) -> TrialStopError:
    return TrialStopError("failed", "beyond-caps", reason)


def run_trial(
    spec: TrialSpec, context: TrialContext, spool: Spool, steering: Steering, spooled: Callable[[], None]
) -> Outcome:
    """Execute ``spec`` and report through ``spool``; the end is reported last, after the clean-up.

    Call it from the main thread: children die with the thread that started them. Raises ``OSError`` where the spool
    cannot be written, and nothing else.
    """
    trial = _Trial(spec, context, spool, steering, spooled)
    outcome = COMPLETED
    with structlog.contextvars.bound_contextvars(trial=str(spec.trial_id)):
        try:
            with ExitStack() as leftovers:
                try:
                    trial.execute(leftovers)
                finally:
                    trial.recorder.phase("cleanup")
        except Exception as error:
            outcome = outcome_of(error, context.trials_root)
            log.warning("trial ended early", code=outcome.code, exc_info=outcome.code in {"agent-error", "host-error"})
        try:
            trial.recorder.end(outcome.outcome, outcome.code, outcome.reason)
        except OSError as error:
            # What the trial reported last cannot be kept, so it is not complete.
            outcome = outcome if outcome is not COMPLETED else outcome_of(error, context.trials_root)
            trial.recorder.end_without_data(outcome.outcome, outcome.code, outcome.reason)
    return outcome


class _Trial:
    def __init__(
        self, spec: TrialSpec, context: TrialContext, spool: Spool, steering: Steering, spooled: Callable[[], None]
    ) -> None:
        self._spec = spec
        self._context = context
        self._spool = spool
        self._steering = steering
        self._clock = HostClock.anchored_now()
        self.recorder = Recorder(spool, self._clock, self._offset_us, spooled, context.collect_s)

    def execute(self, leftovers: ExitStack) -> None:
        """Each step registers its clean-up in ``leftovers`` before it can fail."""
        leftovers.enter_context(lifeline(self._spool.stall_report))
        self.recorder.phase("preparing")
        self.recorder.flush()
        if self._context.offset() is None:
            self.recorder.note(
                "warning", "clock-offset-unknown", "the host has not exchanged times with the backend yet"
            )
        fingerprint = read_fingerprint(self._spec, self._clock.now_us())
        network = self._enter_network(leftovers)
        settings = {**fingerprint.settings, NETWORK: network}
        self.recorder.event(fingerprint.model_copy(update={"settings": settings}))
        folder = self._make_folder(leftovers)
        confinement = self._confine(folder, leftovers)
        sandbox = replace(self._context.sandbox, confinement=confinement, fences=network == FENCED)
        try:
            self._perform(self._stage(folder, sandbox, leftovers))
        except Exception as error:
            self._require_within(confinement, error)  # that is why something failed
            raise
        self._require_within(confinement)

    def _perform(self, stage: Stage) -> None:
        stage.set_up()
        targets = stage.targets()
        sampler = stage.sampler(targets)
        recording = self._recording(stage)
        load = self._load(stage, sampler, targets, recording)
        stage.tell_memory("start")
        # The last reading before the load, after every connection of ours to nginx has been made.
        self.recorder.sample(sampler.sample())
        self.recorder.phase("ready")
        self.recorder.flush()
        load.run(self._await_start(), self._steering)
        self._cool_down(stage, sampler)
        if recording is not None:
            self._keep_profile(recording)

    def _recording(self, stage: Stage) -> Recording | None:
        """Where the trial is a profile: of the nginx under test, ready to begin. Without one the trial goes on."""
        nginx, wanted, timing = stage.nginx, self._spec.profile, self._spec.timing
        if nginx is None or wanted is None or self._spec.nginx is None:
            return None
        recording = Recording(
            spec=wanted,
            pids=[nginx.master, *nginx.workers()],
            program=Path(self._spec.nginx.binary),
            seconds=timing.measure_s,
            drop=drop(self._context.sandbox.run_as),
            now_us=self._clock.now_us,
        )
        stage.leftovers.callback(recording.close)
        try:
            recording.open(longest_life_s(self._spec))
        except ProfilingError as error:
            self.recorder.note("error", NO_PROFILE, str(error))
            return None
        return recording

    def _keep_profile(self, recording: Recording) -> None:
        try:
            self.recorder.event(recording.result())
        except ProfilingError as error:
            self.recorder.note("error", NO_PROFILE, str(error))

    def _await_start(self) -> int:
        """The agreed start on this host's clock. Raises ``TrialStopError`` where it is not set in time, or where it
        makes no sense, because a clock was set after the two were last compared."""
        start_us = self._steering.await_start(self._spec.timing.start_timeout_s) - self._offset_us()
        ahead_s = (start_us - self._clock.now_us()) / 1e6
        if not -self._spec.timing.start_timeout_s - SLACK_S < ahead_s < SLACK_S:
            side = "ahead" if ahead_s > 0 else "ago"
            reason = f"the agreed start is {abs(ahead_s):,.0f} s {side}: the backend's clock was set meanwhile"
            raise TrialStopError("failed", "clock-stepped", reason)
        return start_us

    def _offset_us(self) -> int:
        offset = self._context.offset()
        return 0 if offset is None else offset.against(self._clock)

    def _enter_network(self, leftovers: ExitStack) -> str:
        """The trial's own network for this thread where nothing outside it takes part and the host allows one, else the
        host's; which it is."""
        if stays_here(self._spec):
            with suppress(OSError):  # the capability on the host's page says why; a fence is the next best
                if different := leftovers.enter_context(own_network()):
                    message = f"settings of the trial's network that are not the host's: {', '.join(different)}"
                    self.recorder.note("info", "network-differs", message)
                return OWN
        return FENCED if probe_fence().available else SHARED

    def _make_folder(self, leftovers: ExitStack) -> Path:
        folder = make_folder(self._context.trials_root, self._spec.trial_id, self._context.sandbox.run_as)
        leftovers.callback(remove_folder, folder)
        leftovers.callback(end_processes, folder)  # whose guardian was killed
        return folder

    def _confine(self, folder: Path, leftovers: ExitStack) -> Confinement:
        """Bounds all children of this trial from now on, and ends it as soon as they hit one of the owner's caps."""
        sandbox = self._context.sandbox
        confinement = Confinement(
            folder,
            self._context.bounds,
            declared_bytes=declared_bytes(self._spec),
            prepared=PREPARED,
            uid=sandbox.run_as.uid if sandbox.run_as is not None else None,
        )
        leftovers.callback(confinement.close)
        leftovers.enter_context(CapWatch(confinement, lambda reason: self._steering.stop(beyond_caps(reason))))
        return confinement

    def _require_within(self, confinement: Confinement, error: Exception | None = None) -> None:
        if reason := confinement.exceeded():
            raise beyond_caps(reason) from error

    def _stage(self, folder: Path, sandbox: Sandbox, leftovers: ExitStack) -> Stage:
        return Stage(
            spec=self._spec,
            folder=folder,
            sandbox=sandbox,
            steering=self._steering,
            reach=self._context.reach,
            recorder=self.recorder,
            clock=self._clock,
            leftovers=leftovers,
        )

    def _load(self, stage: Stage, sampler: Sampler, targets: SampleTargets, recording: Recording | None) -> Load:
        accounting = RequestAccounting(stage.nginx.counters_address, sampler) if stage.nginx else None
        alone = accounting is not None and len(stage.generators) == 1 and not self._spec.remote_streams
        stub_requests = accounting.requests if accounting and alone else lambda: None
        streams = [Stream.of(spec, generator) for spec, generator in stage.generators]
        return Load(
            spec=self._spec,
            streams=Streams(streams, self.recorder, self._clock, stub_requests, str(self._spec.trial_id)),
            servers=stage.servers,
            sampler=sampler,
            accounting=accounting,
            recorder=self.recorder,
            clock=self._clock,
            punctuality=Punctuality(self.recorder, self._spec.sampling),
            intervention=stage.intervention(sampler, targets, accounting),
            request_times=stage.request_times,
            phases=stage.phases,
            server_use=ServerUseMeter(self._context.server_run, self._clock.now_us),
            recording=recording,
            answers=lambda: answers(self._spec.streams, stage.target, self._clock) if stage.target is not None else (),
            tell_memory=lambda: stage.tell_memory("end"),
        )

    def _cool_down(self, stage: Stage, sampler: Sampler) -> None:
        begin_us = monotonic_us()
        for tick in cooldown_ticks(self._spec.timing, self._spec.sampling):
            self._steering.pause_until(begin_us + tick.at_us)
            self.recorder.sample(sampler.sample())
            self.recorder.pulse()
            for server in stage.servers:
                server.check()


def read_fingerprint(spec: TrialSpec, t_us: int) -> FingerprintEvent:
    """As of now. A program that cannot be read is left out: it does not start either, which says more."""
    return FingerprintEvent(
        t_us=t_us,
        boot_id=read(SYSCTL / "kernel/random/boot_id") or "",
        kernel=platform.release(),
        governor=cpu_governor(),
        limits=limits(),
        settings=fingerprint(),
        programs=dict(_checksums(spec)),
    )


def _checksums(spec: TrialSpec) -> Iterable[tuple[str, str]]:
    servers = [server.binary for server in (spec.nginx, *spec.upstream_servers) if server is not None]
    generators = (program for stream in spec.streams for program in ENGINES[stream.engine].programs())
    for path in dict.fromkeys([*servers, *generators]):
        try:
            yield path, sha256(path)
        except ProgramError:
            continue
