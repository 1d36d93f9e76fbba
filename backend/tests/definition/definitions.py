"""Definitions for tests: a small sound one, and random sound ones of every kind."""

import copy
from typing import Any

from definition import random_parts
from hypothesis import strategies as st


def sound() -> dict[str, Any]:
    """Two factors, an excluded and a disabled combination, two streams, an upstream server, files, perturbations."""
    return copy.deepcopy(_SOUND)


_SOUND: dict[str, Any] = {
    "question": "Do threads help?",
    "factors": [
        {
            "key": "aio",
            "label": "Asynchronous I/O",
            "levels": [
                {"key": "off", "label": "off", "variables": {"aio": "off"}},
                {"key": "threads", "label": "threads", "variables": {"aio": "threads"}},
            ],
        },
        {
            "key": "load",
            "label": "Load",
            "levels": [
                {"key": "low", "label": "low", "variables": {"connections": 10}},
                {"key": "high", "label": "high", "variables": {"connections": 40}},
                {"key": "top", "label": "top", "variables": {"connections": 100}},
            ],
        },
    ],
    "design": {
        "kind": "matrix",
        "exclude": [{"when": {"aio": ["off"], "load": ["top"]}, "reason": "would never end"}],
        "off": ["threads.top"],
    },
    "baseline": "off.low",
    "nginx": {
        "workers": 2,
        "worker_connections": "{{ connections * 4 + 64 }}",
        "main": "thread_pool default threads=16;",
        "events": "accept_mutex off;",
        "http": 'upstream app {\n    {{ servers("app") }}\n    keepalive 16;\n}',
        "server": "aio {{ aio }};\nlocation / {\n    root @@folder@@/files;\n}\n"
        "location /app {\n    proxy_pass http://app;\n}",
        "files": [{"folder": "data", "count": 4, "size_bytes": 1024}],
    },
    "upstream_servers": [{"key": "app", "slot": "upstream", "server": 'location / { return 200 "ok"; }'}],
    "streams": [
        {"key": "constant", "slot": "first", "connections": "{{ connections }}"},
        {"key": "other", "slot": "second", "threads": 2, "connections": 10, "path": "/app", "start_offset_s": 1},
    ],
    "perturbations": [
        {"key": "reload", "when": {"kind": "every", "every_s": 2, "from_s": 1}, "action": {"kind": "reload"}},
        {
            "key": "busy",
            "slot": "first",
            "when": {"kind": "during", "from_s": 1, "until_s": "{{ 1 + 2 }}"},
            "action": {"kind": "cpu-pressure", "processes": 2},
        },
        {
            "key": "purge",
            "slot": "second",
            "when": {"kind": "once", "at_s": "{{ connections / 40 }}"},
            "action": {"kind": "http", "endpoint": "upstream.app", "path": "/purge"},
        },
    ],
    "plan": {"blocks": 3, "warmup_s": 1, "measure_s": 5},
    "thresholds": ["p99_ms < 20", "requests_per_s ratio > 0.98 for threads.low"],
    "placement": {"target": "0-1", "first": "2,3"},
}

_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters=_DIRECTIONS),
    st.sampled_from(list("\n\t\r #:'\"\\-|>&*!%@`{}[],?~=0onfye.$")),
)
TEXT = st.text(_CHARACTERS, max_size=60)
_LABEL = st.text(_CHARACTERS, min_size=1, max_size=60)
_KEY = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True)
_NUMBER = st.one_of(st.integers(-(2**31), 2**31), st.floats(-1e9, 1e9, allow_nan=False, width=32), st.booleans())
_WORDS = st.sampled_from(["on", "off", "yes", "null", "1e5", "010", "12:30", "2020-01-01", ""])
_VALUE = st.one_of(TEXT, _NUMBER, _WORDS)
_SECONDS = st.floats(1, 600, width=32)


@st.composite
def _factors(draw: st.DrawFn) -> list[dict[str, Any]]:
    keys = draw(st.lists(_KEY, max_size=3, unique=True))
    factors = []
    for i, key in enumerate(keys):
        levels = []
        for level in draw(st.lists(_KEY, min_size=1, max_size=4, unique=True)):
            variables = {f"v{i}": draw(_VALUE), f"n{i}": draw(st.integers(1, 50))}
            levels.append({"key": level, "label": draw(_LABEL), "variables": variables})
        factors.append({"key": key, "label": draw(_LABEL), "levels": levels})
    return factors


@st.composite
def _design(draw: st.DrawFn, factors: list[dict[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """A design and the keys of its arms; the first combination always runs."""
    combinations: list[dict[str, str]] = [{}]
    for factor in factors:
        combinations = [{**c, factor["key"]: level["key"]} for c in combinations for level in factor["levels"]]
    keys = [".".join(combination.values()) or "only" for combination in combinations]
    if draw(st.booleans()):
        others: st.SearchStrategy[set[int]] = st.sets(st.integers(1, len(keys) - 1), max_size=4)
        chosen = [0, *(draw(others) if len(keys) > 1 else ())]
        arms = [{"key": keys[i], "label": draw(_LABEL), "levels": combinations[i]} for i in chosen]
        return {"kind": "chosen", "arms": arms}, [keys[i] for i in chosen]
    off = draw(st.lists(st.sampled_from(keys[1:]), unique=True, max_size=3)) if len(keys) > 1 else []
    excluded = draw(st.sampled_from(combinations[1:])) if len(keys) > 1 and draw(st.booleans()) else None
    exclude = [{"when": {f: [level] for f, level in excluded.items()}, "reason": draw(TEXT)}] if excluded else []
    left = [k for k, c in zip(keys, combinations, strict=True) if k not in off and c != excluded]
    return {"kind": "matrix", "off": off, "exclude": exclude}, left


@st.composite
def _stream(draw: st.DrawFn, key: str, factors: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    threads = draw(st.integers(1, 4))
    stream: dict[str, Any] = {"key": key, "threads": threads, "connections": threads * draw(st.integers(1, 100))}
    if bool(factors) and draw(st.booleans()):
        stream["connections"] = f"{{{{ n0 * {threads} }}}}"
    bodies: list[dict[str, Any]] = [{}, {"body": draw(TEXT)}, {"body_bytes": draw(st.integers(0, 10**6))}]
    body = draw(st.sampled_from(bodies))
    optional: dict[str, Any] = {
        "slot": draw(st.sampled_from(["target", "generator", "other-host"])),
        "timeout_s": draw(st.integers(1, 600)),
        "start_offset_s": draw(st.floats(0, 0.5)),
        "duration_s": seconds - 0.5 if draw(st.booleans()) else None,
        "path": draw(st.sampled_from(["/", "/a?b=#c", "/%20/: x".replace(" ", "")])),
        "method": draw(st.sampled_from(["GET", "POST", "HEAD"])),
        "headers": {"X-Test": draw(st.text(st.characters(categories=["L", "N", "P"]), max_size=20))},
        "script": draw(st.none() | TEXT),
        "keep_alive": draw(st.booleans()),
    }
    engine = draw(random_parts.engines())
    if engine:
        del optional["script"]
    if "idle_hold" in engine:
        del optional["keep_alive"]
    return {**stream, **engine, **body, **{name: value for name, value in optional.items() if draw(st.booleans())}}


@st.composite
def _plan(draw: st.DrawFn) -> dict[str, Any]:
    blocks = draw(st.integers(1, 20))
    plan: dict[str, Any] = {"blocks": blocks, "warmup_s": draw(st.floats(0, 30)), "measure_s": draw(_SECONDS)}
    if draw(st.booleans()):
        precision = {"metric": "latency_p99_us", "half_width_percent": draw(st.floats(0.5, 50))}
        plan["stop"] = {"kind": "precision", "max_blocks": blocks + 2, **precision}
    if draw(st.booleans()):
        plan |= {"cooldown_s": draw(st.floats(0, 10)), "interval_ms": draw(st.integers(100, 5000))}
    return plan


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """A valid definition."""
    factors = draw(_factors())
    design, arms = draw(_design(factors))
    plan = draw(_plan())
    seconds = plan["measure_s"] + plan["warmup_s"]
    keys = draw(st.lists(_KEY, min_size=1, max_size=3, unique=True))
    comment = draw(st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="@{}"), max_size=40))
    server = f"# {' '.join(comment.split())}\nlocation / {{\n    return 200;\n}}"
    if factors:
        server += "\n# {{ n0 }}\nkeepalive_requests {{ n0 * 10 }};\n{% if n0 > 20 %}\ngzip on;\n{% endif %}"
    optional = {
        "thresholds": draw(st.lists(st.sampled_from(["p99_ms < 20", f"mean_ms <= 1.5 for {arms[0]}"]), max_size=2)),
        "placement": draw(st.sampled_from(["auto", "none", {"target": "0-3,6"}])),
        "upstream_servers": [{"key": "app", "slot": "up", "instances": 3, **draw(random_parts.behaviours())}],
    }
    definition: dict[str, Any] = {
        "question": draw(TEXT),
        "factors": factors,
        "design": design,
        "baseline": draw(st.sampled_from(arms)),
        "nginx": {"workers": draw(st.integers(1, 16)), "worker_connections": 1024, "server": server},
        "streams": [draw(_stream(key, factors, seconds)) for key in keys],
        "plan": plan,
    } | {name: value for name, value in optional.items() if draw(st.booleans())}
    if "upstream_servers" in definition and draw(st.booleans()):
        definition["nginx"]["upstreams"] = draw(random_parts.upstreams("app"))
    return definition | draw(_perturbed(definition))


@st.composite
def _perturbed(draw: st.DrawFn, definition: dict[str, Any]) -> dict[str, Any]:
    upstream_servers = definition.get("upstream_servers", [])
    slots = ["target", *(stream.get("slot", "generator") for stream in definition["streams"])]
    roles = ["target", *(f"upstream.{upstream['key']}" for upstream in upstream_servers)]
    groups = [group["key"] for group in definition["nginx"].get("upstreams", {"groups": []})["groups"]]
    one = random_parts.perturbations(slots, definition["plan"]["measure_s"], roles, groups)
    found = draw(st.lists(one, max_size=2, unique_by=lambda perturbation: perturbation["key"]))
    return {"perturbations": found} if found else {}
