"""Arms that are the same although they have different names, and what load a definition has."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ngxlab.definition.nginx.config import render
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.nginx.upstream_server import render_upstream_server
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition


def identical_arms(definition: Definition) -> Sequence[str]:
    """The largest group of two arms or more whose rendered configuration, load and perturbations are the same.

    Of groups of one size, the one with the baseline, else the first; empty if all arms differ. Raises DefinitionError.
    """
    groups = groups_of_identical_arms(definition)
    return max(groups, key=lambda group: (len(group), definition.baseline in group), default=[])


def groups_of_identical_arms(definition: Definition) -> list[list[str]]:
    """Every group of two arms or more that are the same, in the order of the arms. Raises DefinitionError."""
    groups: dict[str, list[str]] = {}
    for arm in definition.arms:
        groups.setdefault(_text(_rendered(definition, arm)), []).append(arm.key)
    return [group for group in groups.values() if len(group) > 1]


def load_key(definition: Definition) -> str:
    """What the baseline's streams, perturbations and upstream servers do, and for how long: a hash. Equal loads have
    equal noise, whatever nginx is told. Raises DefinitionError."""
    arm = resolve(definition, definition.arm(definition.baseline))
    plan = definition.plan
    return hashlib.sha256(_text([_load(arm), plan.warmup_s, plan.measure_s]).encode()).hexdigest()


def _rendered(definition: Definition, arm: ArmDefinition) -> list[Any]:
    resolved = resolve(definition, arm)
    nginx = resolved.nginx.model_dump(mode="json")
    groups = upstream_spec(resolved)
    upstream_servers = [render_upstream_server(definition, one, arm) for one in definition.upstream_servers]
    # The fragments' sources are the same in all arms; what they became is in the rendered text.
    dynamic = groups.model_dump(mode="json") if groups is not None else None
    nginx["certificate_key"] = resolved.certificate_key
    return [definition.build(arm), render(definition, arm), upstream_servers, nginx, dynamic, _load(resolved)]


def _load(arm: ResolvedArm) -> list[Any]:
    parts = [*arm.streams, *arm.perturbations, *arm.upstream_servers]
    return [part.model_dump(mode="json") for part in parts]


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True)
