"""Actions during a trial, in a definition. Times are templated seconds from the start of the measured window."""

from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from ngxlab_contracts.perturbations import CpuPressure, DiskPressure, HttpCall, Reload, SignalNginx, Sync

from ngxlab.definition.schema.base import KEY, SLOT, DefinitionModel, Key, TemplatedNumber, Within

_SECONDS = Within(0, 86_400, whole=False)


class Once(DefinitionModel):
    kind: Annotated[Literal["once"], field("once")] = "once"
    at_s: Annotated[
        TemplatedNumber,
        _SECONDS,
        field("when, from the start of the measured window", label=("At", "perturbation"), unit="s"),
    ]


class Every(DefinitionModel):
    """At ``from_s`` and every ``every_s`` seconds after it, before ``until_s`` (None: the window's end)."""

    kind: Annotated[Literal["every"], field("every: repeatedly")] = "every"
    every_s: Annotated[
        TemplatedNumber,
        Within(0.05, 86_400, whole=False),
        field("time between two actions", label=("Every", "perturbation"), unit="s"),
    ]
    from_s: Annotated[
        TemplatedNumber,
        _SECONDS,
        field("when the first one is, from the start of the measured window", label=("From", "perturbation"), unit="s"),
    ] = 0
    until_s: Annotated[
        TemplatedNumber | None,
        _SECONDS,
        field(
            "actions happen before this; without it, to the window's end",
            label=("Until", "perturbation"),
            unit="s",
            placeholder="the end",
        ),
    ] = None


class During(DefinitionModel):
    """Continuously from ``from_s`` to ``until_s`` (None: the window's end)."""

    kind: Annotated[Literal["during"], field("during: for some time")] = "during"
    from_s: Annotated[
        TemplatedNumber,
        _SECONDS,
        field("from the start of the measured window", label=("From", "perturbation"), unit="s"),
    ] = 0
    until_s: Annotated[
        TemplatedNumber | None,
        _SECONDS,
        field("its end; without it, the window's", label=("Until", "perturbation"), unit="s", placeholder="the end"),
    ] = None


class Churn(DefinitionModel):
    """Change the nodes of an upstream group."""

    kind: Annotated[Literal["churn"], field("churn: change the nodes of an upstream group")] = "churn"
    group: Annotated[Key, field("key of the group", label="Group")]
    timeout_s: Annotated[
        float, field("a change that takes longer has failed", gt=0, le=60, label="Timeout", unit="s")
    ] = 10


class Perturbation(DefinitionModel):
    """Scheduled actions during a trial, done by the host that plays ``slot`` (actions on nginx: the target)."""

    key: Annotated[Key, field(KEY, label="Key", code="line")]
    slot: Annotated[Key, field(SLOT, label=("By slot", "perturbation"))] = "target"
    when: Annotated[Once | Every | During, field("once, repeatedly, or for some time", discriminator="kind")]
    action: Annotated[
        Reload | Sync | SignalNginx | HttpCall | Churn | CpuPressure | DiskPressure,
        field("what is done", discriminator="kind"),
    ]
