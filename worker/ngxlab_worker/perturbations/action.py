"""An action and its result."""

from dataclasses import dataclass
from typing import Protocol

from ngxlab_worker.perturbations.cue import Cue


@dataclass(frozen=True)
class Done:
    """The result of an action. ``status``: the HTTP status, where there was an answer."""

    ok: bool
    detail: str = ""
    status: int | None = None


class ActionError(Exception):
    """An action failed; the message is the reason. The trial goes on."""


class Action(Protocol):
    """What a perturbation does, perhaps many times: always in the same thread and never twice at once."""

    def run(self, cue: Cue) -> Done:
        """Do it, and return when it is done: an action that lasts ends at ``cue.ends_us``, and any action ends soon
        after ``cue`` was stopped.

        A temporary change is undone before it returns or raises. Raises ``ActionError``,
        ``NginxError`` or ``OSError``.
        """
        ...
