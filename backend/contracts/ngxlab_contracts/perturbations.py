"""Actions during a trial, and when they happen. Times are seconds from the start of the measured window."""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab_contracts.base import ExactMessage, Message
from ngxlab_contracts.fields import field

Seconds = Annotated[float, Field(ge=0, le=86_400)]
Pause = Annotated[float, Field(gt=0, le=86_400)]


class Once(Message):
    kind: Literal["once"] = "once"
    at_s: Seconds


class Every(Message):
    """At ``from_s`` and every ``every_s`` seconds after it, before ``until_s`` (None: the window's end)."""

    kind: Literal["every"] = "every"
    every_s: Annotated[float, Field(ge=0.05, le=86_400)]
    from_s: Seconds = 0
    until_s: Seconds | None = None


class During(Message):
    """Continuously from ``from_s`` to ``until_s`` (None: the window's end)."""

    kind: Literal["during"] = "during"
    from_s: Seconds = 0
    until_s: Seconds | None = None


When = Annotated[Once | Every | During, Field(discriminator="kind")]


class Reload(ExactMessage):
    """SIGHUP to nginx's master. It ends when all workers have been replaced, or after ten seconds."""

    kind: Annotated[Literal["reload"], field("reload: SIGHUP to nginx's master")] = "reload"


class Sync(ExactMessage):
    """sync(2): write all dirty pages of the host to its disks."""

    kind: Annotated[Literal["sync"], field("sync: write all dirty pages of the host to its disks")] = "sync"


class SignalNginx(ExactMessage):
    """A signal to the master, to all workers, or to one of them (``worker``, from 0).

    ``STOP`` is followed by ``CONT`` after ``resume_after_s``.
    """

    kind: Annotated[Literal["signal"], field("signal: send a signal to nginx")] = "signal"
    signal: Annotated[
        Literal["STOP", "TERM", "QUIT", "KILL", "USR1"], field("which; STOP is followed by CONT", label="Signal")
    ]
    to: Annotated[
        Literal["master", "workers", "worker", "all"],
        field(
            "the master, all workers, one worker, or all processes",
            label=("To", "receiver"),
            choices={
                "workers": "all workers",
                "worker": "one worker",
                "master": "the master",
                "all": "master and workers",
            },
        ),
    ] = "workers"
    worker: Annotated[int, field("which worker, from 0 (to: worker)", ge=0, le=255, label="Worker, from 0")] = 0
    resume_after_s: Annotated[
        float, field("time between STOP and CONT", gt=0, le=600, label="Resumes after", unit="s")
    ] = 1


class HttpCall(ExactMessage):
    """A request to an endpoint of the trial: ``target`` (which receives the load) or ``upstream.KEY``.

    ``path``: visible ASCII, sent as it is.
    """

    kind: Annotated[Literal["http"], field("http: send a request")] = "http"
    endpoint: Annotated[str, field("target, or upstream.KEY", label=("To", "receiver"))] = "target"
    method: Annotated[str, field("of the request", pattern=r"^[A-Z]{1,20}$", label="Method", code="line")] = "GET"
    path: Annotated[
        str,
        field(
            "of the request: visible ASCII, sent as it is",
            pattern=r"^/[!-~]*$",
            max_length=2000,
            label="Path",
            code="line",
        ),
    ] = "/"
    body: Annotated[
        Annotated[str, Field(max_length=65_536)] | None,
        field("of the request", label="Body", code="line", placeholder="none"),
    ] = None
    timeout_s: Annotated[
        float, field("an answer that takes longer is a failure", gt=0, le=60, label="Timeout", unit="s")
    ] = 10


class Churn(Message):
    """Change the nodes of an upstream group (see :class:`ngxlab_contracts.trials.DynamicUpstreams`)."""

    kind: Literal["churn"] = "churn"
    group: str
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 10


class CpuPressure(ExactMessage):
    """``processes`` processes that only compute. Only with :class:`During`."""

    kind: Annotated[Literal["cpu-pressure"], field("cpu-pressure: processes that only compute")] = "cpu-pressure"
    processes: Annotated[int, field("how many", ge=1, le=256, label="Processes")] = 1


class DiskPressure(ExactMessage):
    """Writes and fsyncs in the trial's folder, as fast as possible up to ``bytes_per_s``. Only with :class:`During`."""

    kind: Annotated[Literal["disk-pressure"], field("disk-pressure: write and sync in the trial's folder")] = (
        "disk-pressure"
    )
    bytes_per_s: Annotated[
        int, field("the most that is written a second", ge=1 << 20, le=16 << 30, label="Writes at most", unit="B/s")
    ] = 64 << 20


Action = Annotated[
    Reload | Sync | SignalNginx | HttpCall | Churn | CpuPressure | DiskPressure, Field(discriminator="kind")
]


WHOLE_HOST = frozenset({"sync", "cpu-pressure", "disk-pressure"})
"""Kinds of actions that affect more than nginx; the host's owner may forbid them."""


class PerturbationSpec(Message):
    """One perturbation, carried out by the host that receives it."""

    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
    when: When
    action: Action
