"""An nginx with limits, HTTP/2, gzip or kept connections that the load never meets."""

from typing import Literal

import pytest
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench, fires
from tests.checks.test_generators import proxied
from tests.support.specs import CONFIG, PROXY_CONFIG, trial_spec
from tests.support.streams import open_loop

FILES = CONFIG.replace('location / { return 200 "OK\\n"; }', "location / { root @@folder@@/files; }")
PLACE = 'location / { return 200 "OK\\n"; }'
LIMITED = CONFIG.replace(
    "access_log off;",
    "access_log off; limit_req_zone $server_addr zone=req:1m rate=1r/s; limit_conn_zone $server_addr zone=conn:1m;",
).replace(PLACE, 'location / { limit_req zone=req; limit_conn conn 1; return 200 "OK\\n"; }')
HTTP2 = CONFIG.replace(
    "listen 127.0.0.1:@@http_port@@;",
    "listen 127.0.0.1:@@http_port@@ ssl http2;\n"
    "        ssl_certificate @@folder@@/tls.crt; ssl_certificate_key @@folder@@/tls.key;",
)
GZIP = CONFIG.replace(PLACE, "location / { root @@folder@@/files; default_type text/html; gzip on; }")


def keeping(**changes: str) -> TrialSpec:
    """Before an upstream server, with ``changes`` of the configuration."""
    spec, config = proxied(), PROXY_CONFIG
    assert spec.nginx is not None
    for before, after in changes.items():
        config = config.replace(before, after)
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"config": config})})


def reading(path: str) -> TrialSpec:
    """A stream of wrk, and a set of one file, which nginx serves as /data/0."""
    spec = trial_spec(config=FILES, stream={"path": path, "connections": 2})
    assert spec.nginx is not None
    files = FileSet(folder="data", count=1, size_bytes=2000)
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"files": [files]})})


def compressing(headers: dict[str, str], content: Literal["random", "html"] = "random") -> TrialSpec:
    """A file that the agent makes, of random bytes or of a kind that compresses."""
    spec = trial_spec(config=GZIP, stream={"path": "/data/0", "connections": 2, "headers": headers})
    assert spec.nginx is not None
    files = FileSet(folder="data", count=1, size_bytes=20_000, content=content)
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"files": [files]})})


def test_a_path_at_which_there_is_no_file(bench: Bench) -> None:
    results = bench.run(reading("/files/data/0")).results
    said = fires(results, "first-answers", "warning")
    assert said.startswith("GET /files/data/0 -> 404, text/html, ")
    assert "status 404 is an error" in said
    fires(results, "errors", "error")


def test_a_file_that_is_there(bench: Bench) -> None:
    results = bench.run(reading("/data/0")).results
    assert results["first-answers"].message == "answers that are as declared: 1"
    assert (results["first-answers"].severity, results["accounting"].severity) == ("pass", "pass")


def test_limits_that_return_bypasses(bench: Bench) -> None:
    """Were a limit applied, almost all of the requests would be rejected."""
    results = bench.run(trial_spec(config=LIMITED)).results
    assert "limit_req and limit_conn limit nothing" in fires(results, "limits-bypassed", "warning")
    assert results["served-latency"].message == "no response was rejected"


def test_a_limit_whose_key_is_empty_and_one_that_acts(bench: Bench) -> None:
    """20 requests/s are allowed: by the name of a server that has none nginx lets all of them through."""
    limited = CONFIG.replace(
        "access_log off;",
        "access_log off; limit_req_zone $server_name zone=name:1m rate=20r/s; "
        "limit_req_zone $binary_remote_addr zone=client:1m rate=20r/s; limit_req_status 429;",
    )
    by_name, by_client = (
        bench.run(
            trial_spec(
                config=limited.replace(PLACE, f"location / {{ limit_req zone={zone} burst=5 nodelay; empty_gif; }}"),
                measure_s=0.6,
            ).model_copy(update={"streams": [open_loop(300, rejected_statuses=["429"])]})
        )
        for zone in ("name", "client")
    )
    assert "the key $server_name of its zone is empty" in fires(by_name.results, "limits-bypassed", "warning")
    assert by_client.results["limits-bypassed"].severity == "pass"
    none, most = (judged.summary.streams[0].rejected for judged in (by_name, by_client))
    assert none is not None
    assert most is not None
    assert (none.requests, most.requests > 20) == (0, True), most


def test_a_listener_of_http2(bench: Bench) -> None:
    spec = trial_spec(config=HTTP2, stream={"tls": True})
    assert spec.nginx is not None
    spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"tls": True})})
    results = bench.run(spec).results
    assert "speaks HTTP/1.1" in fires(results, "http-version", "error")
    assert results["errors"].severity == "pass"


@pytest.mark.parametrize(
    ("headers", "said"),
    [({"Accept-Encoding": "gzip"}, "gzip saved nothing on stream main"), ({}, "does not ask for it")],
)
def test_gzip_of_random_bytes(bench: Bench, headers: dict[str, str], said: str) -> None:
    assert said in fires(bench.run(compressing(headers)).results, "compression", "warning")


def test_gzip_of_pages(bench: Bench) -> None:
    results = bench.run(compressing({"Accept-Encoding": "gzip"}, "html")).results
    assert (results["compression"].severity, results["errors"].severity) == ("pass", "pass")


def test_connections_to_upstream_servers_that_http_1_0_closes(bench: Bench) -> None:
    said = fires(bench.run(keeping(**{"proxy_http_version 1.1;": ""})).results, "upstream-keepalive", "warning")
    assert "100 new connections for 100 requests" in said
    assert "nginx speaks HTTP/1.0 to them" in said
    kept = bench.run(keeping()).results["upstream-keepalive"]
    assert (kept.severity, "new connections for 100 requests at most" in kept.message) == ("pass", True), kept


def caching(upstream: str = "", **changes: str) -> TrialSpec:
    """``upstream``: what the upstream server's responses have beside."""
    zone = "proxy_cache_path @@folder@@/cache keys_zone=c:1m; upstream app"
    spec = keeping(**{"upstream app": zone, "location / {": "location / { proxy_cache c;"} | changes)
    (server,) = spec.upstream_servers
    config = server.config.replace("location / {", f"location / {{ {upstream}")
    return spec.model_copy(update={"upstream_servers": [server.model_copy(update={"config": config})]})


VALID = {"location / {": "location / { proxy_cache c; proxy_cache_valid 200 1h;"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (caching(), "nothing says how long to keep a response"),
        (caching("add_header Set-Cookie a=b;", **VALID), "the response sets a cookie"),
    ],
    ids=["no lifetime", "a cookie"],
)
def test_a_cache_that_keeps_nothing(bench: Bench, spec: TrialSpec, said: str) -> None:
    assert said in fires(bench.run(spec).results, "cached", "warning")


def test_a_cache_that_answers(bench: Bench) -> None:
    cached = bench.run(caching(**VALID)).results["cached"]
    assert (cached.severity, cached.message) == ("pass", "the cache answered 100 % of the requests")


def test_gzip_of_another_type(bench: Bench) -> None:
    spec = compressing({"Accept-Encoding": "gzip"}, "html")
    assert spec.nginx is not None
    config = spec.nginx.config.replace("default_type text/html", "default_type text/plain")
    spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"config": config})})
    assert "gzip_types does not have" in fires(bench.run(spec).results, "compression", "warning")
