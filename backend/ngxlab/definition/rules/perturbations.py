"""Rules for perturbations: which host does them, to what, and when."""

from ngxlab_contracts.perturbations import HttpCall, SignalNginx
from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import TARGET_ENDPOINT, UPSTREAM_VARIABLE_PREFIX

from ngxlab.definition.problems import Messages, Sections, unknown
from ngxlab.definition.resolve import Numbers
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.perturbations import Churn, During, Every, Once, Perturbation

_ON_NGINX = frozenset({"reload", "signal", "churn"})
_LASTING = frozenset({"cpu-pressure", "disk-pressure"})


def problems(sections: Sections) -> Messages:
    """Problems that do not depend on the arm."""
    for i, perturbation in enumerate(sections.perturbations or ()):
        field = f"perturbations.{i}"
        yield from _place(field, perturbation, sections)
        yield from _kind_of_time(field, perturbation)
        yield from _object(f"{field}.action", perturbation, sections)


def in_arm(definition: Definition, values: Numbers) -> Messages:
    """Problems that show only with an arm's own numbers; ``values`` lacks the invalid ones."""
    for i, perturbation in enumerate(definition.perturbations):
        field = f"perturbations.{i}"
        yield from _times(f"{field}.when", perturbation.when, definition.plan.measure_s, values)
        workers, action = values.get("nginx.workers"), perturbation.action
        if isinstance(action, SignalNginx) and action.to == "worker" and workers and action.worker >= workers:
            last = say("worker {number:g}", number=workers - 1) if workers > 1 else say("worker 0, the only one")
            message = say("nginx has {workers:g} workers: the last one is {last}", workers=workers, last=last)
            yield f"{field}.action.worker", message


def _place(field: str, perturbation: Perturbation, sections: Sections) -> Messages:
    slots = sections.slots
    if slots is not None and perturbation.slot not in slots:
        yield f"{field}.slot", unknown("slot", perturbation.slot, slots)
    elif perturbation.action.kind in _ON_NGINX and perturbation.slot != TARGET_SLOT:
        message = say(
            "{action} acts on the nginx under test, so it must run in slot {slot}",
            action=perturbation.action.kind,
            slot=TARGET_SLOT,
        )
        yield f"{field}.slot", message


def _kind_of_time(field: str, perturbation: Perturbation) -> Messages:
    kind = perturbation.action.kind
    if isinstance(perturbation.when, During) and kind not in _LASTING:
        yield f"{field}.when", say("{action} takes a moment, not an interval: use once or every", action=kind)
    elif kind in _LASTING and not isinstance(perturbation.when, During):
        yield f"{field}.when", say("{action} lasts for an interval: use during", action=kind)


def _object(field: str, perturbation: Perturbation, sections: Sections) -> Messages:
    action = perturbation.action
    if isinstance(action, Churn) and sections.nginx is not None:
        upstreams = sections.nginx.upstreams
        groups = [group.key for group in upstreams.groups] if upstreams is not None else []
        if action.group not in groups:
            yield f"{field}.group", unknown("upstream group", action.group, groups)
    if isinstance(action, HttpCall) and sections.upstream_servers is not None:
        servers = [f"{UPSTREAM_VARIABLE_PREFIX}{upstream.key}" for upstream in sections.upstream_servers]
        roles = [TARGET_ENDPOINT, *servers]
        if action.endpoint not in roles:
            yield f"{field}.endpoint", unknown("endpoint", action.endpoint, roles)
        key = action.endpoint.removeprefix(UPSTREAM_VARIABLE_PREFIX)
        if any(upstream.key == key and upstream.tls for upstream in sections.upstream_servers):
            yield f"{field}.endpoint", say("{server} has tls, but calls to upstream servers are plain HTTP", server=key)
        if any(
            upstream.key == key and (upstream.protocol != "http" or not upstream.is_nginx)
            for upstream in sections.upstream_servers
        ):
            message = say("{server} does not speak HTTP/1.1, as calls to upstream servers do", server=key)
            yield f"{field}.endpoint", message


def _times(field: str, when: Once | Every | During, measure_s: float, values: Numbers) -> Messages:
    names = ("at_s",) if isinstance(when, Once) else ("from_s", "until_s")
    for name in names:
        value = values.get(f"{field}.{name}")
        if value is not None and (value > measure_s or (value == measure_s and name != "until_s")):
            message = say("is {value:g} s, but the measured window ends after {end:g} s", value=value, end=measure_s)
            yield f"{field}.{name}", message
    begin, end = values.get(f"{field}.from_s"), values.get(f"{field}.until_s")
    if begin is not None and end is not None and end <= begin:
        message = say("is {end:g} s, but must be after from_s, which is {begin:g} s", end=end, begin=begin)
        yield f"{field}.until_s", message
