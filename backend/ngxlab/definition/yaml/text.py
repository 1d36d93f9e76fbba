"""Definitions as YAML: a canonical text, and a reader that says in which line something is wrong.

Reading follows YAML 1.2 where YAML 1.1 surprises: ``on`` and ``off`` are words, as in nginx, only ``true`` and
``false`` are booleans, and dates are text. Anchors and aliases are not supported, so a document is never larger than
its text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from ngxlab_contracts.sentences import Sentence, fixed, say

from ngxlab.definition.rules.schema_errors import MAX_VALUES

MAX_CHARACTERS = 300_000
_MAX_DEPTH = 20
_MAX_EVENTS = 2 * MAX_VALUES + 2 * 5_000
"""A field is its name and its value; a list or object has a beginning and an end."""
_HEADER = "# An ngxlab experiment. See the schema for every field.\n# yaml-language-server: $schema={url}\n"


class YamlError(ValueError):
    """The text is not acceptable YAML. ``line`` counts from 1; None if the error has no line. ``said``: both."""

    def __init__(self, message: Sentence, line: int | None) -> None:
        self.said = say("line {line}: {problem}", line=line, problem=message) if line is not None else message
        super().__init__(self.said)
        self.line = line


@dataclass(frozen=True)
class YamlDocument:
    """``lines``: the line in which each field begins, by its dotted path."""

    content: dict[str, Any]
    lines: dict[str, int]

    def line_of(self, field: str) -> int | None:
        """The line of a field, or of the nearest field around it."""
        while field not in self.lines and field:
            field = field.rpartition(".")[0]
        return self.lines.get(field)


class _Loader(yaml.CSafeLoader):
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own idiom)


for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"^(?:true|false|True|False|TRUE|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
    ("tag:yaml.org,2002:int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"^[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?$", "-+0123456789"),
):
    _Loader.add_implicit_resolver(_tag, re.compile(_pattern), list(_first) + ([""] if "\0" in _first else []))


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        """Indent lists below their key, as people write them."""
        super().increase_indent(flow=flow, indentless=False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def dump(content: dict[str, Any], schema_url: str | None = None) -> str:
    """The canonical text: fields in the given order, multi-line texts as blocks."""
    header = _HEADER.format(url=schema_url) + "\n" if schema_url else ""
    body: str = yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**9, default_flow_style=False
    )
    return header + body


def load(text: str) -> YamlDocument:
    """Raises YamlError for anything except one mapping with unique plain keys."""
    if len(text) > MAX_CHARACTERS:
        message = "the text has {count:,} characters; at most {most:,} are allowed"
        raise YamlError(say(message, count=len(text), most=MAX_CHARACTERS), None)
    try:
        loader = _Loader(text)
        try:
            _refuse_tricks(text)
            node = loader.get_single_node()
            if not isinstance(node, yaml.MappingNode):
                raise YamlError(say("an experiment is a mapping of fields, such as question: …"), 1)
            lines = dict(_lines(node, ()))
            return YamlDocument(loader.construct_document(node), lines)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(fixed(error.problem or str(error)), mark.line + 1 if mark is not None else None) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            say("the character {code} is not allowed", code=f"U+{_code(error.character):04X}"), line
        ) from error
    except ValueError as error:
        if isinstance(error, YamlError):
            raise
        raise YamlError(say("a number has more digits than are read"), None) from error


_NO_ALIASES = say("anchors and aliases (& and *) are not supported; put text that has them in quotes")
_OF_THE_PARSER = (
    say("could not find expected ':'"),
    say("did not find expected key"),
    say("did not find expected '-' indicator"),
    say("did not find expected ',' or ']'"),
    say("did not find expected <document start>"),
    say("did not find expected alphabetic or numeric character"),
    say("did not find expected node content"),
    say("did not find expected whitespace or line break"),
    say("block sequence entries are not allowed in this context"),
    say("mapping keys are not allowed in this context"),
    say("mapping values are not allowed in this context"),
    say("found a tab character that violates indentation"),
    say("found character that cannot start any token"),
    say("found unexpected end of stream"),
    say("found unexpected document indicator"),
    say("found unknown escape character"),
)
"""What libyaml says most often; the rest is shown in its own words."""


def _code(character: int | str | bytes) -> int:
    return character if isinstance(character, int) else ord(character)


def _refuse_tricks(text: str) -> None:
    """Refuse aliases, tags, several documents and deep nesting before anything is built."""
    depth = documents = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise YamlError(_NO_ALIASES, line)
        if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None) is not None:
            raise YamlError(say("tags (!…) are not supported; put text that begins with ! in quotes"), line)
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if documents > 1:
            raise YamlError(say("only one document is allowed: remove everything after ---"), line)
        if count > _MAX_EVENTS:
            raise YamlError(say("the document has too many parts"), line)
        if depth > _MAX_DEPTH:
            raise YamlError(say("is nested too deeply"), line)


def _line(thing: yaml.Node | yaml.Event) -> int:
    return thing.start_mark.line + 1 if thing.start_mark is not None else 1


def _lines(node: yaml.Node, path: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Paths and lines of all fields below; raises YamlError for a key that is not text or that occurs twice."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = _line(key)
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise YamlError(say("a key must be text; put it in quotes"), line)
            if key.value in seen:
                raise YamlError(say("the key {key} occurs twice", key=key.value), line)
            seen.add(key.value)
            yield ".".join((*path, key.value)), line
            yield from _lines(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            yield ".".join((*path, str(i))), _line(item)
            yield from _lines(item, (*path, str(i)))
