"""Turns an error into the outcome, the stable code and the reason of a trial's end."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ngxlab_worker.core.files import is_full, says_full
from ngxlab_worker.engines import GeneratorError
from ngxlab_worker.nginx import NginxError
from ngxlab_worker.perturbations import ActionError
from ngxlab_worker.sandbox import CpusUnavailableError, SandboxError
from ngxlab_worker.storage import StorageError
from ngxlab_worker.uplink.steering import TrialStopError


@dataclass(frozen=True)
class Outcome:
    outcome: Literal["completed", "failed", "cancelled"]
    code: str
    reason: str


COMPLETED = Outcome("completed", "ok", "completed")


def outcome_of(error: Exception, folder: Path) -> Outcome:
    """``folder``: on the disk that trials use. A full one is the reason of whatever fails there.

    An error of any other kind becomes ``agent-error``: a defect of the agent, which is reported too.
    """
    if isinstance(error, TrialStopError):
        return Outcome(error.outcome, error.code, str(error))
    if says_full(error) or is_full(folder):
        return Outcome("failed", "disk-full", f"the disk of the agent's folder is full: {error}")
    match error:
        case NginxError() | GeneratorError():
            return Outcome("failed", error.code, str(error))
        case CpusUnavailableError():
            return Outcome("failed", "cpus-unavailable", str(error))
        case SandboxError():
            return Outcome("failed", "sandbox-failed", str(error))
        case StorageError():
            return Outcome("failed", error.code, str(error))
        case ActionError():
            return Outcome("failed", "perturbation-invalid", str(error))
        case OSError():
            return Outcome("failed", "host-error", str(error))
        case _:
            return Outcome("failed", "agent-error", f"{type(error).__name__}: {error}")
