"""The load of a trial: streams start at one instant, everything is read at each tick, and all streams end together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.telemetry import Answer, NginxTotal
from ngxlab_contracts.trials import SamplingSpec, TimingSpec, TrialSpec

from ngxlab_worker.collectors import Sampler
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.nginx import NginxProcess
from ngxlab_worker.profiling import Recording
from ngxlab_worker.trial.intervention import Intervention, RequestAccounting
from ngxlab_worker.trial.phases import PhaseLog
from ngxlab_worker.trial.recorder import Punctuality, Recorder
from ngxlab_worker.trial.request_times import RequestTimes
from ngxlab_worker.trial.server_use import ServerUseMeter
from ngxlab_worker.trial.streams import Streams
from ngxlab_worker.uplink.steering import Steering

PEERS_END_S = 15.0
"""The time that streams of other hosts may take to end after the measured window."""


def serves_others(spec: TrialSpec) -> bool:
    """Whether what runs here must serve the streams of other hosts until they have ended."""
    return spec.remote_streams or (bool(spec.upstream_servers) and spec.nginx is None and not spec.streams)


@dataclass(frozen=True)
class Load:
    """``servers`` must not end before it. ``accounting`` is given where the nginx under test is on this host, and
    ``request_times`` and ``phases`` where that nginx logs them; ``recording`` where the trial is a profile."""

    spec: TrialSpec
    streams: Streams
    servers: Sequence[NginxProcess]
    sampler: Sampler
    accounting: RequestAccounting | None
    recorder: Recorder
    clock: HostClock
    punctuality: Punctuality
    intervention: Intervention
    request_times: RequestTimes | None
    phases: PhaseLog | None
    server_use: ServerUseMeter
    recording: Recording | None
    answers: Callable[[], Iterable[Answer]]
    """Asks nginx once more, after its last counters."""
    tell_memory: Callable[[], None]
    """Called as the measured window has ended, before connections are closed."""

    def run(self, start_us: int, steering: Steering) -> None:
        """Warm-up and measured window from ``start_us`` (host's clock) on. Returns when all generators have ended,
        including those of other hosts if they need this one.

        Hosts that are on time begin the window at the agreed instant, so that their windows coincide. A host that is
        late shifts its phases by its delay, does not shorten them, and notes it. A trial that is stopped, or whose
        nginx or generator fails, keeps what was measured so far.
        """
        steering.pause_until(start_us - self.clock.wall_minus_monotonic_us)
        complete = False
        try:
            released_us = self.clock.now_us()
            late = self.punctuality.edge("the load began", "late-start", released_us - start_us)
            begin_us = released_us if late else start_us
            self._begin(begin_us, released_us)
            try:
                timing, sampling = self.spec.timing, self.spec.sampling
                window_us = self._follow(warmup_ticks(timing, sampling), begin_us, steering) or released_us
                self.streams.begin_window(window_us, self.spec.timing.measure_s)
                self.server_use.begin()
                self.intervention.begin(window_us, timing.measure_s)
                if self.recording is not None:
                    self.recording.begin()
                self._follow(window_ticks(timing, sampling), window_us, steering)
                if self.recording is not None:
                    self.recording.end()
                self.server_use.end()
                self.tell_memory()
            finally:
                self._end()
            self._report_server_use()
            self.streams.check()
            if serves_others(self.spec):
                self._await_others(steering)
            complete = True
        finally:
            self._report_total()
            for answer in self.answers() if complete else ():
                self.recorder.event(answer)
            # Only now do others hear that these streams have ended.
            self.recorder.flush()

    def _begin(self, begin_us: int, released_us: int) -> None:
        self.streams.begin(begin_us, released_us)
        self.recorder.phase("warmup", released_us)
        if not self.spec.timing.warmup_s:
            self.recorder.phase("measure", released_us)
            self._edge_of_phases(released_us)
        self._read_request_times(released_us)
        self.recorder.sample(self.sampler.sample())
        self.recorder.flush()

    def _end(self) -> None:
        """Perturbations first: streams must not report their totals while nginx is stopped by a signal."""
        try:
            self.intervention.end()
        finally:
            self.streams.end()
            self.punctuality.close()

    def _follow(self, ticks: "Iterable[Tick]", begin_us: int, steering: Steering) -> int | None:
        """Read at each tick of a phase that began at ``begin_us``; the time of the last, ``None`` without ticks."""
        t_us = None
        for tick in ticks:
            due_us = begin_us + tick.at_us
            self.streams.pause_until(due_us, steering)
            t_us = self._read(tick, due_us)
        return t_us

    def _read(self, tick: "Tick", due_us: int) -> int:
        t_us = self.clock.now_us()
        if tick.phase is None and self.punctuality.away(t_us - due_us):
            return t_us
        if tick.histogram:
            self.streams.read(t_us)
            self._read_request_times(t_us)
        if tick.phase is not None:
            self._change_phase(tick.phase, t_us, late_us=t_us - due_us)
        self.intervention.read()
        if tick.sample:
            self.recorder.sample(self.sampler.sample())
            self.punctuality.reading(self.clock.now_us() - due_us)
        if tick.phase is None:
            self.recorder.pulse()
        else:
            self.recorder.flush()
        self._check()
        return t_us

    def _read_request_times(self, t_us: int) -> None:
        if self.request_times is not None:
            self.request_times.read(t_us)
        if self.phases is not None:
            self.phases.read()

    def _edge_of_phases(self, t_us: int) -> None:
        if self.request_times is not None:
            self.request_times.edge(t_us)
        if self.phases is not None:
            self.phases.edge(t_us)

    def _change_phase(self, phase: Literal["measure", "cooldown"], t_us: int, late_us: int) -> None:
        self.recorder.phase(phase, t_us)
        self._edge_of_phases(t_us)
        if phase == "measure":
            self.punctuality.edge("the measured window began", "late-start", late_us)
        else:
            self.punctuality.edge("the measured window ended", "late-end", late_us)

    def _await_others(self, steering: Steering) -> None:
        skew_us, interval_us = self.clock.wall_minus_monotonic_us, self.spec.sampling.interval_ms * 1000
        give_up_us = self.clock.now_us() + round(PEERS_END_S * 1e6)
        while not steering.await_streams_done(min(self.clock.now_us() + interval_us, give_up_us) - skew_us):
            if self.clock.now_us() >= give_up_us:
                message = f"other hosts did not report the end of their streams within {PEERS_END_S:g} s"
                self.recorder.note("error", "streams-unfinished", message)
                return
            self.recorder.sample(self.sampler.sample())
            self.recorder.pulse()
            self._check()

    def _check(self) -> None:
        for server in self.servers:
            server.check()
        self.streams.check()

    def _report_server_use(self) -> None:
        if (used := self.server_use.used()) is not None:
            self.recorder.event(used)

    def _report_total(self) -> None:
        if self.accounting is not None:
            total = NginxTotal(t_us=self.clock.now_us(), requests=self.accounting.requests())
            self.recorder.event(total)


SHORTEST_STEP_US = 1000
"""A tick this close to the end of a phase is its end: fractions of seconds do not add up exactly."""


@dataclass(frozen=True)
class Tick:
    """What to do ``at_us`` after a phase began: read the collectors, read the histograms, enter ``phase``."""

    at_us: int
    sample: bool
    histogram: bool
    phase: Literal["measure", "cooldown"] | None = None


def warmup_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the warm-up, ascending, without its beginning; the last enters the measured window."""
    if timing.warmup_s:
        yield from _phase(timing.warmup_s, sampling, "measure")


def window_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the measured window, ascending, without its beginning; the last ends it."""
    yield from _phase(timing.measure_s, sampling, "cooldown")


def cooldown_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the cool-down, relative to its beginning; none where there is no cool-down."""
    length_us = round(timing.cooldown_s * 1e6)
    for at_us in _steps(length_us, sampling.interval_ms * 1000):
        yield Tick(at_us, sample=True, histogram=False)
    if length_us:
        yield Tick(length_us, sample=True, histogram=False)


def _phase(length_s: float, sampling: SamplingSpec, then: Literal["measure", "cooldown"]) -> Iterator[Tick]:
    """The last tick reads everything, so that no interval lies across an edge of the measured window."""
    length_us = round(length_s * 1e6)
    samples = set(_steps(length_us, sampling.interval_ms * 1000))
    histograms = set(_steps(length_us, sampling.histogram_interval_ms * 1000))
    for at_us in sorted(samples | histograms):
        yield Tick(at_us, sample=at_us in samples, histogram=at_us in histograms)
    yield Tick(length_us, sample=True, histogram=True, phase=then)


def _steps(length_us: int, step_us: int) -> range:
    return range(step_us, length_us - SHORTEST_STEP_US, step_us)
