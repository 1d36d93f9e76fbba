"""Export and import are each other's inverse, and a bad document is told where it is bad."""

import re
from typing import Any

import pytest
import yaml
from definition.definitions import TEXT, definitions, sound
from definition.sentences import unlisted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ngxlab.core.migrate import MIGRATIONS
from ngxlab.definition.validation import require
from ngxlab.definition.yaml import documents
from ngxlab.definition.yaml import text as yaml_io
from ngxlab.definition.yaml.reference import reference, schema_text
from ngxlab.templates.registry import template, templates

_URL = "https://example.org/schema.json"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(definitions(), st.none() | TEXT.map(lambda text: " ".join(text.split())).filter(bool))
def test_import_of_an_export_is_the_same_definition(raw: dict[str, Any], name: str | None) -> None:
    definition = require(raw)
    exported = documents.to_yaml(definition, name, _URL)
    read = documents.read(exported)
    assert read.validated.problems == []
    assert read.name == name
    assert read.validated.definition is not None
    assert documents.canonical_json(read.validated.definition) == documents.canonical_json(definition)
    assert documents.to_yaml(read.validated.definition, read.name, _URL) == exported


@pytest.mark.parametrize("key", templates())
def test_templates_survive_it_too(key: str) -> None:
    chosen = template(key)
    definition = chosen.build(chosen.complete({}))
    assert documents.require(documents.to_yaml(definition, "A name"), None) == ("A name", definition)


def test_the_text_does_not_depend_on_the_order_in_which_values_were_given() -> None:
    raw = sound()
    raw["streams"][0]["headers"] = {"X-B": "1", "X-A": "2"}
    turned = sound()
    turned["streams"][0]["headers"] = {"X-A": "2", "X-B": "1"}
    assert documents.to_yaml(require(raw), None) == documents.to_yaml(require(turned), None)


def test_an_export_is_readable() -> None:
    text = documents.to_yaml(require(sound()), "Threads", _URL)
    assert f"$schema={_URL}" in text
    assert "  server: |-\n    aio {{ aio }};\n    location / {\n        root @@folder@@/files;\n    }\n" in text
    assert "timeout_s" not in text, "defaults are left out"


def test_other_readers_of_yaml_see_the_same() -> None:
    raw = sound()
    assert yaml.safe_load(documents.to_yaml(require(raw), None)) == {"schema_version": 1, **raw}


def test_words_that_yaml_1_1_takes_for_truth_values_stay_words() -> None:
    read = yaml_io.load("a: on\nb: off\nc: yes\nd: true\ne: 010\nf: 12:30:45\ng: 2020-01-01\nh: 1e5\ni: ~\nj: 2.5\n")
    expected = ["on", "off", "yes", True, "010", "12:30:45", "2020-01-01", "1e5", None, 2.5]
    assert list(read.content.values()) == expected


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("", "yaml", "mapping"),
        ("- a", "yaml", "line 1"),
        ("question: a\nquestion: b", "yaml", "line 2: the key question occurs twice"),
        ("question: 'a\n", "yaml", "line"),
        ("question: &a b\nbaseline: *a", "yaml", "line 1: anchors"),
        ("question: !!python/object/apply:os.system [id]", "yaml", "tags"),
        ("question: a\n---\nquestion: b", "yaml", "line 2: only one document"),
        ("a: " + "[" * 50, "yaml", "nested"),
        ("a: " + "x" * yaml_io.MAX_CHARACTERS, "yaml", "are allowed"),
        ("- [1, 2]\n" * 20_000, "yaml", "too many parts"),
        ("question: \x01", "yaml", "U+0001"),
        ("1: a", "yaml", "line 1: a key must be text"),
        ("a: " + "9" * 5000, "yaml", "digits"),
        ("schema_version: 9\n", "schema_version", "version 1 only (line 1 of the document)"),
        ("name: ''\n", "name", "line 1"),
        ("question: 1\n\nplan:\n  blocks: 0\n", "plan.blocks", "at least 1 (line 4 of the document)"),
        ("factors:\n  - key: a\n", "factors.0.levels", "is missing (line 2 of the document)"),
    ],
)
def test_a_bad_document_is_told_where(text: str, field: str, said: str) -> None:
    problems = documents.read(text).validated.problems
    assert any(said in problem.message for problem in problems if problem.field == field), problems
    assert [text for problem in problems for text in unlisted(problem.message)] == []


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    assert documents.read(text).validated.problems


def test_the_published_schema_is_current() -> None:
    kept = MIGRATIONS.parent / "docs" / "experiment.schema.json"
    assert kept.read_text() == schema_text(), "make docs"


def test_every_property_of_the_schema_is_described() -> None:
    schema = documents.document_schema()
    described = {"ExperimentDocument": schema, **schema["$defs"]}
    missing = {
        f"{name}.{field}"
        for name, part in described.items()
        for field, one in part.get("properties", {}).items()
        if not one.get("description", "").strip()
    }
    assert missing == set()


def test_the_schema_has_a_name_and_only_keywords_of_json_schema() -> None:
    text = schema_text()
    assert '"$id": "urn:ngxlab:experiment:1"' in text
    assert "discriminator" not in text
    assert '"x-' not in text


def test_the_yaml_reference_is_current_and_names_every_property() -> None:
    kept = (MIGRATIONS.parent / "docs" / "yaml.md").read_text()
    assert kept == reference(), "make docs"
    schema = documents.document_schema()
    parts = [schema, *schema["$defs"].values()]
    assert all(f"| `{field}` |" in kept for part in parts for field in part.get("properties", {}))
    links = re.findall(r"\]\(#(\w+)\)", kept)
    assert set(links) <= {title.lower() for title in re.findall(r"^## (\w+)$", kept, re.MULTILINE)}
