"""Which edits leave a definition what its template is about."""

from typing import Any

import pytest
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments.origin import with_true_origin
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template
from templates.measured import evidence

TEMPLATE = template("request-buffering")


def definition() -> dict[str, Any]:
    return TEMPLATE.build(TEMPLATE.complete({})).model_dump(mode="json")


def kept(raw: dict[str, Any]) -> bool:
    return with_true_origin(Definition.model_validate(raw)).template is not None


def test_what_it_built_is_its_own() -> None:
    assert kept(definition())


@pytest.mark.parametrize(
    "change",
    [
        {"plan": {"blocks": 7, "warmup_s": 1, "measure_s": 60}},
        {"thresholds": ["requests_per_s > 1"]},
        {"placement": "none"},
        {"question": "Mine?"},
        {"design": {"kind": "matrix", "off": ["off-8k"]}},
        {"baseline": "off-640k"},
    ],
)
def test_another_plan_or_fewer_arms_keep_it(change: dict[str, Any]) -> None:
    assert kept(definition() | change)


def test_a_level_of_ones_own_keeps_it_and_another_meaning_of_a_level_does_not() -> None:
    added, bent = definition(), definition()
    levels = added["factors"][0]["levels"]
    levels.append({"key": "on-8k", "label": "mine", "variables": {"buffering": "on", "body_buffer": "8k"}})
    bent["factors"][0]["levels"][0]["variables"]["buffering"] = "off"
    assert kept(added)
    assert not kept(bent)


@pytest.mark.parametrize("change", [{"perturbations": []}, {"upstream_servers": []}, {"template": None}])
def test_another_subject_loses_it(change: dict[str, Any]) -> None:
    assert not kept(definition() | change)


def test_another_configuration_or_load_loses_it() -> None:
    for part, name, value in (("nginx", "server", "return 200;"), ("nginx", "workers", 9)):
        raw = definition()
        raw[part][name] = value
        assert not kept(raw)
    raw = definition()
    raw["streams"][0]["connections"] = 77
    assert not kept(raw)


def test_findings_of_an_edited_definition_say_so() -> None:
    raw = definition() | {"design": {"kind": "matrix", "off": ["off-8k"]}}
    edited = findings(TEMPLATE, evidence(Definition.model_validate(raw), lambda _: {"requests_per_s": 1.0}))
    assert [label.key for label in edited.labels] == ["edited"]
    assert {cell.arm for cell in edited.figures[0].cells} == {"on-16k", "on-640k", "off-64k", "off-640k"}
    untouched = findings(TEMPLATE, evidence(Definition.model_validate(definition()), lambda _: {}))
    assert untouched.labels == []
