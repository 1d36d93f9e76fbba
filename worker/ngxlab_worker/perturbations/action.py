"""What an action is, and what it says when it is done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ngxlab_worker.perturbations.cue import Cue


@dataclass(frozen=True)
class Done:
    """How an action went. ``status``: of HTTP, where there was an answer."""

    ok: bool
    detail: str = ""
    status: int | None = None


class ActionError(Exception):
    """An action could not be done; the message is the plain reason. The trial goes on."""


class Action(Protocol):
    """One perturbation's deed, perhaps done many times, always in the same thread and never twice at once."""

    def run(self, cue: Cue) -> Done:
        """Do it and return when it is done: at ``cue.ends_us`` for what lasts, and soon after ``cue`` was stopped.

        What it changed for a while only is undone when it returns, however it returns. Raises ``ActionError``,
        ``NginxError`` or ``OSError``.
        """
        ...


class Upstreams(Protocol):
    """The dynamic upstream groups of the nginx under test."""

    def change(self, group: str, timeout_s: float, wait: Callable[[float], bool]) -> tuple[int | None, str]:
        """Give ``group`` its next nodes and return when that took effect: the status of HTTP, where it went over HTTP,
        and a few words on what was done. Statuses from 400 on are failures. ``wait`` sleeps, or says ``False`` when
        there is no time for more. Raises ``ActionError``, ``NginxError`` or
        ``OSError``. Called from threads other than the trial's, perhaps from several at once.
        """
        ...
