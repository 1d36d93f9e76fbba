"""Sentences that readers see: a template with named places, and the values that stand there.

The text of a :class:`Sentence` is its English, so command line, Markdown and logs use it as any other text. Where it is
stored or sent, template and values go with it, and a page says it in its reader's language.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import Formatter
from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class FigureParts(BaseModel):
    """A number in a sentence: as it is written there, and itself."""

    model_config = ConfigDict(extra="forbid")

    text: str
    number: float
    unit: str


class SentenceParts(BaseModel):
    """A sentence: in English, and what it is made of, by which it is said in other languages."""

    model_config = ConfigDict(extra="forbid")

    text: str
    template: str
    """With places: ``{count} of {trials} trials were late``."""
    values: "dict[str, str | FigureParts | SentenceParts]"
    """By place: a name, which is the same in all languages, a number, or a part that is a sentence itself."""


class Figure(str):
    """A number as a sentence writes it, with its unit: ``15.7 ms``."""

    number: float
    unit: str

    def __new__(cls, text: str, number: float = 0, unit: str = "") -> "Figure":
        figure = super().__new__(cls, text)
        figure.number, figure.unit = number, unit
        return figure


class Sentence(str):
    """Its text is English. ``template`` is ``None`` for a text that was stored without."""

    template: str | None
    values: Mapping[str, "Value"]

    def __new__(cls, text: str, template: str | None = None, values: Mapping[str, "Value"] | None = None) -> "Sentence":
        sentence = super().__new__(cls, text)
        sentence.template, sentence.values = template, values or {}
        return sentence

    def without_stop(self) -> "Sentence":
        """As a part of another sentence."""
        template = self.template.removesuffix(".") if self.template is not None else None
        return Sentence(self.removesuffix("."), template, self.values)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            lambda value, inner: value if isinstance(value, cls) else _read(inner(value)),
            handler.generate_schema(str | SentenceParts),
            serialization=core_schema.plain_serializer_function_ser_schema(written, when_used="json"),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler({key: value for key, value in schema.items() if key != "serialization"})


Value = str | Figure | Sentence


def say(template: str, **values: str | float) -> Sentence:
    """``say("{count:,} of {trials} trials", count=1200, trials=1300)``. A place may say how a number is written.
    A sentence stays as it is."""
    if isinstance(template, Sentence):
        return template
    text, bare, used = [], [], {}
    for literal, place, spec in _parsed(template):
        text.append(literal)
        bare.append(literal)
        if place is not None:
            used[place] = _value(values[place], spec)
            text.append(used[place])
            bare.append(f"{{{place}}}")
    return Sentence("".join(text), "".join(bare), used)


@lru_cache(maxsize=1024)
def _parsed(template: str) -> tuple[tuple[str, str | None, str], ...]:
    return tuple((literal, place, spec or "") for literal, place, spec, _ in Formatter().parse(template))


def fixed(text: str) -> Sentence:
    """A text of a list, such as a metric's title, as a part of a sentence."""
    return text if isinstance(text, Sentence) else Sentence(text, text)


def listed(items: Iterable[str], joint: str = ", ") -> Sentence:
    """All of them, of which there must be one; ``joint`` as in :data:`JOINTS`."""
    every = list(items)
    if len(every) == 1:
        return _sentence(every[0])
    half = (len(every) + 1) // 2
    return say(JOINTS[joint], one=listed(every[:half], joint), other=listed(every[half:], joint))


JOINTS: Mapping[str, str] = {
    ", ": "{one}, {other}",
    "; ": "{one}; {other}",
    " and ": "{one} and {other}",
    " or ": "{one} or {other}",
    " ": "{one} {other}",
    ": ": "{one}: {other}",
    " in ": "{one} in {other}",
}


def written(sentence: str) -> Any:
    """The sentence as JSON: plain where it has no values, so that its text is looked up as a whole."""
    if not isinstance(sentence, Sentence) or sentence.template is None or not sentence.values:
        return str(sentence)
    return _written_part(sentence)


def parts_of(sentence: str) -> SentenceParts | None:
    """What a sentence is made of; ``None`` where it has no values, so that its text is looked up as a whole."""
    form = written(sentence)
    return SentenceParts.model_validate(form) if isinstance(form, dict) else None


def _written_part(value: Value) -> Any:
    if isinstance(value, Figure):
        return {"text": str(value), "number": value.number, "unit": value.unit}
    if not isinstance(value, Sentence):
        return str(value)
    values = {place: _written_part(one) for place, one in value.values.items()}
    return {"text": str(value), "template": value.template or str(value), "values": values}


def read_sentence(form: Any) -> Sentence:
    """The sentence of what :func:`written` made. Raises ``ValidationError``."""
    return _READER.validate_python(form)


def _read(given: str | SentenceParts) -> Sentence:
    if isinstance(given, str):
        return Sentence(given)
    return Sentence(given.text, given.template, {place: _read_part(one) for place, one in given.values.items()})


def _read_part(given: str | FigureParts | SentenceParts) -> Value:
    if isinstance(given, FigureParts):
        return Figure(given.text, given.number, given.unit)
    return given if isinstance(given, str) else _read(given)


def _sentence(item: str) -> Sentence:
    return item if isinstance(item, Sentence) else say("{name}", name=item)


def _value(value: str | float, spec: str) -> Value:
    if isinstance(value, str):
        return value
    text = format(value, spec)
    return Figure(text, value) if math.isfinite(value) else text


_READER = TypeAdapter(Sentence)
