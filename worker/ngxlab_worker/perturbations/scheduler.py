"""Runs the perturbations of one host during its measured window, each in its own thread."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue

from ngxlab_contracts.perturbations import PerturbationSpec
from ngxlab_contracts.telemetry import ActionEvent

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.perturbations.action import Action
from ngxlab_worker.perturbations.time_line import TimeLine

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
        """The measured window begins at ``window_us`` (host's clock)."""
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
