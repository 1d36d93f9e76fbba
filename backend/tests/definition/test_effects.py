"""Levels that change nothing, and arms that are the same, are said before anything runs."""

from typing import Any

import pytest
import yaml
from definition.definitions import sound
from definition.sentences import unlisted
from ngxlab.definition.identical import groups_of_identical_arms
from ngxlab.definition.preview.definition import preview
from ngxlab.definition.preview.schemas import DefinitionPreviewRequest
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import validate
from ngxlab.definition.yaml import documents
from ngxlab.runs.power.calibrate import against_itself
from ngxlab.templates.registry import templates


def gzip(*levels: dict[str, Any], server: str = "{{ cfg }}") -> dict[str, Any]:
    """One factor, whose levels are given by what they set."""
    return {
        "question": "What does gzip cost?",
        "factors": [
            {
                "key": "gzip",
                "label": "gzip",
                "levels": [
                    {"key": f"l{i}", "label": f"level {i}", "variables": variables}
                    for i, variables in enumerate(levels)
                ],
            }
        ],
        "baseline": "l0",
        "nginx": {"workers": 1, "worker_connections": 512, "server": server},
        "streams": [{"key": "main", "connections": 2}],
        "plan": {"blocks": 2, "warmup_s": 0, "measure_s": 1},
    }


def found(raw: dict[str, Any]) -> list[tuple[str, str]]:
    """Warnings: field, and the message up to its remedy. Nothing of it keeps the definition from running."""
    validated = validate(raw)
    assert validated.problems == []
    assert [text for one in validated.warnings for text in unlisted(one.message)] == []
    return [(one.field, one.message.partition(":")[0]) for one in validated.warnings]


def test_levels_that_differ_are_sound() -> None:
    assert found(gzip({"cfg": "gzip off;"}, {"cfg": "gzip on;"})) == []
    assert found(sound()) == []


def test_a_variable_that_nothing_uses_is_named_at_its_place() -> None:
    raw = gzip({"cfg": "gzip off;"}, {"cfg": "gzip on;"}, server="gzip on;")
    assert found(raw) == [("factors.0.levels.0.variables.cfg", "nothing uses cfg")]
    assert "{{ cfg }}" in validate(raw).warnings[0].message
    raw = gzip({}, {"cfg": "gzip on;"}, server="gzip on;")
    assert found(raw) == [("factors.0.levels.1.variables.cfg", "nothing uses cfg")]


def test_a_variable_beside_one_that_acts() -> None:
    raw = gzip({"cfg": "gzip off;", "note": 1}, {"cfg": "gzip on;", "note": 2})
    assert found(raw) == [("factors.0.levels.0.variables.note", "nothing uses note")]


@pytest.mark.parametrize(
    "place",
    [
        {"nginx": {"workers": "{{ number }}", "worker_connections": 512, "server": ""}},
        {"streams": [{"key": "main", "connections": "{{ number }}"}]},
        {"nginx": {"workers": 1, "worker_connections": 512, "server": "{% if number > 1 %}gzip on;{% endif %}"}},
    ],
)
def test_numbers_and_conditions_use_variables(place: dict[str, Any]) -> None:
    assert found(gzip({"number": 1}, {"number": 2}, server="") | place) == []


def test_a_level_that_is_written_otherwise_and_comes_out_the_same() -> None:
    raw = gzip({"on": 0}, {"on": 1}, {"on": 2}, server="{% if on %}gzip on;{% endif %}")
    said = "l2 sets something else than l1, but configuration and load are the same"
    assert found(raw) == [("factors.0.levels.2", said)]


def test_an_arm_that_is_compared_with_itself_on_purpose_stays_possible() -> None:
    (same,) = found(gzip({}, {}, server=""))
    assert same == ("factors", "arms l0, l1 are the same, configuration and load")
    assert found(gzip({"cfg": "gzip on;"}, {"cfg": "gzip on;"})) == [same]
    calibration = against_itself(Definition.model_validate(gzip({"cfg": "gzip on;"}, {"cfg": ""})), "l0", 2)
    assert [field for field, _ in found(calibration.model_dump(mode="json"))] == ["factors"]


def test_combinations_in_which_a_level_does_not_matter() -> None:
    raw = gzip({"on": False}, {"on": True}, server="{% if on %}gzip_comp_level {{ grade }};{% endif %}")
    levels = [{"key": f"g{grade}", "label": str(grade), "variables": {"grade": grade}} for grade in (1, 9)]
    raw["factors"].append({"key": "grade", "label": "Level", "levels": levels})
    raw["baseline"] = "l0.g1"
    assert found(raw) == [("design", "arms l0.g1, l0.g9 are the same, configuration and load")]
    raw["design"] = {"kind": "matrix", "off": ["l0.g9"]}
    assert found(raw) == []


def test_a_build_is_an_effect() -> None:
    raw = gzip({}, {}, server="")
    raw["factors"][0]["levels"][1]["build"] = "tengine"
    assert found(raw) == []


def test_a_document_says_the_line() -> None:
    text = yaml.safe_dump(gzip({}, {"cfg": "gzip on;"}, server=""), sort_keys=False)
    (problem,) = documents.read(text).validated.warnings
    line = 1 + next(i for i, line in enumerate(text.splitlines()) if "cfg:" in line)
    assert problem.message.endswith(f"(line {line} of the document)")
    shown = preview(DefinitionPreviewRequest(yaml=yaml.safe_dump(gzip({}, {}, server=""))))
    assert [warning.field for warning in shown.warnings] == ["factors"]
    assert shown.problems == []


@pytest.mark.parametrize(
    ("template", "preset"), [(one.key, preset.key) for one in templates().values() for preset in one.presets]
)
def test_every_preset_has_arms_that_differ(template: str, preset: str) -> None:
    made = templates()[template]
    values = next(one.values for one in made.presets if one.key == preset)
    definition = made.build(made.complete(values))
    assert groups_of_identical_arms(definition) == []
    assert found(definition.model_dump(mode="json")) == []
