"""How a run is shown while it goes on: one line that is rewritten on a terminal, else a line for each step."""

import os
from abc import ABC, abstractmethod
from datetime import datetime, timedelta
from typing import TextIO

from ngxlab_cli.models import Run

BAR = 10
USUAL_COLUMNS = 80
SEPARATOR = " · "


class Display(ABC):
    """Call :meth:`show` with each new reading of the run, and :meth:`close` before anything else is printed."""

    @abstractmethod
    def show(self, run: Run) -> None: ...

    @abstractmethod
    def note(self, text: str) -> None:
        """Something that stays on the screen."""

    @abstractmethod
    def close(self) -> None:
        """Leave the cursor at the beginning of a line."""


class Silent(Display):
    def show(self, run: Run) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class Lines(Display):
    """For logs: a line when a trial begins or ends, or when the run waits for something else."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = ""

    def show(self, run: Run) -> None:
        line = SEPARATOR.join(steps(run))
        if line != self._shown:
            self.note(line)
            self._shown = line

    def note(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def close(self) -> None:
        pass


class OneLine(Display):
    """For a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._open = False

    def show(self, run: Run) -> None:
        line = SEPARATOR.join([bar(run.progress.fraction), *steps(run), *clocks(run)])
        columns = os.get_terminal_size(self._stream.fileno()).columns or USUAL_COLUMNS
        self._stream.write(f"\r\033[K{line[: columns - 1]}")
        self._stream.flush()
        self._open = True

    def note(self, text: str) -> None:
        self.close()
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def close(self) -> None:
        if self._open:
            self._stream.write("\n")
            self._stream.flush()
        self._open = False


def choose(stream: TextIO, *, quiet: bool) -> Display:
    if quiet:
        return Silent()
    return OneLine(stream) if stream.isatty() else Lines(stream)


def bar(fraction: float) -> str:
    done = round(fraction * BAR)
    return f"[{'#' * done}{'.' * (BAR - done)}]"


def steps(run: Run) -> list[str]:
    """Where the run is, without anything that changes by itself."""
    progress = run.progress
    found = [_state(run), f"{progress.trials_done}/{progress.trials_total} trials"]
    if run.over:
        return [*found, run.state_reason] if run.state_reason else found
    if progress.arm is not None:
        labels = {arm.key: arm.label for arm in run.arms}
        found += [f"block {progress.block}", labels.get(progress.arm, progress.arm)]
    elif progress.waiting_for:
        found.append(progress.waiting_for)
    return found


def _state(run: Run) -> str:
    if run.over:
        return run.state
    if run.cancel_requested_at is not None:
        return "cancelling"
    return "paused" if run.paused_at is not None else run.state


def clocks(run: Run) -> list[str]:
    """The phase with its time left, and the time left in all, by the server's clock."""
    if run.over:
        return []
    progress = run.progress
    found = []
    if progress.phase is not None:
        left = _left(progress.phase_ends_at, run.server_time)
        found.append(f"{progress.phase} {left}" if left else progress.phase)
    if left := _left(progress.ends_at, run.server_time):
        found.append(f"{left} left")
    return found


def _left(instant: datetime | None, now: datetime) -> str | None:
    return None if instant is None else duration(max(timedelta(), instant - now))


def duration(span: timedelta) -> str:
    """``0:07``, ``12:30``, ``1:02:03``."""
    minutes, seconds = divmod(round(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
