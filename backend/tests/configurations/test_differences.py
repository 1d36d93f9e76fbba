"""Two configurations: one experiment whose arms are exactly the two, and each change by itself."""

from pathlib import Path

import pytest
from configurations.own_configurations import converted, refusal
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.configurations.experiment import of_two
from ngxlab.configurations.made import quoted
from ngxlab.configurations.schemas import ConfigurationFile, ConversionRequest, OwnConfiguration
from ngxlab.configurations.service import convert_all
from ngxlab.core.errors import Invalid
from ngxlab.definition.nginx.config import render
from ngxlab.definition.validation import validate
from ngxlab_policy.syntax import parse

NAMES = ("old.conf", "new.conf")
OLD = """
worker_processes 1;
events { worker_connections 512; }
http {
    gzip off;
    upstream app { server 10.0.0.1; server 10.0.0.2; }
    server {
        listen 80;
        location / { proxy_pass http://app; proxy_buffering on; }
        location /x { return 200 "a {{ b }}"; }
    }
}
"""
NEW = """
worker_processes 2;
events { worker_connections 512; }
http {
    gzip on;
    limit_req_zone $binary_remote_addr zone=one:1m rate=100r/s;
    upstream app { server 10.0.0.1; server 10.0.0.2 weight=2; keepalive 8; }
    server {
        listen 80 reuseport;
        location / { proxy_pass http://app; proxy_http_version 1.1; limit_req zone=one; }
        location /x { return 200 "a {{ b }}"; }
    }
}
"""


def test_the_arms_are_the_two(tmp_path: Path) -> None:
    made = of_two(NAMES, converted({"old.conf": OLD}), converted({"new.conf": NEW}), "together")
    definition = made.definition
    assert validate(definition.model_dump(mode="json")).problems == []
    assert [arm.key for arm in definition.arms] == ["old", "new"]
    assert refusal(definition, tmp_path) == ""
    old, new = (render(definition, arm) for arm in definition.arms)
    for line, of_old, of_new in (
        ("gzip off;", True, False),
        ("gzip on;", False, True),
        ("keepalive 8;", False, True),
        ("proxy_buffering on;", True, False),
        ("limit_req zone=one;", False, True),
        ("worker_processes 2;", False, True),
        ("listen @@address@@:@@http_port@@ reuseport;", False, True),
        ('return 200 "a {{ b }}";', True, True),
    ):
        assert (line in old, line in new) == (of_old, of_new), line
    titles = [one.title for one in made.changes]
    assert "gzip off → gzip on" in titles
    assert "+ limit_req_zone $binary_remote_addr zone=one:1m rate=100r/s" in titles
    assert "workers 1 → 2" in titles
    assert "listen … → reuseport" in titles


def test_each_change_is_an_arm_and_what_it_needs_goes_with_it(tmp_path: Path) -> None:
    made = of_two(NAMES, converted({"old.conf": OLD}), converted({"new.conf": NEW}), "each")
    definition = made.definition
    assert validate(definition.model_dump(mode="json")).problems == []
    assert refusal(definition, tmp_path) == ""
    keys = [arm.key for arm in definition.arms]
    assert (keys[0], keys[-1], len(keys)) == ("old", "new", len(made.groups) + 2)
    with_zone = next(arm for arm in definition.arms[1:-1] if "limit_req zone=one" in render(definition, arm))
    assert "limit_req_zone" in render(definition, with_zone)
    only_gzip = next(arm for arm in definition.arms[1:-1] if "gzip on" in render(definition, arm))
    assert "limit_req" not in render(definition, only_gzip)
    labels = [str(arm.label) for arm in definition.arms]
    assert "only gzip off → gzip on" in labels
    assert len(set(labels)) == len(labels)
    assert max(map(len, labels)) < 45


def test_more_changes_than_factors_share_the_last() -> None:
    old = "".join(f"add_header X-{n} old;\nset $a{n} x;\n" for n in range(30))
    new = "".join(f"add_header X-{n} new;\nset $a{n} x;\n" for n in range(30))
    server = "server {{ listen 80; {} location / {{ return 204; }} }}"
    before, after = (converted({"a.conf": server.format(text)}) for text in (old, new))
    made = of_two(NAMES, before, after, "each")
    assert len(made.definition.factors) == 10
    assert sorted(number for group in made.groups for number in group) == list(range(30))
    assert validate(made.definition.model_dump(mode="json")).problems == []


def test_two_that_are_the_same_say_so() -> None:
    other = OLD.replace("listen 80;", "listen 8080;").replace("10.0.0.1", "10.9.9.9")
    with pytest.raises(Invalid, match="are the same once they are an experiment's"):
        of_two(NAMES, converted({"old.conf": OLD}), converted({"new.conf": other}), "together")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
def test_a_word_is_written_as_nginx_reads_it_back(word: str) -> None:
    assert [one.args for one in parse(f"x {quoted(word)};")] == [(word,)]


def test_the_verdict_is_about_what_differs() -> None:
    request = ConversionRequest(
        configurations=[
            OwnConfiguration(name=name, files=[ConfigurationFile(path="nginx.conf", text=text)])
            for name, text in (("old", OLD), ("new", OLD.replace("gzip off", "gzip on")))
        ]
    )
    made = convert_all(request, None, None)
    metrics = ["response_bytes", "cpu_s_per_1000_requests", "requests_per_s"]
    assert made.definition.plan.primary == [one.name for one in made.primary] == metrics
    alone = convert_all(request.model_copy(update={"configurations": request.configurations[:1]}), None, None)
    assert alone.definition.plan.primary == []
    assert [one.name for one in alone.primary] == ["requests_per_s", "latency_p99_us"]
