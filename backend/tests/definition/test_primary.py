"""The metrics that are proposed for what arms differ in: those that everyday questions are known to be answered by."""

import pytest
from ngxlab.analysis.metrics import METRICS
from ngxlab.definition import primary
from ngxlab.definition.nginx.config import render
from ngxlab.recipes.recipe import Recipe
from ngxlab.recipes.registry import recipes

CLOSED = ("requests_per_s", "latency_p99_us")
TOLD_BY_THE_LOAD = {"capacity", "rate-curve", "slow-readers", "slow-uploads", "websocket-read-timeout"}
NO_DIFFERENT_TEXT = {"certificate-keys", "distant-clients", "http-versions", "key-exchange", "newer-nginx", "reload"}
"""Arms that differ in the certificate, the load, the build, or what is done to nginx."""
TOLD = [
    recipe
    for recipe in recipes().values()
    if recipe.key not in TOLD_BY_THE_LOAD and recipe.key not in NO_DIFFERENT_TEXT
]


def proposed(*configs: str) -> list[str]:
    return primary.proposed(primary.differing(configs), CLOSED)


@pytest.mark.parametrize("recipe", TOLD, ids=[recipe.key for recipe in TOLD])
def test_what_answers_an_everyday_question_is_proposed_for_it(recipe: Recipe) -> None:
    configs = [render(recipe.experiment, arm) for arm in recipe.experiment.arms]
    assert recipe.outcome.metric in proposed(*configs)


@pytest.mark.parametrize(
    ("old", "new", "metrics"),
    [
        ("gzip off;", "gzip on;", ["response_bytes", "cpu_s_per_1000_requests", "requests_per_s"]),
        ("worker_processes 1;", "worker_processes 2;", ["requests_per_s", "cpu_s_per_1000_requests", "latency_p99_us"]),
        (
            "access_log off;",
            "access_log logs/a.log;",
            ["cpu_s_per_1000_requests", "write_syscalls_per_request", "requests_per_s"],
        ),
        (
            "proxy_set_header Connection close;",
            'proxy_set_header Connection "";',
            ["upstream_connections_per_1000_requests", "latency_p99_us", "requests_per_s"],
        ),
        ("proxy_set_header Host a;", "proxy_set_header Host b;", []),
        ('log_format a "$status";', 'log_format a "$upstream_cache_status";', ["cpu_s_per_1000_requests"]),
        ("open_file_cache off;", "open_file_cache max=10;", ["cpu_s_per_1000_requests", *CLOSED]),
        ("client_max_body_size 1m;", "client_max_body_size 2m;", []),
    ],
)
def test_what_differs_is_told_by_directives_and_arguments(old: str, new: str, metrics: list[str]) -> None:
    frame = "http {{\n    server {{\n        {}\n    }}\n}}\n"
    found = proposed(frame.format(old), frame.format(new))
    assert found[: len(metrics)] == metrics
    assert bool(found) == bool(metrics)


PLACES = """http {{
    server {{
        location /a {{ {} root @@folder@@/files; }}
        location /b {{
            {}
        }}
    }}
}}
"""
ONE_PLACE, ANOTHER = PLACES.format("gzip on;", "# {"), PLACES.format("", "gzip on; # {")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (ONE_PLACE, ANOTHER, ["gzip on"]),
        ("gzip on;\nhttp {\n}\n", "http {\n    gzip on;\n}\n", ["gzip on"]),
        ("upstream a { server x; server x; }", "upstream a { server x; }", ["server x"]),
        ("server { gzip on; }", "server {\n    gzip on;\n    # gzip off;\n}\n", []),
        (ONE_PLACE, ONE_PLACE, []),
        ("gzip on;", "log_format j '{ \"a\": 1 }'; gzip on;", ['log_format j { "a": 1 }']),
    ],
    ids=["another location", "another level", "twice", "only written otherwise", "the same", "a text with braces"],
)
def test_a_directive_of_another_block_is_another_one(old: str, new: str, expected: list[str]) -> None:
    assert primary.differing([old, new]) == expected


def test_several_changes_share_three_metrics_and_what_the_load_measures_stays() -> None:
    assert proposed("gzip off;\nproxy_cache off;\nlisten 80;", "gzip on;\nproxy_cache one;\nlisten 80 reuseport;") == [
        "response_bytes",
        "upstream_requests_per_1000_requests",
        "requests_per_s",
    ]


def test_nothing_is_proposed_where_nothing_differs_or_rates_do_not_count() -> None:
    assert proposed("gzip on;", "  gzip on;") == []
    assert primary.proposed(["gzip on"], ("capacity_per_s",)) == []


def test_the_table_names_metrics_that_there_are() -> None:
    known = {metric.name for metric in METRICS}
    assert {name for one in primary.table() for name in one.metrics} <= known
