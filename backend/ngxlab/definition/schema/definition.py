"""The definition of an experiment: what is compared, under which load, with which plan. Stored as JSON, versioned.

A value marked *templated* is a number, or a Jinja expression over the variables of an arm's levels such as
:mod:`ngxlab.definition.resolve` turns it into a number for each arm. Streams, upstream servers and perturbations
correspond to the wire messages of ``ngxlab_contracts``, with templated numbers in the place of numbers, and keys in the
place of addresses.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from ngxlab_verdict.selection import trials_of_heats
from pydantic import BeforeValidator, Field

from ngxlab.definition.schema.base import DefinitionModel, Key
from ngxlab.definition.schema.factors import (
    ArmDefinition,
    ArmKey,
    ChosenDesign,
    Factor,
    LevelValue,
    MatrixDesign,
    arms_of,
)
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.perturbations import Perturbation
from ngxlab.definition.schema.plan import Plan, ProfilePlan, ThresholdEntry, as_profile
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer

TARGET_SLOT = "target"


class TemplateOrigin(DefinitionModel):
    key: Annotated[str, field("of the template")]
    parameters: Annotated[dict[str, LevelValue], field("values of the template's form, by name")]


def slots_of(streams: Sequence[Stream], upstream_servers: Sequence[UpstreamServer]) -> list[str]:
    """The places for hosts: the target first, then where streams and upstream servers run, each once."""
    users = [*(stream.slot for stream in streams), *(upstream.slot for upstream in upstream_servers)]
    return list(dict.fromkeys([TARGET_SLOT, *users]))


class Definition(DefinitionModel):
    """Everything a run needs, except the hosts and the seed.

    ``thresholds`` make a run pass or fail, as fields or as text, e.g. ``p99_ms < 20`` or
    ``requests_per_s ratio > 0.98``; see :mod:`ngxlab.analysis.thresholds`. ``placement`` pins slots to CPUs: ``auto``
    where roles share a host, ``none``, or a kernel CPU list for each slot.
    """

    schema_version: Annotated[Literal[1], field("version of this format")] = 1
    question: Annotated[
        str,
        field(
            "what the experiment is to answer, in words",
            max_length=2000,
            label="Question",
            placeholder="What do you expect, and what would change your mind?",
            note="The hypothesis. It is shown at the top of the experiment's page and its reports.",
        ),
    ]
    template: Annotated[TemplateOrigin | None, field("the built-in template that the experiment was made from")] = None
    factors: Annotated[
        list[Factor], field("what is varied; without factors there is one arm, called only", max_length=10)
    ]
    design: Annotated[
        MatrixDesign | ChosenDesign,
        field("which combinations of levels are arms; without it, all of them", discriminator="kind"),
    ] = MatrixDesign()
    baseline: Annotated[ArmKey, field("key of the arm that is the baseline: its levels' keys joined by dots")]
    nginx: Annotated[NginxTemplate, field("the nginx under test")]
    upstream_servers: Annotated[list[UpstreamServer], field("servers behind the nginx under test", max_length=50)] = []
    streams: Annotated[list[Stream], field("the load: each stream is one load generator", min_length=1, max_length=50)]
    perturbations: Annotated[
        list[Perturbation], field("actions during each trial, such as a reload", max_length=50)
    ] = []
    plan: Annotated[Plan, field("how often each arm runs, for how long, and when the run has measured enough")]
    profile: Annotated[
        ProfilePlan | None,
        BeforeValidator(as_profile),
        field("trials that show where nginx spends its CPU time, after the planned blocks; true for two of each arm"),
    ] = None
    thresholds: Annotated[
        list[ThresholdEntry],
        field(
            "conditions that make a run pass or fail; as text METRIC [ratio] < or > NUMBER [for "
            "ARM], such as p99_ms < 20 or requests_per_s ratio > 0.98",
            max_length=50,
        ),
    ] = []
    placement: Annotated[
        Literal["auto", "none"] | dict[Key, Annotated[str, Field(pattern=r"^\d+(-\d+)?(,\d+(-\d+)?)*$")]],
        field(
            "which CPUs slots use on a shared host: auto (nginx gets the first half from four "
            "CPUs on), none, or a list of CPUs for each slot, such as target: 0-3"
        ),
    ] = "auto"

    @cached_property
    def arms(self) -> list[ArmDefinition]:
        """The combinations that run, in the order of the factors' levels."""
        return arms_of(self.factors, self.design)

    @property
    def slots(self) -> list[str]:
        """See :func:`slots_of`."""
        return slots_of(self.streams, self.upstream_servers)

    def arm(self, key: str) -> ArmDefinition:
        return next(arm for arm in self.arms if arm.key == key)

    def variables(self, arm: ArmDefinition) -> dict[str, LevelValue]:
        """The variables that an arm's levels give to templates."""
        merged: dict[str, LevelValue] = {}
        for factor in self.factors:
            for level in factor.levels:
                if arm.levels.get(factor.key) == level.key:
                    merged.update(level.variables)
        return merged

    def build(self, arm: ArmDefinition) -> str | None:
        """Which nginx an arm runs, as its level or ``nginx.build`` names it; None for the one chosen for the run."""
        levels = [
            level for factor in self.factors for level in factor.levels if arm.levels.get(factor.key) == level.key
        ]
        return next((level.build for level in levels if level.build is not None), self.nginx.build)

    @property
    def named_builds(self) -> list[str]:
        """Those of :attr:`builds`, and those that only combinations name which do not run."""
        levels = [level.build for factor in self.factors for level in factor.levels]
        return list(dict.fromkeys(build for build in [*levels, self.nginx.build] if build is not None))

    @property
    def builds(self) -> list[str]:
        """What arms call the nginx that they run, each once."""
        return list(dict.fromkeys(key for arm in self.arms if (key := self.build(arm)) is not None))

    def trial_seconds(self) -> float:
        """The duration of a trial's phases; starting and stopping nginx adds less than half a second."""
        return sum(self.plan.phases.values())

    def trials(self, blocks: int) -> int:
        """Of a run with so many blocks, and the heats that choose its arms before them."""
        chosen, arms = self.plan.selection, len(self.arms)
        if chosen is None or chosen.finalists >= arms - 1:  # the rules say so
            return blocks * arms
        heats = trials_of_heats(arms - 1, chosen.finalists, chosen.heat_blocks)
        return heats + blocks * (chosen.finalists + 1)

    def total_seconds(self) -> float:
        profiled = self.profile.trials * len(self.arms) if self.profile is not None else 0
        return self.trial_seconds() * (self.trials(self.plan.blocks) + profiled)
