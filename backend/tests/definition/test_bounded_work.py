"""What a person sends costs no more than its size: bounded before the work, and in proportion to it."""

from typing import Any
from unittest.mock import patch

import pytest
from definition.definitions import sound
from ngxlab.definition import fragments, validation
from ngxlab.definition.fragments import MAX_CHARACTERS, ConfigTemplateError, most_characters, render_fragment
from ngxlab.definition.preview.definition import preview
from ngxlab.definition.preview.schemas import DefinitionPreview, DefinitionPreviewRequest
from ngxlab.definition.rules.schema_errors import MAX_VALUES
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import validate
from ngxlab.definition.yaml import text as yaml_text


def _previewed(definition: dict[str, Any]) -> DefinitionPreview:
    return preview(DefinitionPreviewRequest(definition=definition))


@pytest.mark.parametrize(
    "source",
    [
        "{{x}}" * 1000,
        "{{ " + " ~ ".join(["x"] * 1000) + " }}",
        "{% if " + " ~ ".join(["x"] * 1000) + " %}a{% endif %}",
        "{{ (" + " ~ ".join(["x"] * 1000) + ")|upper }}",
        "{% if [" + ",".join(["x"] * 1000) + "] %}a{% endif %}",
    ],
)
def test_a_text_that_would_be_too_long_is_not_rendered(source: str) -> None:
    with patch("jinja2.Template.render") as render, pytest.raises(ConfigTemplateError, match="256 KiB") as caught:
        render_fragment("nginx.server", f"\n{source}", {"x": "y" * 1000})
    assert (caught.value.field, caught.value.line) == ("nginx.server", 2)
    assert not render.called


def test_no_text_becomes_longer_than_foreseen() -> None:
    with pytest.raises(ConfigTemplateError, match="256 KiB"):
        render_fragment("f", "{{ x|upper }}", {"x": "ß" * (MAX_CHARACTERS - 100)})
    assert len(render_fragment("f", "{{ x }}", {"x": "y" * (MAX_CHARACTERS - 100)}).text) == MAX_CHARACTERS - 100
    assert most_characters("{{ x }}{{ y }}{{ x }}", {"x": "abc", "y": 12}) == 21 + 3 + 2 + 3


def test_pieces_of_a_line_are_joined_once() -> None:
    """Each piece is looked at once, however many there are in a line."""

    class Counted(str):
        __slots__ = ()
        looked_at = 0

        def strip(self, *args: Any) -> str:
            Counted.looked_at += len(self)
            return super().strip(*args)

    pieces = [(Counted(" "), 1)] * 2000
    with patch.object(fragments, "_pieces", return_value=pieces), patch.object(Counted, "split", lambda s, _: [s]):
        fragments._lines("")
    assert Counted.looked_at <= 2000


def test_a_preview_of_long_texts_names_the_field_and_renders_nothing() -> None:
    definition = sound()
    definition["factors"][0]["levels"][0]["variables"]["aio"] = "y" * 1000
    definition["nginx"]["server"] = "#" + "{{ aio }}" * 2700
    found = _previewed(definition)
    assert [p.field for p in found.problems] == ["nginx.server"]
    assert "256 KiB" in found.problems[0].message
    assert len(found.model_dump_json()) < 1 << 20


def test_many_arms_with_long_texts_are_not_rendered() -> None:
    definition = sound()
    definition["factors"][0]["levels"] = [{"key": f"l{i}", "label": "x", "variables": {"aio": "on"}} for i in range(50)]
    definition["design"], definition["baseline"] = {"kind": "matrix"}, "l0.low"
    definition["nginx"]["server"] = "# " + "x" * 60_000
    found = _previewed(definition)
    assert "nginx" in [p.field for p in found.problems]
    assert found.arms == []


@pytest.mark.parametrize("where", ["top", "variables", "off", "headers"])
def test_too_many_values_are_counted_and_nothing_else(where: str) -> None:
    definition, many = sound(), {f"k{i}": 1 for i in range(MAX_VALUES)}
    if where == "top":
        definition.update(many)
    elif where == "variables":
        definition["factors"][0]["levels"][0]["variables"] = many
    elif where == "off":
        definition["design"]["off"] = list(many)
    else:
        definition["streams"][0]["headers"] = many
    with patch.object(Definition, "model_validate") as read, patch.object(validation, "_sections") as sections:
        (problem,) = validate(definition).problems
    assert (problem.field, read.called, sections.called) == ("definition", False, False)


@pytest.mark.parametrize("pair", ["k{}: 1", "- [k{}]", "- {{k{}: 1}}"])
def test_a_document_of_too_many_parts_is_not_built(pair: str) -> None:
    text = "\n".join(pair.format(i) for i in range(19_000))
    with patch.object(yaml_text._Loader, "get_single_node") as build, pytest.raises(yaml_text.YamlError) as caught:
        yaml_text.load(text)
    assert "too many parts" in str(caught.value)
    assert not build.called
