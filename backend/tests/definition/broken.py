"""More than 200 ways to break a sound definition, each with the field that must be named."""

from collections.abc import Iterator
from typing import Any

from definition.breaking import ABSENT, Broken, broken, change
from definition.broken_designs import broken_designs

_TEXTS = """question baseline factors.0.label factors.1.levels.2.label nginx.server nginx.http nginx.main nginx.events
    nginx.listen_options nginx.files.0.folder streams.0.path streams.1.method streams.0.slot upstream_servers.0.key
    upstream_servers.0.server design.exclude.0.reason"""
_WHOLE = "plan.blocks streams.0.timeout_s upstream_servers.0.instances nginx.files.0.count plan.interval_ms"
_LISTS = "factors streams upstream_servers thresholds nginx.files design.exclude factors.0.levels"
_EXPRESSIONS = "nginx.workers nginx.worker_connections streams.0.threads streams.1.connections"
_KEYS = "factors.0.key factors.1.levels.0.key streams.0.key upstream_servers.0.key streams.0.slot"
_WRONG_KINDS: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    (_TEXTS, (7, ["a"], {"a": 1}), "must be text"),
    (_WHOLE, ("many", 1.5, None, []), "whole number"),
    ("plan.warmup_s plan.measure_s plan.cooldown_s streams.1.start_offset_s", ("long", [], {}), "must be a number"),
    (_LISTS, ("a", 3, {"a": 1}), "must be a list"),
    ("nginx plan factors.0 streams.1 upstream_servers.0", ("a", 3, []), "must be an object"),
    ("nginx.tls streams.0.keep_alive", ("perhaps",), "true or false"),
    (_EXPRESSIONS, ("many", 1.5, [], None), "whole number, or an expression"),
    ("factors.0.levels.0.variables.aio", ([1], {"a": 1}, None), "text, a number, true or false"),
    (_KEYS, ("Big", "a b", "-a", ""), "lower-case letters"),
)
_NEEDED = """question factors baseline nginx streams plan nginx.server nginx.workers plan.blocks plan.measure_s
    factors.0.key factors.1.levels streams.0.key streams.1.connections upstream_servers.0.slot design.exclude.0.when
    factors.0.levels.1.label"""
_WITHOUT_COLOUR = """colour nginx.colour plan.colour streams.0.colour factors.0.levels.0.colour design.colour
    upstream_servers.0.colour design.exclude.0.colour"""

_SEARCH = {"goal": {"p99_ms": 50}, "from_per_s": 100, "to_per_s": 1000}


def _shapes() -> Iterator[Broken]:
    """Fields with values of wrong kinds, fields that are missing, fields that are too many."""
    for paths, values, said in _WRONG_KINDS:
        yield from (broken(path, value, said) for path in paths.split() for value in values)
    yield from (broken(path, ABSENT, "is missing") for path in _NEEDED.split())
    yield from (broken(path, "red", "no such field") for path in _WITHOUT_COLOUR.split())


def _ranges() -> Iterator[Broken]:
    for path, value, said in (
        ("plan.blocks", 0, "at least 1"), ("plan.blocks", 101, "at most 100"), ("plan.measure_s", 0, "at least 1"),
        ("plan.warmup_s", -1, "at least 0"), ("plan.interval_ms", 5, "at least 100"),
        ("nginx.workers", 0, "not between"),
        ("nginx.worker_connections", 2, "not between"), ("streams.0.connections", 0, "not between"),
        ("streams.0.threads", "{{ connections * 1000 }}", "not between"),
        ("upstream_servers.0.instances", 0, "at least 1"),
        ("nginx.files.0.count", 0, "at least 1"), ("streams.0.timeout_s", 0, "at least 1"),
        ("streams.0.start_offset_s", -2, "at least 0"), ("streams.0.duration_s", 0, "more than 0"),
        ("plan.measure_s", float("nan"), "finite"), ("plan.measure_s", float("inf"), "finite"),
        ("plan.blocks", 10**30, "too large"), ("factors.0.label", "", "at least 1"), ("streams", [], "at least 1"),
        ("factors.0.levels", [], "at least 1"), ("question", "x" * 2001, "at most 2000"),
        ("question", "a\x00b", "U+0000"), ("nginx.server", "return 200;\x1b", "U+001B"),
        ("factors.0.levels.0.label", "\ud800", "U+D800"),
    ):  # fmt: skip
        yield broken(path, value, said)
    yield broken("streams.0.path", "a", "begin with /")
    yield broken("streams.0.method", "get", "capital letters")
    yield broken("placement", {"target": "all"}, "list of CPUs", "placement.target")
    yield broken("placement", "some", "auto", "placement")
    yield broken("schema_version", 2, "version 1 only")
    yield broken("schema_version", "1", "version 1 only")


def _load() -> Iterator[Broken]:
    yield broken("streams.1.threads", 20, "more than the 10 connections")
    yield broken("streams.1.threads", 3, "would open 9", "streams.1.connections")
    yield broken("streams.0.connections", "{{ connections + 0.5 }}", "not a whole number")
    yield broken("streams.0.connections", "{{ conections }}", "undefined")
    yield broken("streams.0.connections", "{{ connections / 0 }}", "division by zero")
    yield broken("streams.0.connections", "{{ aio }}", "not a whole number")
    yield broken("streams.0.duration_s", 60, "at most 6 s")
    yield broken("streams.0.duration_s", 0.5, "nothing would be measured")
    yield broken("streams.1.start_offset_s", 6, "after the end of warm-up")
    yield broken("streams.0.headers", {"A B": "x"}, "not a valid name of an HTTP header", "streams.0.headers.A B")
    yield broken("streams.0.headers", {"X-A": "x\r\nY: z"}, "single line", "streams.0.headers.X-A")
    yield broken("streams.0.headers", {"Connection": "close"}, "keep_alive", "streams.0.headers.Connection")
    raw = change("streams.0.body", "x")
    raw["streams"][0]["body_bytes"] = 5
    yield Broken("two bodies", raw, "streams.0.body_bytes", "not both")
    stop = {"kind": "precision", "metric": "latency_p99_us", "half_width_percent": 2, "max_blocks": 2}
    yield broken("plan.stop", stop, "less than the 3 blocks", "plan.stop.max_blocks")
    yield broken("plan.stop", {**stop, "metric": "joy"}, "must be", "plan.stop.metric")
    yield broken("plan.stop", {"kind": "never"}, "one of", "plan.stop.kind")
    yield broken("plan.selection", {"heat_blocks": 1}, "at least 2", "plan.selection.heat_blocks")
    yield broken("plan.selection", {"finalists": 20}, "arms beside the baseline", "plan.selection.finalists")
    yield broken("placement", {"nobody": "0"}, "no slot 'nobody'", "placement.nobody")
    yield broken("placement", {"target": "3-1"}, "ends before it begins", "placement.target")


def _engines() -> Iterator[Broken]:
    yield broken("streams.0.engine", "open-loop", "needs open_loop", "streams.0.open_loop")
    yield broken("streams.0.engine", "idle-hold", "needs idle_hold", "streams.0.idle_hold")
    yield broken("streams.0.engine", "ab", "must be")
    yield broken("streams.0.open_loop", {"rate_per_s": 5}, "belongs to engine open-loop")
    yield broken("streams.0.idle_hold", {"connect_per_s": 5, "think_max_s": 5}, "belongs to engine idle-hold")
    yield broken("streams.0.probe", True, "must use engine open-loop")
    for part, field, said in (
        ({}, "rate_per_s", "one of rate_per_s, steps, capacity, curve and replay"),
        ({"rate_per_s": 5, "steps": [{"per_s": 5, "duration_s": 1}]}, "rate_per_s", "one of rate_per_s, steps"),
        ({"rate_per_s": 5, "capacity": _SEARCH}, "rate_per_s", "one of rate_per_s, steps"),
        ({"capacity": _SEARCH | {"goal": {}}}, "capacity.goal", "needs a bound"),
        ({"capacity": _SEARCH | {"to_per_s": 50}}, "capacity.to_per_s", "not more than the 100 of from_per_s"),
        ({"capacity": _SEARCH | {"from_per_s": 0}}, "capacity.from_per_s", "not between"),
        ({"capacity": _SEARCH | {"goal": {"errors_percent": 101}}}, "capacity.goal.errors_percent", "not between"),
        ({"replay": {"gaps": "A"}}, "replay.gaps", "lasts 0 s; it must be more than 0"),
        ({"replay": {"gaps": "Bg"}}, "replay.gaps", "ends within a number: it is cut off"),
        ({"replay": {"gaps": "ggggggggB"}}, "replay.gaps", "must be as ngxlab mix --replay writes it"),
        ({"replay": {"gaps": "B", "speed": 0}}, "replay.speed", "not between"),
        ({"replay": {"gaps": "AB", "speed": 51}}, "replay.speed", "makes 1,020,000 requests a second of the log"),
        ({"replay": {"gaps": "B"}, "arrivals": "poisson"}, "arrivals", "leave it out"),
        ({"replay": {"gaps": "B"}, "rate_per_s": 5}, "rate_per_s", "one of rate_per_s, steps"),
        ({"rate_per_s": "{{ connections * 1e9 }}"}, "rate_per_s", "not between"),
        ({"rate_per_s": "{{ aio }}"}, "rate_per_s", "not a number"),
        ({"steps": [{"per_s": 5, "duration_s": 0}]}, "steps.0.duration_s", "not between"),
        ({"steps": [{"per_s": 5}]}, "steps.0.duration_s", "is missing"),
    ):
        raw = change("streams.0.engine", "open-loop")
        raw["streams"][0]["open_loop"] = part
        yield Broken(f"open loop {part}", raw, f"streams.0.open_loop.{field}", said)
    raw = change("streams.0.engine", "idle-hold")
    raw["streams"][0]["idle_hold"] = {"connect_per_s": 0, "think_max_s": 5}
    yield Broken("nothing connects", raw, "streams.0.idle_hold.connect_per_s", "not between")
    for path, value, field, said in (
        ("idle_hold.think_min_s", 6, "idle_hold.think_max_s", "is 5 s, less than the 6 s of think_min_s"),
        ("keep_alive", False, "keep_alive", "cannot be held"),
    ):
        raw = change("streams.0.engine", "idle-hold")
        raw["streams"][0]["idle_hold"] = {"connect_per_s": 5, "think_max_s": 5}
        owner, _, name = path.rpartition(".")
        (raw["streams"][0][owner] if owner else raw["streams"][0])[name] = value
        yield Broken(f"idle {path}", raw, f"streams.0.{field}", said)
    for name in ("include", "proxy_pass", "more_*", "Echo", "listen"):
        yield broken("nginx.allow_directives", f"echo {name}", f"{name} is no name of a directive that")
    yield broken("nginx.server", "location / { more_set_headers 'A: b'; }", "name it in nginx.allow_directives")
    yield broken("nginx.certificate_key", "rsa2048", "where nginx.tls is on")
    yield broken("nginx.certificate_chain", 2, "where nginx.tls is on")
    certificates: tuple[tuple[str, Any, str], ...] = (
        ("certificate_key", "rsa1024", "'rsa1024', none of p256, rsa2048, rsa3072, rsa4096"),
        ("certificate_key", "{{ nothing }}", "'nothing' is undefined"),
        ("certificate_chain", 6, "not between 1 and 5"),
        ("certificate_chain", 0, "not between 1 and 5"),
    )
    for name, given, said in certificates:
        raw = change("nginx.tls", True)
        raw["nginx"][name] = given
        yield Broken(f"{name} {given}", raw, f"nginx.{name}", said)
    raw = change("nginx.tls", True)
    raw["streams"][0] |= {"engine": "idle-hold", "idle_hold": {"connect_per_s": 5, "think_max_s": 5}}
    yield Broken("idle over TLS", raw, "streams.0.engine", "HTTP only")


def _mixes() -> Iterator[Broken]:
    yield broken("streams.0.requests", [{"path": "/"}], "use engine open-loop for a mix")
    yield broken("streams.0.requests", [{}], "is missing", "streams.0.requests.0.path")
    for field, value in (("path", "/a"), ("method", "POST"), ("body", "x"), ("body_bytes", 5)):
        raw = _mixed({"path": "/"})
        raw["streams"][0][field] = value
        yield Broken(f"a mix and {field}", raw, f"streams.0.{field}", "each of requests has its own")
    for one, field, said in (
        ({"path": "/{n}"}, "count", "the path has {n}"),
        ({"path": "/a", "count": 5}, "path", "has no {n}"),
        ({"path": "/{n}/{n}", "count": 5}, "path", "{n}"),
        ({"path": "/{n}", "count": 0}, "count", "at least 1"),
        ({"path": "a b"}, "path", "begin with /"),
        ({"path": "/", "weight": 0}, "weight", "more than 0"),
        ({"path": "/", "weight": "5"}, "weight", "must be a number"),
        ({"path": "/", "draw": "often"}, "draw", "must be"),
        ({"path": "/", "exponent": 0}, "exponent", "more than 0"),
        ({"path": "/", "method": "get"}, "method", "capital letters"),
        ({"path": "/", "body": "x", "body_bytes": 1}, "body_bytes", "not both"),
        ({"path": "/{n}", "count": 2, "body_bytes": 70_000}, "body_bytes", "65,536 B"),
        ({"path": "/", "headers": {"A B": "x"}}, "headers.A B", "not a valid name"),
        ({"path": "/", "headers": {"Connection": "close"}}, "headers.Connection", "keep_alive"),
        ({"path": "/", "colour": "red"}, "colour", "no such field"),
    ):
        yield Broken(f"mixed {one}", _mixed(one), f"streams.0.requests.0.{field}", said)
    most = {"path": "/", "method": "PUT", "body_bytes": 64 << 20}
    yield Broken("large bodies", _mixed(most, most), "streams.0.requests", "67,108,864 B together")


def _mixed(*requests: dict[str, Any]) -> dict[str, Any]:
    raw = change("streams.0.engine", "open-loop")
    raw["streams"][0] |= {"open_loop": {"rate_per_s": 5}, "requests": list(requests)}
    return raw


def _files() -> Iterator[Broken]:
    many = {"pattern": "/data/{n}", "count": 4}
    yield broken("streams.0.paths", {**many, "pattern": "/data/0"}, "{n}", "streams.0.paths.pattern")
    yield broken("streams.0.paths", {**many, "count": 0}, "at least 1", "streams.0.paths.count")
    for field, value, said in (
        ("script", "x = 1", "a script chooses the path itself"),
        ("path", "/data/1", "replaces path"),
        ("engine", "open-loop", "only engine wrk"),
    ):
        raw = change(f"streams.0.{field}", value)
        raw["streams"][0]["paths"] = many
        yield Broken(f"many paths and {field}", raw, "streams.0.paths", said)
    yield broken("nginx.cold_files", {"method": "evict"}, "no set of nginx.files is cold")
    for cold, field, said in (
        ({"method": "throttle"}, "read_bytes_per_s", "needs a limit"),
        ({"read_ops_per_s": 5}, "read_ops_per_s", "only for method throttle"),
        ({"evict_every_ms": 0}, "evict_every_ms", "at least 1"),
        ({"method": "pray"}, "method", "must be"),
    ):
        raw = change("nginx.files.0.cold", True)
        raw["nginx"]["cold_files"] = cold
        yield Broken(f"cold files {cold}", raw, f"nginx.cold_files.{field}", said)


def _perturbations() -> Iterator[Broken]:
    yield broken("perturbations.1.key", "reload", "already used by perturbations.0")
    yield broken("perturbations.1.slot", "nobody", "no slot 'nobody'")
    yield broken("perturbations.0.slot", "first", "must run in slot target")
    yield broken("perturbations.0.when", {"kind": "during"}, "takes a moment")
    yield broken("perturbations.1.when", {"kind": "once", "at_s": 1}, "lasts for an interval")
    yield broken("perturbations.2.when.at_s", 5, "the measured window ends after 5 s")
    yield broken("perturbations.2.when.at_s", "{{ connections }}", "is 10 s, but the measured window ends")
    yield broken("perturbations.2.when.at_s", "{{ aio }}", "not a number")
    yield broken("perturbations.2.when.at_s", -1, "not between")
    yield broken("perturbations.0.when.every_s", 0.01, "not between")
    yield broken("perturbations.0.when.from_s", 7, "the measured window ends after 5 s")
    yield broken("perturbations.1.when.until_s", 6, "the measured window ends after 5 s")
    yield broken("perturbations.1.when.until_s", 0.5, "must be after from_s, which is 1 s")
    yield broken("perturbations.0.when.kind", "never", "one of")
    yield broken("perturbations.0.action.kind", "explode", "one of")
    yield broken("perturbations.0.action.path", "/", "no such field")
    yield broken("perturbations.2.action.endpoint", "upstream.nobody", "the endpoints are target, upstream.app")
    yield broken("perturbations.2.action.endpoint", "http://10.0.0.1", "there is no endpoint")
    yield broken("perturbations.2.action.path", "purge", "begin with /")
    yield broken("perturbations.2.action.path", "/é", "visible ASCII")
    yield broken("perturbations.1.action.processes", 0, "at least 1")
    churn = {"kind": "churn", "group": "app"}
    yield broken("perturbations.0.action", churn, "there are none", "perturbations.0.action.group")
    signal = {"kind": "signal", "signal": "TERM", "to": "worker", "worker": 2}
    yield broken("perturbations.0.action", signal, "nginx has 2 workers", "perturbations.0.action.worker")
    yield broken("perturbations.0.action", {**signal, "signal": "HUP"}, "must be", "perturbations.0.action.signal")


def _servers() -> Iterator[Broken]:
    yield broken("upstream_servers.0.behaviour", {"kind": "sink"}, "not both", "upstream_servers.0.server")
    yield broken("upstream_servers.0.server", "", "is empty")
    yield broken("upstream_servers.0.behaviour", {"kind": "fast"}, "one of", "upstream_servers.0.behaviour.kind")
    raw = change("upstream_servers.0.behaviour", {"kind": "slow", "delay_ms": -1})
    raw["upstream_servers"][0]["server"] = ""
    yield Broken("negative delay", raw, "upstream_servers.0.behaviour.delay_ms", "not between")
    group = {"key": "app", "nodes": 5, "server": "app"}
    for changed, field, said in (
        ({"groups": []}, "groups", "at least 1"),
        ({"groups": [{**group, "server": "nobody"}]}, "groups.0.server", "no upstream server 'nobody'"),
        ({"groups": [{**group, "nodes": "{{ connections * 1000 }}"}]}, "groups.0.nodes", "not between"),
        ({"through": "magic"}, "through", "must be"),
        ({"read_interval_ms": 1}, "read_interval_ms", "not between"),
        ({"through": "reload", "trylock": True}, "trylock", "a reload takes no lock"),
    ):
        upstreams = {"through": "lua", "groups": [group], **changed}
        yield broken("nginx.upstreams", upstreams, said, f"nginx.upstreams.{field}")
    yield broken("upstream_servers.0.tls", True, "speak TLS: write https://app", "nginx.server")
    yield broken("upstream_servers.0.protocol", "ftp", "must be")
    raw = change("upstream_servers.0.protocol", "scgi")
    raw["nginx"]["upstreams"] = {"through": "lua", "groups": [group]}
    raw["perturbations"][2]["action"]["endpoint"] = "upstream.app"
    raw["upstream_servers"][0]["tls"] = True
    yield Broken("SCGI by hand", raw, "upstream_servers.0.behaviour", "sink or slow")
    yield Broken("SCGI by TLS", raw, "upstream_servers.0.tls", "without TLS")
    yield Broken("group of SCGI", raw, "nginx.upstreams.groups.0.server", "asked by HTTP")
    other = change("upstream_servers.0", {"key": "app", "slot": "generator", "protocol": "scgi"})
    other["upstream_servers"][0]["behaviour"] = {"kind": "sink", "content": "html"}
    yield Broken("pages by SCGI", other, "upstream_servers.0.behaviour.content", "for the protocol http")
    yield Broken("SCGI by proxy_pass", other, "nginx.server", "speak scgi: use scgi_pass")
    yield Broken("call by SCGI", raw, "perturbations.2.action.endpoint", "does not speak HTTP/1.1")
    raw = change("upstream_servers.0.tls", True)
    raw["nginx"]["upstreams"] = {"through": "lua", "groups": [group]}
    raw["perturbations"][2]["action"]["endpoint"] = "upstream.app"
    yield Broken("group by TLS", raw, "nginx.upstreams.groups.0.server", "asked by plain HTTP")
    yield Broken("call by TLS", raw, "perturbations.2.action.endpoint", "are plain HTTP")


def _thresholds() -> Iterator[Broken]:
    for text, said in (
        ("", "word 1"), ("p99 < 20", "did you mean p99_ms"), ("p99_ms", "word 2"), ("p99_ms = 20", "word 2"),
        ("p99_ms < fast", "word 3"), ("p99_ms < nan", "finite"), ("p99_ms ratio 2", "word 3"),
        ("p99_ms < 20 in off.low", "word 4"), ("p99_ms < 20 for", "word 5"), ("p99_ms < 20 for off.low too", "word 6"),
        ("p99_ms < 20 for nobody", "no arm 'nobody'"), ("p99_ms ratio < 2 for off.low", "with itself"),
        ("p99_ms < 20 for off.top", "no arm"),
    ):  # fmt: skip
        yield broken("thresholds.1", text, said)
    sound = {"metric": "latency_ms", "statistic": "p99", "compare": "<", "value": 20}
    for change_, field, said in (
        ({"metric": "p99_ms"}, "metric", "must be"), ({"statistic": "median"}, "statistic", "must be"),
        ({"statistic": None}, "statistic", "such as p99"), ({"metric": "cpu_cv"}, "statistic", "latency_ms only"),
        ({"compare": "below"}, "compare", "must be"), ({"value": float("nan")}, "value", "finite"),
        ({"value": "fast"}, "value", "number"), ({"below": 1}, "below", "no such field"),
        ({"arm": "nobody"}, "", "no arm 'nobody'"), ({"arm": "off.low", "ratio": True}, "", "with itself"),
    ):  # fmt: skip
        yield broken("thresholds.1", sound | change_, said, f"thresholds.1.{field}".rstrip("."))


def _configuration() -> Iterator[Broken]:
    for path in ("nginx.main", "nginx.events", "nginx.http", "nginx.server", "upstream_servers.0.server"):
        for text, said in (
            ("\n{{ nobody }}", "line 2: 'nobody' is undefined"), ("{% if %}", "line 1"), ("{{ 'a' * 9 }}", "numbers"),
            ("{% for i in '123' %}x{% endfor %}", "for is not supported"), ("{{ ''.__class__ }}", "getattr"),
            ("a 1;\ninclude /etc/passwd;", "line 2: include is not allowed"), ("}", 'line 1: this "}" closes'),
            ("\nlocation / {", "line 2: the block of location is not closed"), ("gzip on", 'a ";" is missing'),
            ("gzip 'on;", "not closed"), (";", 'unexpected ";"'),
        ):  # fmt: skip
            yield broken(path, text, said)
        belongs = "load_module: a.so must be" if path == "nginx.main" else "load_module is not allowed in"
        yield broken(path, "load_module a.so;", belongs)
    yield broken("nginx.http", '{{ servers("nobody") }}', "no upstream server 'nobody'; the upstream servers are app")
    yield broken("nginx.server", "proxy_pass http://10.0.0.1;", "not allowed here")
    yield broken("nginx.server", "location / { proxy_pass http://10.0.0.1; }", "no upstream 10.0.0.1")
    yield broken("nginx.listen_options", "backlog=5; } server {", "not an allowed option of listen")
    yield broken("factors.0.levels.0.variables.aio", "on;}\nserver {", "(in arms off.low, off.high)", "nginx.server")


def broken_definitions() -> list[Broken]:
    makers = (
        _shapes,
        _ranges,
        broken_designs,
        _load,
        _engines,
        _files,
        _mixes,
        _perturbations,
        _servers,
        _thresholds,
        _configuration,
    )
    return [one for make in makers for one in make()]
