"""Wait for the end of a run. The server may be away for a while, and Ctrl-C cancels the run."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import ClientError, NotSignedInError, UnreachableError, UsageError
from ngxlab_cli.models import RunDetail, RunFlag
from ngxlab_cli.progress import Silent, is_over

POLL_S = 0.5
PATIENCE_S = 120.0
"""The server may be unreachable for so long: the run continues without it."""
SIGNALS = {signal.SIGINT, signal.SIGTERM}


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Signals arrive only in :meth:`Follower._pause`, never during a request. For the main thread only."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Follower:
    """``cancels_asking``: cancel a run that asks whether to go on, because nobody is here to answer."""

    def __init__(self, client: LabClient, run_id: UUID, display: Silent, *, cancels_asking: bool = False) -> None:
        self._client = client
        self._run_id = run_id
        self._display = display
        self._news = News()
        self._interrupted = False
        self._cancel_wanted = False
        self._cancels_asking = cancels_asking
        self._answered_at = time.monotonic()
        self._away = False

    def follow(self) -> RunDetail | None:
        """The run at its end, or ``None`` where the user stopped waiting before. Raises ``ClientError``."""
        with _signals_held_back():
            try:
                return self._follow()
            finally:
                self._display.close()

    def _follow(self) -> RunDetail | None:
        while True:
            run = self._look()
            if run is not None:
                for line in self._news.of(run):
                    self._display.note(line)
                self._display.show(run)
                if is_over(run):
                    return run
                if run.asks is not None and self._cancels_asking and not self._cancel_wanted:
                    self._display.note("nobody is at a terminal to answer: cancelling the run")
                    self._cancel_wanted = True
                if self._cancel_wanted and run.cancel_requested_at is None:
                    self._cancel()
            if self._pause():
                if self._interrupted:
                    self._display.note(f"stopped waiting; {how_to_follow(self._run_id)}")
                    return None
                self._interrupted = self._cancel_wanted = True
                self._display.note("asking the server to cancel the run; Ctrl-C again stops waiting")

    def _look(self) -> RunDetail | None:
        """The run as it is now; ``None`` while the server is away."""
        try:
            run = self._client.run(self._run_id)
        except NotSignedInError:
            raise
        except UnreachableError as error:
            self._endure(error)
            return None
        self._answered_at = time.monotonic()
        self._away = False
        return run

    def _endure(self, error: ClientError) -> None:
        if time.monotonic() - self._answered_at > PATIENCE_S:
            raise UnreachableError(f"{error}; the run continues: {how_to_follow(self._run_id)}") from error
        if not self._away:
            self._display.note(f"{error}; trying again for {PATIENCE_S:g} s")
        self._away = True

    def _cancel(self) -> None:
        try:
            self._client.steer(self._run_id, "cancel")
        except UnreachableError:
            pass  # the next look repeats the request
        except UsageError as error:
            self._display.note(f"cannot cancel: {error}")
            self._cancel_wanted = False

    def _pause(self) -> bool:
        """Wait until the next look. True where a signal came."""
        return signal.sigtimedwait(SIGNALS, POLL_S) is not None


def how_to_follow(run_id: UUID) -> str:
    return f"follow it with `ngxlab wait {run_id}`"


class News:
    def __init__(self) -> None:
        self._flagged: set[tuple[str, str]] = set()
        self._verdict: str | None = None
        self._asked: str | None = None

    def of(self, run: RunDetail) -> list[str]:
        lines = [_flag(flag) for flag in run.flags if (flag.key, flag.severity) not in self._flagged]
        self._flagged |= {(flag.key, flag.severity) for flag in run.flags}
        if run.verdict_so_far not in {None, self._verdict}:
            self._verdict = run.verdict_so_far
            lines.append(f"so far: {run.verdict_so_far}")
        if run.asks is not None and run.asks.reason != self._asked:
            self._asked = run.asks.reason
            until = f"{run.asks.until.astimezone():%Y-%m-%d %H:%M}"
            answers = f"`ngxlab resume {run.id}` goes on, `ngxlab cancel {run.id}` ends it"
            lines.append(f"asks: {run.asks.reason} {answers}; without an answer it ends at {until}")
        return lines


def _flag(flag: RunFlag) -> str:
    """``error: generator-saturated: the busiest of 2 … (give the stream more threads …)``."""
    remedy = f" ({flag.remedy})" if flag.remedy else ""
    return f"{flag.severity}: {flag.key}: {flag.message}{remedy}"
