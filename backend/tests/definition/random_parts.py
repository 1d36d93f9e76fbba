"""Random sound sections of definitions: engines, upstream servers, upstream groups, perturbations."""

from math import ceil, floor
from typing import Any

from hypothesis import strategies as st

Part = dict[str, Any]


def _number(draw: st.DrawFn, low: float, high: float) -> Any:
    """A number, or an expression that gives it."""
    value = draw(st.one_of(st.integers(ceil(low), floor(high)), st.floats(low, high)))
    return f"{{{{ {value!r} }}}}" if draw(st.booleans()) else value


@st.composite
def engines(draw: st.DrawFn) -> Part:
    """What an engine other than wrk adds to a stream; nothing for wrk."""
    kind = draw(st.sampled_from(["wrk", "open-loop", "idle-hold"]))
    seed = {"seed": draw(st.integers(1, 2**53))} if draw(st.booleans()) else {}
    if kind == "open-loop":
        arrivals = {"arrivals": "poisson"} if draw(st.booleans()) else {}
        probe = {"probe": True} if draw(st.booleans()) else {}
        return {"engine": kind, "open_loop": {**draw(_rates()), **arrivals, **seed}, **probe}
    if kind == "idle-hold":
        think = {"think_min_s": _number(draw, 0, 5), "think_max_s": _number(draw, 6, 60)}
        return {"engine": kind, "idle_hold": {"connect_per_s": _number(draw, 1, 1e6), **think, **seed}}
    return {}


@st.composite
def _rates(draw: st.DrawFn) -> Part:
    if draw(st.booleans()):
        return {"rate_per_s": _number(draw, 1, 1e6)}
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        step = {"per_s": _number(draw, 0, 1e5), "duration_s": _number(draw, 1, 60)}
        steps.append(step | ({"to_per_s": _number(draw, 0, 1e5)} if draw(st.booleans()) else {}))
    return {"steps": steps}


@st.composite
def behaviours(draw: st.DrawFn) -> Part:
    """What an upstream server does: a ready-made behaviour, or directives."""
    kind = draw(st.sampled_from(["server", "sink", "slow"]))
    if kind == "server":
        return {"server": "return 204;"}
    response = {"response_bytes": draw(st.integers(3, 1 << 20))} if draw(st.booleans()) else {}
    if kind == "sink":
        return {"behaviour": {"kind": "sink", **response}}
    delay = {"delay_ms": _number(draw, 20, 600)}
    spread: Part = draw(
        st.sampled_from([{}, {"distribution": "exponential"}, {"distribution": "uniform", "spread_ms": 5}])
    )
    return {"behaviour": {"kind": "slow", **delay, **spread, **response}}


@st.composite
def upstreams(draw: st.DrawFn, upstream: str) -> Part:
    names = draw(st.lists(st.sampled_from(["a", "app-2", "z_9"]), min_size=1, unique=True))
    groups = [{"key": name, "nodes": draw(st.integers(1, 500)), "server": upstream} for name in names]
    return {"through": draw(st.sampled_from(["lua", "reload"])), "groups": groups}


@st.composite
def perturbations(draw: st.DrawFn, slots: list[str], measure_s: float, roles: list[str], groups: list[str]) -> Part:
    """One of any kind that these slots, roles and upstream groups allow."""
    on_nginx: list[Part] = [
        {"kind": "reload"},
        {"kind": "signal", "signal": "STOP", "to": "all", "resume_after_s": draw(st.floats(0.1, 600))},
        {"kind": "signal", "signal": "USR1", "to": "worker"},
        *({"kind": "churn", "group": group} for group in groups),
    ]
    call = {"kind": "http", "endpoint": draw(st.sampled_from(roles)), "method": "POST", "path": "/a?b", "body": "x: y"}
    lasting: list[Part] = [{"kind": "cpu-pressure", "processes": 3}, {"kind": "disk-pressure", "bytes_per_s": 2 << 20}]
    action = draw(st.sampled_from([*on_nginx, call, {"kind": "sync"}, *lasting]))
    slot = {} if action in on_nginx else {"slot": draw(st.sampled_from(slots))}
    if action in lasting:
        when: Part = {"kind": "during", **draw(_span(measure_s))}
    elif draw(st.booleans()):
        when = {"kind": "every", "every_s": _number(draw, 0.0625, 100), **draw(_span(measure_s))}
    else:
        when = {"kind": "once", "at_s": _number(draw, 0, measure_s * 0.9)}
    return {"key": draw(st.sampled_from(["p", "q-1"])), **slot, "when": when, "action": action}


@st.composite
def _span(draw: st.DrawFn, measure_s: float) -> Part:
    begin = {"from_s": draw(st.floats(0, measure_s * 0.4))} if draw(st.booleans()) else {}
    return begin | ({"until_s": f"{{{{ {measure_s * 0.5!r} }}}}"} if draw(st.booleans()) else {})
