"""Actions during a trial, and when they happen. Times are seconds from the start of the measured window."""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab_contracts.base import ExactMessage, Message

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

    kind: Literal["reload"] = "reload"


class Sync(ExactMessage):
    """sync(2): write all dirty pages of the host to its disks."""

    kind: Literal["sync"] = "sync"


class SignalNginx(ExactMessage):
    """A signal to the master, to all workers, or to one of them (``worker``, from 0).

    ``STOP`` is followed by ``CONT`` after ``resume_after_s``.
    """

    kind: Literal["signal"] = "signal"
    signal: Literal["STOP", "TERM", "QUIT", "KILL", "USR1"]
    to: Literal["master", "workers", "worker", "all"] = "workers"
    worker: Annotated[int, Field(ge=0, le=255)] = 0
    resume_after_s: Annotated[float, Field(gt=0, le=600)] = 1


class HttpCall(ExactMessage):
    """A request to an endpoint of the trial: ``target`` (which receives the load) or ``upstream.KEY``.

    ``path``: visible ASCII, sent as it is.
    """

    kind: Literal["http"] = "http"
    endpoint: str = "target"
    method: Annotated[str, Field(pattern=r"^[A-Z]{1,20}$")] = "GET"
    path: Annotated[str, Field(pattern=r"^/[!-~]*$", max_length=2000)] = "/"
    body: Annotated[str, Field(max_length=65_536)] | None = None
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 10


class Churn(Message):
    """Change the nodes of an upstream group (see :class:`ngxlab_contracts.trials.DynamicUpstreams`)."""

    kind: Literal["churn"] = "churn"
    group: str
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 10


class CpuPressure(ExactMessage):
    """``processes`` processes that only compute. Only with :class:`During`."""

    kind: Literal["cpu-pressure"] = "cpu-pressure"
    processes: Annotated[int, Field(ge=1, le=256)] = 1


class DiskPressure(ExactMessage):
    """Writes and fsyncs in the trial's folder, as fast as possible up to ``bytes_per_s``. Only with :class:`During`."""

    kind: Literal["disk-pressure"] = "disk-pressure"
    bytes_per_s: Annotated[int, Field(ge=1 << 20, le=16 << 30)] = 64 << 20


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
