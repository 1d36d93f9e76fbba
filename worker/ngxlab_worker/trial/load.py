"""The loaded part of a trial: streams released at one instant, everything read at each tick, ended together."""

from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab_contracts.telemetry import NginxTotal
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.clock import HostClock
from ngxlab_worker.collectors import Sampler
from ngxlab_worker.nginx import NginxProcess
from ngxlab_worker.trial.accounting import RequestAccounting
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.schedule import Tick, load_ticks
from ngxlab_worker.trial.steering import Steering
from ngxlab_worker.trial.streams import LATE_START_US, Streams

PEERS_END_S = 15.0
"""How long the streams of other hosts may take to end after the measured window."""


def serves_others(spec: TrialSpec) -> bool:
    """Whether streams of other hosts need what runs here, until they have ended."""
    return spec.remote_streams or (bool(spec.backends) and spec.nginx is None and not spec.streams)


@dataclass(frozen=True)
class Load:
    """``servers`` must live through it. ``accounting`` only where the nginx under test is here."""

    spec: TrialSpec
    streams: Streams
    servers: Sequence[NginxProcess]
    sampler: Sampler
    accounting: RequestAccounting | None
    recorder: Recorder
    clock: HostClock

    def run(self, start_us: int, steering: Steering) -> None:
        """Warm-up and measured window from ``start_us`` (host's clock) on; then all generators have ended, those of
        other hosts too if they need this one.

        A trial that is stopped, or whose nginx or generator fails, keeps what was measured so far.
        """
        steering.pause_until(start_us - self.clock.wall_minus_monotonic_us)
        try:
            self._begin(start_us)
            try:
                for tick in load_ticks(self.spec.timing, self.spec.sampling):
                    self.streams.pause_until(start_us + tick.at_us, steering)
                    self._read(tick, late_us=self.clock.now_us() - start_us - tick.at_us)
            finally:
                self.streams.end()
            if serves_others(self.spec):
                self._await_others(steering)
        finally:
            self._report_total()

    def _begin(self, start_us: int) -> None:
        released_us = self.clock.now_us()
        self.streams.begin(start_us, released_us)
        if released_us - start_us > LATE_START_US:
            late_ms = (released_us - start_us) // 1000
            self.recorder.note("warning", "late-start", f"the load began {late_ms} ms after the agreed instant")
        self.recorder.phase("warmup", released_us)
        if not self.spec.timing.warmup_s:
            self.recorder.phase("measure", released_us)
        self.recorder.sample(self.sampler.sample())
        self.recorder.flush()

    def _read(self, tick: Tick, late_us: int) -> None:
        if tick.phase is None and late_us > self.spec.sampling.interval_ms * 1000:
            return  # the host was away: do not add a burst of readings to its troubles
        t_us = self.clock.now_us()
        if tick.histogram:
            self.streams.read(t_us)
        if tick.phase is not None:
            self.recorder.phase(tick.phase, t_us)
        if tick.sample:
            self.recorder.sample(self.sampler.sample())
        if tick.phase is None:
            self.recorder.pulse()
        else:
            self.recorder.flush()
        self._check()

    def _await_others(self, steering: Steering) -> None:
        """Go on serving and sampling until nobody needs us."""
        skew_us, interval_us = self.clock.wall_minus_monotonic_us, self.spec.sampling.interval_ms * 1000
        give_up_us = self.clock.now_us() + round(PEERS_END_S * 1e6)
        with steering.awaiting_streams_done() as done_by:
            while not done_by(min(self.clock.now_us() + interval_us, give_up_us) - skew_us):
                if self.clock.now_us() >= give_up_us:
                    message = f"other hosts have not said that their streams ended within {PEERS_END_S:g} s"
                    self.recorder.note("error", "streams-unfinished", message)
                    return
                self.recorder.sample(self.sampler.sample())
                self.recorder.pulse()
                self._check()

    def _check(self) -> None:
        for server in self.servers:
            server.check()
        self.streams.check()

    def _report_total(self) -> None:
        if self.accounting is not None:
            total = NginxTotal(t_us=self.clock.now_us(), requests=self.accounting.requests())
            self.recorder.event(total)
