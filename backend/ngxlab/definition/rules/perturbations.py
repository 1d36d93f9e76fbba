"""Do perturbations make sense: who does them, to what, and when?"""

from collections.abc import Iterator

from ngxlab_contracts.perturbations import HttpCall, SignalNginx
from ngxlab_contracts.trials import TARGET_ENDPOINT, UPSTREAM_VARIABLE_PREFIX

from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.resolve import Numbers
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.perturbations import Churn, During, Every, Once, Perturbation
from ngxlab.definition.sections import Sections

_ON_NGINX = frozenset({"reload", "signal", "churn"})
_LASTING = frozenset({"cpu-pressure", "disk-pressure"})

Found = Iterator[tuple[str, str]]
"""Fields and messages."""


def problems(sections: Sections) -> list[DefinitionProblem]:
    """What is the same in every arm."""
    found: list[tuple[str, str]] = []
    for i, perturbation in enumerate(sections.perturbations or ()):
        field = f"perturbations.{i}"
        found += _place(field, perturbation, sections)
        found += _kind_of_time(field, perturbation)
        found += _object(f"{field}.action", perturbation, sections)
    return [DefinitionProblem(field=field, message=message) for field, message in found]


def in_arm(definition: Definition, values: Numbers) -> Found:
    """What is known only with an arm's own numbers; ``values`` lacks those that have no sense."""
    for i, perturbation in enumerate(definition.perturbations):
        field = f"perturbations.{i}"
        yield from _times(f"{field}.when", perturbation.when, definition.plan.measure_s, values)
        workers, action = values.get("nginx.workers"), perturbation.action
        if isinstance(action, SignalNginx) and action.to == "worker" and workers and action.worker >= workers:
            last = f"worker {workers - 1:g}" if workers > 1 else "worker 0, the only one"
            yield f"{field}.action.worker", f"nginx has {workers:g} workers: the last is {last}"


def _place(field: str, perturbation: Perturbation, sections: Sections) -> Found:
    slots = sections.slots
    if slots is not None and perturbation.slot not in slots:
        yield f"{field}.slot", f"there is no slot {perturbation.slot!r}; there are {', '.join(slots)}"
    elif perturbation.action.kind in _ON_NGINX and perturbation.slot != TARGET_SLOT:
        what = perturbation.action.kind
        yield f"{field}.slot", f"{what} acts on the nginx under test, so it belongs to slot {TARGET_SLOT}"


def _kind_of_time(field: str, perturbation: Perturbation) -> Found:
    kind = perturbation.action.kind
    if isinstance(perturbation.when, During) and kind not in _LASTING:
        yield f"{field}.when", f"{kind} takes a moment, not an interval: do it once or every so often"
    elif kind in _LASTING and not isinstance(perturbation.when, During):
        yield f"{field}.when", f"{kind} lasts for an interval: give it one with during"


def _object(field: str, perturbation: Perturbation, sections: Sections) -> Found:
    action = perturbation.action
    if isinstance(action, Churn) and sections.nginx is not None:
        groups = (
            [group.key for group in sections.nginx.upstreams.groups] if sections.nginx.upstreams is not None else []
        )
        if action.group not in groups:
            yield f"{field}.group", f"there is no upstream group {action.group!r}; there are {_list(groups)}"
    if isinstance(action, HttpCall) and sections.upstream_servers is not None:
        roles = [
            TARGET_ENDPOINT,
            *(f"{UPSTREAM_VARIABLE_PREFIX}{upstream.key}" for upstream in sections.upstream_servers),
        ]
        if action.endpoint not in roles:
            yield f"{field}.endpoint", f"nothing is called {action.endpoint!r}; there are {_list(roles)}"


def _times(field: str, when: Once | Every | During, measure_s: float, values: Numbers) -> Found:
    names = ("at_s",) if isinstance(when, Once) else ("from_s", "until_s")
    for name in names:
        value = values.get(f"{field}.{name}")
        if value is not None and (value > measure_s or (value == measure_s and name != "until_s")):
            yield f"{field}.{name}", f"is {value:g} s, but the measured window ends after {measure_s:g} s"
    begin, end = values.get(f"{field}.from_s"), values.get(f"{field}.until_s")
    if begin is not None and end is not None and end <= begin:
        yield f"{field}.until_s", f"is {end:g} s, not after the beginning at {begin:g} s"


def _list(names: list[str]) -> str:
    return ", ".join(names) or "none"
