"""The progress of a run: on a terminal one line that is rewritten, elsewhere a line for each step."""

import os
from datetime import datetime, timedelta
from typing import TextIO

from ngxlab_cli.models import RunDetail

BAR = 10
FINAL_STATES = {"completed", "failed", "cancelled"}
USUAL_COLUMNS = 80
SEPARATOR = " · "


class Silent:
    """Shows nothing, for ``--quiet``; others show what they are given, and are closed before anything else prints."""

    def show(self, run: RunDetail) -> None:
        """A new reading of the run."""

    def note(self, text: str) -> None:
        """A line that stays on the screen."""

    def close(self) -> None:
        """Leave the cursor at the beginning of a line."""


class Lines(Silent):
    """Progress in logs: a line when a trial begins or ends, or when the run waits for something else."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = ""

    def show(self, run: RunDetail) -> None:
        line = SEPARATOR.join(steps(run))
        if line != self._shown:
            self.note(line)
            self._shown = line

    def note(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()


class OneLine(Lines):
    """Progress on a terminal: one line, rewritten with each reading and cut to the terminal's width."""

    _open = False

    def show(self, run: RunDetail) -> None:
        line = SEPARATOR.join([bar(run.progress.fraction), *steps(run), *clocks(run)])
        columns = os.get_terminal_size(self._stream.fileno()).columns or USUAL_COLUMNS
        self._stream.write(f"\r\033[K{line[: columns - 1]}")
        self._stream.flush()
        self._open = True

    def note(self, text: str) -> None:
        self.close()
        super().note(text)

    def close(self) -> None:
        if self._open:
            self._stream.write("\n")
            self._stream.flush()
        self._open = False


def choose(stream: TextIO, *, quiet: bool) -> Silent:
    if quiet:
        return Silent()
    return OneLine(stream) if stream.isatty() else Lines(stream)


def is_over(run: RunDetail) -> bool:
    return run.state in FINAL_STATES


def bar(fraction: float) -> str:
    done = round(fraction * BAR)
    return f"[{'#' * done}{'.' * (BAR - done)}]"


def steps(run: RunDetail) -> list[str]:
    """The state, the trials done and the current arm, without anything that changes from second to second."""
    progress = run.progress
    shown = [_state(run), f"{progress.trials_done}/{progress.trials_total} trials"]
    if is_over(run):
        return [*shown, run.state_reason] if run.state_reason else shown
    if progress.arm is not None:
        labels = {arm.key: arm.label for arm in run.arms}
        shown += [f"block {progress.block}", labels.get(progress.arm, progress.arm)]
    elif progress.waiting_for:
        shown.append(progress.waiting_for)
    return shown


def _state(run: RunDetail) -> str:
    if is_over(run):
        return run.state
    if run.cancel_requested_at is not None:
        return "cancelling"
    return "paused" if run.paused_at is not None else run.state


def clocks(run: RunDetail) -> list[str]:
    """The phase and its time left, and the time left in total, by the server's clock."""
    if is_over(run):
        return []
    progress = run.progress
    shown = []
    if progress.phase is not None:
        left = _left(progress.phase_ends_at, run.server_time)
        shown.append(f"{progress.phase} {left}" if left else progress.phase)
    if left := _left(progress.ends_at, run.server_time):
        shown.append(f"{left} left")
    return shown


def _left(instant: datetime | None, now: datetime) -> str | None:
    return None if instant is None else duration(max(timedelta(), instant - now))


def duration(span: timedelta) -> str:
    """``0:07``, ``12:30``, ``1:02:03``."""
    minutes, seconds = divmod(round(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
