"""A cache that is set up: silent where it answers, else the reason why it does not."""

from dataclasses import replace

import pytest
from analysis import builders
from analysis.check_results import results_of
from analysis.proxying import PER_S, config, trial
from ngxlab.analysis.schemas import CheckResult
from ngxlab_contracts.streams import PathChoice, StreamSpec
from ngxlab_contracts.telemetry import Answer

KEY = "cached"
CACHE = "proxy_cache c;"
VALID = f"{CACHE} proxy_cache_valid 200 1m;"
WHY: dict[str, tuple[str, dict[str, str] | None, str]] = {
    # location, headers of the answer, what is said
    "no lifetime": (CACHE, {}, "nothing says how long to keep a response"),
    "no lifetime, and no answer": (CACHE, None, "proxy_cache_valid is missing, and the response may not say"),
    "a lifetime of others": (f"{CACHE} proxy_cache_valid 404 1m;", {}, "nothing says how long"),
    "a cookie": (VALID, {"set-cookie": "a=b"}, "sets a cookie"),
    "cache control": (VALID, {"cache-control": "private, max-age=60"}, "Cache-Control: private, max-age=60"),
    "an age of nothing": (VALID, {"cache-control": "max-age=0"}, "Cache-Control: max-age=0"),
    "a date that is over": (
        VALID,
        {"date": "Fri, 27 Nov 2026 01:00:00 GMT", "expires": "Thu, 01 Jan 1970 00:00:01 GMT"},
        "which is over",
    ),
    "no date": (VALID, {"date": "Fri, 27 Nov 2026 01:00:00 GMT", "expires": "0"}, "Expires: 0, which is over"),
    "a date to come": (
        f"{VALID} proxy_no_cache 1;",
        {"date": "Fri, 27 Nov 2026 01:00:00 GMT", "expires": "Fri, 27 Nov 2026 01:00:01 GMT"},
        "proxy_no_cache keeps them out",
    ),
    "vary": (VALID, {"vary": "*"}, "Vary: *"),
    "no cache": (f"{VALID} proxy_no_cache 1;", {}, "proxy_no_cache keeps them out"),
    "no buffer": (f"{VALID} proxy_buffering off;", {}, "caches only what it buffers"),
    "nginx's own header": (f"{VALID} add_header Set-Cookie a=b;", {"set-cookie": "a=b"}, "does not tell why"),
    "an ignored header": (
        f"{VALID} proxy_ignore_headers X-Accel-Redirect Set-Cookie;",
        {"set-cookie": "a=b"},
        "does not tell why",
    ),
}


def judged(
    location: str, headers: dict[str, str] | None, upstream_per_s: float, stream: StreamSpec | None = None
) -> CheckResult:
    extra = [Answer(t_us=builders.T0_US, stream="main", status=200, headers=headers)] if headers is not None else []
    record = trial(config(location=location), upstream_per_s=upstream_per_s, extra=extra, stream=stream)
    return results_of(record)[KEY]


SEEN_WITHOUT_READINGS = {KEY: "nothing is asked for"}
RECORDS = {(KEY, "warning"): lambda: judged(CACHE, {}, PER_S)}


@pytest.mark.parametrize("case", WHY)
def test_a_cache_that_answers_nothing(case: str) -> None:
    location, headers, said = WHY[case]
    result = judged(location, headers, PER_S)
    assert (result.severity, said in result.message) == ("warning", True), result.message
    assert "answered 0 % of the requests of stream main" in result.message


def test_what_the_load_asks_for_is_a_reason_too() -> None:
    plain = {"key": "main", "engine": "wrk", "threads": 2, "connections": 100}
    posting = StreamSpec.model_validate(plain | {"method": "POST"})
    assert "does not have POST" in judged(VALID, None, PER_S, posting).message
    drawing = StreamSpec.model_validate(plain | {"paths": PathChoice(pattern="/{n}", count=100_000)})
    assert "100,000 different paths" in judged(VALID, {}, PER_S, drawing).message


@pytest.mark.parametrize(
    ("location", "upstream_per_s", "said"),
    [(VALID, 6, "answered 99 % of the requests"), (CACHE, 6, "answered 99 %"), ("", PER_S, "no stream goes where")],
)
def test_silence(location: str, upstream_per_s: float, said: str) -> None:
    result = judged(location, {"set-cookie": "a=b"}, upstream_per_s)
    assert (result.severity, said in result.message) == ("pass", True), result.message


def test_what_other_streams_ask_of_the_same_servers_is_not_told_apart() -> None:
    place = "location /other { proxy_pass http://app; }"
    nginx = config(location=VALID).replace("server { listen", f"server {{ {place} listen")
    record = trial(nginx)
    other = StreamSpec(key="other", engine="wrk", threads=1, connections=1, path="/other")
    spec = record.spec.model_copy(update={"streams": [*record.spec.streams, other]})
    assert results_of(builders.trial(record))[KEY].severity == "warning"
    assert results_of(replace(record, spec=spec))[KEY].severity == "unavailable"
