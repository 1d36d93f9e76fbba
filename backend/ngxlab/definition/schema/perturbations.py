"""Actions during a trial, in a definition. Times are templated seconds from the start of the measured window."""

from typing import Annotated, Literal

from ngxlab_contracts.perturbations import CpuPressure, DiskPressure, HttpCall, Reload, SignalNginx, Sync
from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel, Key, TemplatedNumber, Within

_SECONDS = Within(0, 86_400, whole=False)


class Once(DefinitionModel):
    kind: Literal["once"] = "once"
    at_s: Annotated[TemplatedNumber, _SECONDS]


class Every(DefinitionModel):
    """At ``from_s`` and every ``every_s`` seconds after it, before ``until_s`` (None: the window's end)."""

    kind: Literal["every"] = "every"
    every_s: Annotated[TemplatedNumber, Within(0.05, 86_400, whole=False)]
    from_s: Annotated[TemplatedNumber, _SECONDS] = 0
    until_s: Annotated[TemplatedNumber | None, _SECONDS] = None


class During(DefinitionModel):
    """Continuously from ``from_s`` to ``until_s`` (None: the window's end)."""

    kind: Literal["during"] = "during"
    from_s: Annotated[TemplatedNumber, _SECONDS] = 0
    until_s: Annotated[TemplatedNumber | None, _SECONDS] = None


class Churn(DefinitionModel):
    """Change the nodes of an upstream group."""

    kind: Literal["churn"] = "churn"
    group: Key
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 10


class Perturbation(DefinitionModel):
    """Scheduled actions during a trial, done by the host that plays ``slot`` (actions on nginx: the target)."""

    key: Key
    slot: Key = "target"
    when: Annotated[Once | Every | During, Field(discriminator="kind")]
    action: Annotated[
        Reload | Sync | SignalNginx | HttpCall | Churn | CpuPressure | DiskPressure, Field(discriminator="kind")
    ]
