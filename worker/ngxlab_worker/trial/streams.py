"""The streams of one host during a trial's load. Each begins and ends at its own instant."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.streams import CapacitySpec, CurveSpec, StreamSpec
from ngxlab_contracts.telemetry import StreamResult

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import Generator, GeneratorError
from ngxlab_worker.trial.capacity import CapacitySearch
from ngxlab_worker.trial.curve import LoadCurve
from ngxlab_worker.trial.recorder import TOLERATED_US, Recorder
from ngxlab_worker.trial.steered import Steered, SteeredSteps
from ngxlab_worker.uplink.steering import Steering

STOP_TIMEOUT_US = 1_200_000
FOLLOW_US = 1_000


@dataclass
class Stream:
    """A prepared generator and when it runs: microseconds after the start of warm-up; ``until_us`` None: until the load
    ends. The states follow each other in the order given. ``steering``: what sets its rates, from the beginning of the
    measured window on."""

    generator: Generator
    begin_us: int
    until_us: int | None
    steering: CapacitySpec | CurveSpec | None = None
    state: Literal["held", "loading", "ending", "ended"] = "held"
    give_up_us: int = 0
    steps: SteeredSteps | None = None

    @classmethod
    def of(cls, spec: StreamSpec, generator: Generator) -> "Stream":
        begin_us = round(spec.start_offset_s * 1e6)
        until_us = None if spec.duration_s is None else begin_us + round(spec.duration_s * 1e6)
        return cls(generator, begin_us, until_us, spec.searches_for or spec.draws_curve)


class Streams:
    """``stub_requests`` gives nginx's own count; it is called when a stream has ended. All times are of ``clock``.
    ``lot``: what is drawn for this trial follows from it."""

    def __init__(
        self,
        streams: list[Stream],
        recorder: Recorder,
        clock: HostClock,
        stub_requests: Callable[[], int | None],
        lot: str,
    ) -> None:
        self._streams = streams
        self._recorder = recorder
        self._clock = clock
        self._stub_requests = stub_requests
        self._lot = lot
        self._start_us = 0
        self._window_end_us: int | None = None
        self._failure: GeneratorError | None = None

    def begin(self, start_us: int, released_us: int) -> None:
        """Begin the load now, at ``released_us``; the streams' instants count from ``start_us``."""
        self._start_us = start_us
        self._act(released_us)

    def begin_window(self, t_us: int, window_s: float) -> None:
        """The measured window begins now, at ``t_us``."""
        self._window_end_us = t_us + round(window_s * 1e6)
        for stream in self._in("loading"):
            self._begin_steps(stream, t_us)

    def pause_until(self, instant_us: int, steering: Steering) -> None:
        """Sleep until ``instant_us``, and meanwhile begin, steer and end streams. Raises ``TrialStopError``."""
        skew_us = self._clock.wall_minus_monotonic_us
        while (due_us := self._next_due_us()) is not None and due_us <= instant_us:
            steering.pause_until(due_us - skew_us)
            self._act(self._clock.now_us())
        steering.pause_until(instant_us - skew_us)

    def read(self, t_us: int) -> None:
        for stream in self._in("loading", "ending"):
            self._recorder.intervals(stream.generator.reading(t_us))

    def check(self) -> None:
        """Raises ``GeneratorError`` where a generator has ended by itself, or where its figures must not be used."""
        if self._failure is not None:
            raise self._failure
        for stream in self._in("held", "loading"):
            stream.generator.check()

    def end(self) -> None:
        """End all streams that run, and report their results. It is short and cannot be interrupted, since a cancelled
        trial keeps what was measured. A stream that never began has no result."""
        for stream in self._in("loading"):
            self._stop(stream, self._clock.now_us())
        while ending := self._in("ending"):
            for stream in ending:
                self._follow(stream, self._clock.now_us())
            if self._in("ending"):
                time.sleep(FOLLOW_US / 1e6)

    def _in(self, *states: str) -> list[Stream]:
        return [stream for stream in self._streams if stream.state in states]

    def _next_due_us(self) -> int | None:
        if self._in("ending"):
            return self._clock.now_us() + FOLLOW_US
        begins = [stream.begin_us for stream in self._in("held")]
        ends = [stream.until_us for stream in self._in("loading") if stream.until_us is not None]
        acts = [due_us for stream in self._streams if stream.steps and (due_us := stream.steps.next_due_us)]
        return min((*acts, *(self._start_us + instant_us for instant_us in (*begins, *ends))), default=None)

    def _act(self, t_us: int) -> None:
        elapsed_us = t_us - self._start_us
        for stream in self._streams:
            if stream.state == "ending":
                self._follow(stream, t_us)
            elif stream.state == "loading" and stream.until_us is not None and elapsed_us >= stream.until_us:
                self._recorder.intervals(stream.generator.reading(t_us))  # what comes later is after its end
                self._stop(stream, t_us)
            elif stream.state == "held" and elapsed_us >= stream.begin_us:
                self._release(stream, t_us)
            if stream.steps is not None and stream.steps.is_due(t_us):
                stream.steps.act(t_us)

    def _release(self, stream: Stream, t_us: int) -> None:
        stream.generator.release(t_us)
        stream.state = "loading"
        late_us = t_us - self._start_us - stream.begin_us
        if stream.begin_us and late_us > TOLERATED_US:  # otherwise the whole load is late, which is noted elsewhere
            message = f"stream {stream.generator.key} began {late_us // 1000} ms late"
            self._recorder.note("warning", "late-start", message)
        if self._window_end_us is not None:
            self._begin_steps(stream, t_us)

    def _begin_steps(self, stream: Stream, t_us: int) -> None:
        rates, steering = stream.generator.rates, stream.steering
        if steering is None or rates is None or self._window_end_us is None:
            return
        until_us = self._window_end_us
        if stream.until_us is not None:
            until_us = min(until_us, self._start_us + stream.until_us)
        window_s, key, clock = (until_us - t_us) / 1e6, stream.generator.key, self._clock
        if isinstance(steering, CapacitySpec):
            stream.steps = CapacitySearch(
                key, steering, rates, self._report, clock=clock, window_s=window_s, lot=f"{self._lot} {key}"
            )
        else:
            stream.steps = LoadCurve(
                key, steering, rates, self._report, clock=clock, window_s=window_s, lot=f"{self._lot} {key}"
            )

    def _report(self, event: Steered) -> None:
        self._recorder.event(event)
        self._recorder.pulse()

    def _stop(self, stream: Stream, t_us: int) -> None:
        if stream.steps is not None:
            stream.steps.end(t_us)
        stream.generator.stop(t_us)
        stream.state, stream.give_up_us = "ending", t_us + STOP_TIMEOUT_US

    def _follow(self, stream: Stream, t_us: int) -> None:
        generator = stream.generator
        if not generator.stopped(t_us):
            if t_us < stream.give_up_us:
                return
            message = f"stream {generator.key} did not end within {STOP_TIMEOUT_US / 1e6:g} s and was killed: no report"
            self._recorder.note("error", "generator-stuck", message)
            generator.kill()
        stream.state = "ended"
        intervals, end = generator.finish()
        self._failure = self._failure or end.failure
        self._recorder.intervals(intervals)
        self._recorder.event(
            StreamResult(
                t_us=self._clock.now_us(),
                stream=generator.key,
                exit_code=end.exit_code,
                live_requests=end.live_requests,
                live_unavailable_reason=end.live_unavailable_reason,
                stub_requests=self._stub_requests(),
                printed=end.printed,
                totals=end.totals,
            )
        )
        self._recorder.artefact(f"{generator.key}.txt", end.report)
