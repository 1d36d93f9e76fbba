"""A change and its base as two arms of one experiment: nginx has in each arm what it has by the arm's own document."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from ngxlab.core.errors import Invalid
from ngxlab.core.migrate import MIGRATIONS
from ngxlab.definition.nginx.config import render_config
from ngxlab.definition.pairing import Pairing, PairingRequest, pair_documents
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.yaml import documents

EXAMPLES = sorted((MIGRATIONS.parent / "examples").glob("*.yaml"))
ARMS = [(path, arm.key) for path in EXAMPLES for arm in documents.require(path.read_text(), None)[1].arms]
PROXY = Path(MIGRATIONS.parent / "examples" / "http2.yaml").read_text()


def read(text: str) -> Definition:
    return documents.require(text, None)[1]


def pair(base: str, change: str, arm: str | None = None) -> Pairing:
    return pair_documents(PairingRequest(base=base, change=change, arm=arm))


def config(text: str, arm: str) -> str:
    definition = read(text)
    return render_config(definition, definition.arm(arm)).text


def changed(text: str, **nginx: Any) -> str:
    document = yaml.safe_load(text)
    document["nginx"] |= nginx
    return yaml.safe_dump(document, sort_keys=False)


@pytest.mark.parametrize(("path", "arm"), ARMS, ids=lambda one: one.stem if isinstance(one, Path) else one)
def test_an_arm_paired_with_itself_is_the_same_twice(path: Path, arm: str) -> None:
    text = path.read_text()
    made = pair(text, text, arm)
    assert (made.differences, made.others) == ([], [])
    assert config(made.yaml, "base") == config(made.yaml, "change") == config(text, arm)


@pytest.mark.parametrize(
    ("base", "change"),
    [
        ({}, {"workers": 2}),
        ({"listen_options": "http2"}, {"listen_options": "http2 backlog=511"}),
        ({}, {"main": "worker_priority 1;"}),
        ({"http": 'upstream app {\n    {{ servers("app", weight=1) }}\n}\n'},
         {"http": 'upstream app {\n    {{ servers("app", weight=5) }}\n}\n'}),
        ({"server": "location / {\n    {% if protocol == 'http/2' %}\n    return 200;\n    {% endif %}\n}\n"},
         {"server": "location / {\n    return 204;\n}\n"}),
    ],
)  # fmt: skip
def test_each_arm_is_its_own_document(base: dict[str, Any], change: dict[str, Any]) -> None:
    before, after = changed(PROXY, **base), changed(PROXY, **change)
    made = pair(before, after)
    assert len(made.differences) == 1
    assert made.differences[0].field == f"nginx.{next(iter(change))}"
    assert made.differences[0].base != made.differences[0].change
    assert config(made.yaml, "base") == config(before, "http1")
    assert config(made.yaml, "change") == config(after, "http1")
    assert "http2" in made.others


def test_a_change_of_another_arm_is_named_and_can_be_compared() -> None:
    old = "location / {\n    {% if protocol == 'http/2' %}\n    return 200;\n    {% endif %}\n}\n"
    before, after = changed(PROXY, server=old), changed(PROXY, server=old.replace("200", "204"))
    assert (pair(before, after).differences, pair(before, after).others) == ([], ["http2"])
    made = pair(before, after, "http2")
    assert [one.field for one in made.differences] == ["nginx.server"]
    assert config(made.yaml, "base") == config(before, "http2")
    paired = read(made.yaml)
    assert [resolve(paired, arm).streams[0].protocol for arm in paired.arms] == ["http/2", "http/2"]
    with pytest.raises(Invalid, match="http3 is no arm"):
        pair(before, after, "http3")


def test_variables_of_levels_stay_with_their_arm() -> None:
    text = PROXY.replace("keepalive_requests 1000000000;", "keepalive_requests {{ most }};")
    before, after = (text.replace("protocol: http/1.1", f"protocol: http/1.1\n      most: {n}") for n in (10, 20))
    before, after = (one.replace("protocol: http/2", "protocol: http/2\n      most: 5") for one in (before, after))
    made = pair(before, after)
    assert [one.field for one in made.differences] == ["nginx.server"]
    assert "keepalive_requests 10;" in config(made.yaml, "base")
    assert "keepalive_requests 20;" in config(made.yaml, "change")


def test_thresholds_are_of_the_change_whether_fields_or_text() -> None:
    wanted = ["p99_ms < 50", "p99_ms ratio < 1.1 for http2", "errors_percent < 1 for http1",
              {"metric": "latency_ms", "statistic": "p90", "compare": "<", "value": 40}]  # fmt: skip
    text = yaml.safe_dump(yaml.safe_load(PROXY) | {"thresholds": wanted})
    made = pair(text, changed(text, workers=2))
    said = ["p99_ms < 50 for change", "errors_percent < 1 for change", "p90_ms < 40 for change"]
    assert read(made.yaml).thresholds == said
    assert [str(note) for note in made.notes] == ["Thresholds of other arms than the compared one are not looked at."]


def test_the_load_is_the_change_and_said_to_be() -> None:
    made = pair(PROXY, PROXY.replace("rate_per_s: 300", "rate_per_s: 200"))
    assert made.differences == []
    assert [str(note) for note in made.notes] == ["Both arms have this of the change: streams."]


def test_a_document_that_is_none_is_told_which() -> None:
    with pytest.raises(Invalid) as refused:
        pair(PROXY, "schema_version: 1\nname: x\n")
    assert all(one.field.startswith("change.") for one in refused.value.errors or [])
