"""What an action is, and what it says when it is done."""

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
