"""Runs the perturbations of one host during its measured window, each on a time line in a thread of its own."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import count, takewhile
from queue import Empty, SimpleQueue

from ngxlab_contracts.perturbations import During, Every, Once, PerturbationSpec, When
from ngxlab_contracts.telemetry import ActionEvent

from ngxlab_worker.core.clock import HostClock, monotonic_us
from ngxlab_worker.nginx import NginxError
from ngxlab_worker.perturbations.action import Action, ActionError, Cue, Done
from ngxlab_worker.sandbox import SandboxError


@dataclass(frozen=True)
class Beat:
    """The ``number``-th action, from 1. Only an action that lasts ends later than it begins."""

    number: int
    begin_us: int
    end_us: int


def beats(when: When, window_s: float) -> Iterator[Beat]:
    """All actions in order. None begins at the window's end or later, and none lasts beyond it."""
    window_us = _us(window_s)
    until_us = window_us if isinstance(when, Once) or when.until_s is None else min(window_us, _us(when.until_s))
    match when:
        case Once():
            first = Beat(1, _us(when.at_s), _us(when.at_s))
        case During():
            first = Beat(1, _us(when.from_s), until_us)
        case Every():
            begins = (_us(when.from_s + index * when.every_s) for index in count())
            due = takewhile(lambda begin_us: begin_us < until_us, begins)
            yield from (Beat(number, begin_us, begin_us) for number, begin_us in enumerate(due, 1))
            return
    if first.begin_us < until_us:
        yield first


def _us(seconds: float) -> int:
    return round(seconds * 1e6)


LONGEST_DETAIL = 500
SKIPPED = Done(ok=False, detail="skipped: the previous action was still running")


class TimeLine:
    """``under_way``: an action that has begun and not ended. ``report`` is called from this time line's thread."""

    def __init__(
        self, spec: PerturbationSpec, action: Action, clock: HostClock, report: Callable[[ActionEvent], None]
    ) -> None:
        self._spec = spec
        self._action = action
        self._clock = clock
        self._report = report
        self._cue: Cue | None = None
        self.under_way: ActionEvent | None = None

    def follow(self, origin_us: int, window_s: float, stopped: threading.Event) -> None:
        """Act on every beat of the window that begins at ``origin_us`` (CLOCK_MONOTONIC), until ``stopped``."""
        free_us = origin_us
        for beat in beats(self._spec.when, window_s):
            due_us = origin_us + beat.begin_us
            if due_us < free_us:
                due = self._event(beat, due_us + self._clock.wall_minus_monotonic_us)
                self._report(_ended(due, due.t_us, SKIPPED).model_copy(update={"skipped": True}))
                continue
            cue = self._cue = Cue(stopped, origin_us + beat.end_us)
            if not cue.wait_until(due_us):
                return
            self._act(beat, cue)
            free_us = monotonic_us()

    def interrupt(self) -> None:
        """Wake an action that waits by other means, after ``stopped`` was set."""
        if self._cue is not None:
            self._cue.interrupt()

    def _act(self, beat: Beat, cue: Cue) -> None:
        begun = self.under_way = self._event(beat, self._clock.now_us())
        if isinstance(self._spec.when, During):
            self._report(begun)
        try:
            done = self._action(cue)
        except (ActionError, NginxError, SandboxError, OSError) as error:
            done = Done(ok=False, detail=str(error))
        finally:
            self.under_way = None
        self._report(_ended(begun, self._clock.now_us(), done))

    def _event(self, beat: Beat, t_us: int) -> ActionEvent:
        return ActionEvent(
            t_us=t_us,
            ended_us=None,
            perturbation=self._spec.key,
            number=beat.number,
            action=self._spec.action.kind,
            ok=True,
        )


def _ended(event: ActionEvent, ended_us: int, done: Done) -> ActionEvent:
    told = {"ok": done.ok, "status": done.status, "detail": done.detail[:LONGEST_DETAIL]}
    return event.model_copy(update={"ended_us": ended_us, **told})


END_TIMEOUT_S = 2.0
"""The time that an action may take to end after it was told to; only sync(2) and a blocked disk take longer."""


class Perturbations:
    """Call :meth:`begin` when the measured window begins, :meth:`news` while it lasts, and :meth:`end` in any case.

    :meth:`news` gives the events, in the caller's thread.
    """

    def __init__(self, prepared: Sequence[tuple[PerturbationSpec, Action]], clock: HostClock) -> None:
        self._clock = clock
        self._stopped = threading.Event()
        self._news: SimpleQueue[ActionEvent] = SimpleQueue()
        self._lines = [TimeLine(spec, action, clock, self._news.put) for spec, action in prepared]
        self._threads: list[Future[None]] = []

    def begin(self, window_us: int, window_s: float) -> None:
        if not self._lines:
            return
        origin_us = window_us - self._clock.wall_minus_monotonic_us
        pool = ThreadPoolExecutor(len(self._lines), "perturbation")
        self._threads = [pool.submit(line.follow, origin_us, window_s, self._stopped) for line in self._lines]
        pool.shutdown(wait=False)

    def news(self) -> Iterator[ActionEvent]:
        """The events since the last call. Raises any error that an action must not raise: that is a defect."""
        for thread in self._threads:
            if thread.done():
                thread.result()
        while True:
            try:
                yield self._news.get_nowait()
            except Empty:
                return

    def end(self) -> None:
        """Begin no further action, and have those under way end and undo their temporary changes. One that does not
        end in time is reported as failed."""
        self._stopped.set()
        for line in self._lines:
            line.interrupt()
        wait(self._threads, END_TIMEOUT_S)
        for line in self._lines:
            if (stuck := line.under_way) is not None:
                detail = f"it had not ended {END_TIMEOUT_S:g} s after the load"
                self._news.put(stuck.model_copy(update={"ok": False, "detail": detail}))
