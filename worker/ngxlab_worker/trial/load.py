"""The loaded part of a trial: generators released at one instant, read at each tick, ended together."""

import time

from ngxlab_contracts.telemetry import StreamResult
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.clock import HostClock, monotonic_us
from ngxlab_worker.collectors import Sampler
from ngxlab_worker.engines import Generator
from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.trial.accounting import RequestAccounting
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.schedule import Tick, load_ticks
from ngxlab_worker.trial.steering import Steering

STOP_TIMEOUT_S = 1.2
STOP_POLL_S = 0.001
LATE_START_US = 20_000


class Load:
    """``generators`` are prepared and wait for their release."""

    def __init__(
        self,
        spec: TrialSpec,
        generators: list[Generator],
        *,
        nginx: NginxServer,
        sampler: Sampler,
        recorder: Recorder,
        clock: HostClock,
    ) -> None:
        self._spec = spec
        self._generators = generators
        self._nginx = nginx
        self._sampler = sampler
        self._recorder = recorder
        self._clock = clock
        self._accounting = RequestAccounting(nginx.status_address, sampler)

    def run(self, start_us: int, steering: Steering) -> None:
        """Warm-up and measured window from ``start_us`` (host's clock) on; then the generators have ended.

        A trial that is stopped, or whose nginx or generator fails, keeps what was measured so far.
        """
        skew_us = self._clock.wall_minus_monotonic_us
        self._accounting.begin()
        steering.pause_until(start_us - skew_us)
        self._release(start_us)
        try:
            for tick in load_ticks(self._spec.timing, self._spec.sampling):
                steering.pause_until(start_us + tick.at_us - skew_us)
                self._read(tick, late_us=self._clock.now_us() - start_us - tick.at_us)
        finally:
            self._end()

    def _release(self, start_us: int) -> None:
        released_us = self._clock.now_us()
        for generator in self._generators:
            generator.release(released_us)
        if released_us - start_us > LATE_START_US:
            late_ms = (released_us - start_us) // 1000
            self._recorder.note("warning", "late-start", f"the load began {late_ms} ms after the agreed instant")
        self._recorder.phase("warmup", released_us)
        if not self._spec.timing.warmup_s:
            self._recorder.phase("measure", released_us)
        self._recorder.sample(self._sampler.sample())
        self._recorder.flush()

    def _read(self, tick: Tick, late_us: int) -> None:
        if tick.phase is None and late_us > self._spec.sampling.interval_ms * 1000:
            return  # the host was away: do not add a burst of readings to its troubles
        t_us = self._clock.now_us()
        if tick.histogram:
            for generator in self._generators:
                self._recorder.intervals(generator.reading(t_us))
        if tick.phase is not None:
            self._recorder.phase(tick.phase, t_us)
        if tick.sample:
            self._recorder.sample(self._sampler.sample())
        if tick.phase is None:
            self._recorder.pulse()
        else:
            self._recorder.flush()
        self._nginx.check()
        for generator in self._generators:
            generator.check()

    def _end(self) -> None:
        for generator in self._generators:
            generator.stop(self._clock.now_us())
        self._follow_end()
        stub_requests = self._accounting.requests() if len(self._generators) == 1 else None
        for generator in self._generators:
            intervals, end = generator.finish()
            self._recorder.intervals(intervals)
            self._recorder.event(
                StreamResult(
                    t_us=self._clock.now_us(),
                    stream=generator.key,
                    exit_code=end.exit_code,
                    live_requests=end.live_requests,
                    live_unavailable_reason=end.live_unavailable_reason,
                    stub_requests=stub_requests,
                    printed=end.printed,
                )
            )
            self._recorder.artefact(f"{generator.key}.txt", end.report)

    def _follow_end(self) -> None:
        # Not steered: it is short, and a cancelled trial keeps what was measured.
        running = list(self._generators)
        give_up_us = monotonic_us() + round(STOP_TIMEOUT_S * 1e6)
        while running and monotonic_us() < give_up_us:
            running = [generator for generator in running if not generator.stopped(self._clock.now_us())]
            if running:
                time.sleep(STOP_POLL_S)
        for generator in running:
            self._recorder.note("error", "generator-stuck", f"stream {generator.key} had to be killed: no report")
            generator.kill()
