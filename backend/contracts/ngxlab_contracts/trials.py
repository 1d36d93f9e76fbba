"""What a host must do in one trial, and how the backend steers it."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from ngxlab_contracts.base import Message

RunVariable = Literal["http_port", "status_port", "folder", "pid_file", "error_log"]
"""Values only the host knows. In a configuration they stand as ``@@name@@`` and the agent fills them in."""


def placeholder(name: RunVariable) -> str:
    """How a run variable is written inside :attr:`NginxSpec.config`."""
    return f"@@{name}@@"


class NginxSpec(Message):
    """The nginx under test.

    ``config`` is a whole nginx.conf with run variables as ``@@name@@``. It has a server on ``http_port`` that
    takes the load, and one on ``status_port`` that answers ``/stub_status`` only.
    """

    binary: str = Field(description="absolute path of an nginx binary registered in the host's inventory")
    config: str
    workers: Annotated[int, Field(ge=1, le=256)]


class StreamSpec(Message):
    """One load generator's part in a trial."""

    key: str
    engine: Literal["wrk"]
    threads: Annotated[int, Field(ge=1, le=256)]
    connections: Annotated[int, Field(ge=1, le=1_000_000)]
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    path: str = "/"
    headers: dict[str, str] = Field(default_factory=dict)
    keep_alive: bool = True


class TimingSpec(Message):
    """Seconds of each phase. The measured window is exactly ``measure_s`` long."""

    warmup_s: Annotated[float, Field(ge=0, le=3600)]
    measure_s: Annotated[float, Field(gt=0, le=86_400)]
    cooldown_s: Annotated[float, Field(ge=0, le=600)] = 0
    ready_timeout_s: Annotated[float, Field(gt=0, le=120)] = 10
    start_timeout_s: Annotated[float, Field(gt=0, le=600)] = 60


class SamplingSpec(Message):
    """Milliseconds between two readings. Latency histograms are never cut finer than one second."""

    interval_ms: Annotated[int, Field(ge=100, le=60_000)] = 1000
    histogram_interval_ms: Annotated[int, Field(ge=1000, le=60_000)] = 1000


class TrialSpec(Message):
    """Everything one host needs to execute one trial. Fetched by the agent, never sent through Celery."""

    trial_id: UUID
    run_id: UUID
    host_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    nginx: NginxSpec
    streams: list[StreamSpec]
    timing: TimingSpec
    sampling: SamplingSpec


TrialCommand = Literal["continue", "cancel", "discard"]
"""``cancel``: stop now, keep what was measured. ``discard``: the backend no longer wants this trial's data."""


class TrialControl(Message):
    """The backend's answer to every batch and to a control poll.

    ``start_at_us`` is the agreed instant (microseconds, *backend's* clock) at which warm-up begins, once known.
    """

    command: TrialCommand = "continue"
    start_at_us: int | None = None


class ClaimRequest(Message):
    """An agent process takes a trial. Repeating the claim with the same ``agent_instance`` is harmless."""

    agent_instance: UUID


class BatchAck(Message):
    """``acked_seq`` is the highest batch that is safely stored; the agent may delete up to it."""

    acked_seq: int
    control: TrialControl
