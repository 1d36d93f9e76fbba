"""One arm with numbers: expressions evaluated, and streams and perturbations as the hosts will receive them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar, get_args

from ngxlab_contracts.engines import HTTP_VERSIONS
from ngxlab_contracts.perturbations import PerturbationSpec
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import CertificateKey
from pydantic import BaseModel, ValidationError

from ngxlab.definition.fragments import ConfigTemplateError, DefinitionError, render_fragment
from ngxlab.definition.schema.base import DefinitionModel, OneOf, Within
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer

Numbers = dict[str, int | float]
"""The values of an arm by their paths in the definition, e.g. ``streams.0.connections``."""
Values = dict[str, int | float | str]
"""Likewise, with those that are one of a few words, e.g. ``streams.0.protocol``."""
Mark = TypeVar("Mark", Within, OneOf)


class ResolveError(DefinitionError):
    """A templated value is invalid in an arm. ``field`` is its path, e.g. ``streams.0.connections``."""


@dataclass(frozen=True)
class ResolvedArm:
    """``nginx`` and ``upstream_servers`` have numbers in the place of expressions; their texts still contain
    placeholders. ``streams`` have no CPU lists and no TLS yet, because these depend on a run's placement."""

    arm: ArmDefinition
    variables: dict[str, LevelValue]
    nginx: NginxTemplate
    upstream_servers: list[UpstreamServer]
    streams: list[StreamSpec]
    perturbations: list[PerturbationSpec]
    workers: int
    worker_connections: int
    certificate_key: CertificateKey


@dataclass(frozen=True)
class NumberField:
    """A templated number of a definition and the range its value must lie in."""

    value: int | float | str
    within: Within


def number_fields(definition: Definition) -> dict[str, NumberField]:
    """Every templated number by its path, e.g. ``streams.0.connections``."""
    return {path: NumberField(value, within) for path, value, within in _marked(definition, "", Within)}


def words(definition: Definition, variables: dict[str, LevelValue]) -> Iterator[tuple[str, str | ResolveError]]:
    """Every templated word by its path, with what it is in one arm, or what is wrong with it there."""
    for path, value, one_of in _marked(definition, "", OneOf):
        try:
            word = render_fragment(path, value, variables).text.strip()
        except ConfigTemplateError as error:
            yield path, ResolveError(path, error.message)
            continue
        if word in one_of.words:
            yield path, word
        else:
            message = say("is {word}, not {words}", word=f"{word!r:.60}", words=listed(one_of.words, " or "))
            yield path, ResolveError(path, message)


def _marked(part: BaseModel, prefix: str, kind: type[Mark]) -> Iterator[tuple[str, Any, Mark]]:
    """The fields that are declared with such a mark and have a value: path, value and mark."""
    for name, info in type(part).model_fields.items():
        value, path = getattr(part, name), f"{prefix}{name}"
        mark = next((entry for entry in info.metadata if isinstance(entry, kind)), None)
        if mark is not None:
            if value is not None:
                yield path, value, mark
        elif isinstance(value, DefinitionModel):
            yield from _marked(value, f"{path}.", kind)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, DefinitionModel):
                    yield from _marked(item, f"{path}.{i}.", kind)


def number(path: str, field: NumberField, variables: dict[str, LevelValue]) -> int | float:
    """A templated number in one arm. Raises ResolveError with the arm's value in the message."""
    text: str | int | float = field.value
    if isinstance(field.value, str):
        try:
            text = render_fragment(path, field.value, variables).text.strip()
        except ConfigTemplateError as error:
            raise ResolveError(path, error.message) from error
    within = field.within
    try:
        result = int(text) if within.whole else float(text)
    except (ValueError, OverflowError):
        gives = "{source} gives {text}, not a whole number" if within.whole else "{source} gives {text}, not a number"
        message = say(gives, source=repr(field.value), text=f"{text!r:.60}")
        raise ResolveError(path, message) from None
    if not within.minimum <= result <= within.maximum:
        message = say(
            "is {value:g}, not between {least:g} and {most:g}", value=result, least=within.minimum, most=within.maximum
        )
        raise ResolveError(path, message)
    return result


def certificate_key(nginx: NginxTemplate, variables: dict[str, LevelValue]) -> CertificateKey:
    """The key of an arm's certificate. Raises ResolveError with the arm's value in the message."""
    path = "nginx.certificate_key"
    try:
        text = render_fragment(path, nginx.certificate_key, variables).text.strip()
    except ConfigTemplateError as error:
        raise ResolveError(path, error.message) from error
    found = next((key for key in get_args(CertificateKey) if key == text), None)
    if found is None:
        names = ", ".join(get_args(CertificateKey))
        raise ResolveError(path, say("is {text}, none of {names}", text=f"{text!r:.60}", names=names))
    key: CertificateKey = found
    return key


def resolve(definition: Definition, arm: ArmDefinition) -> ResolvedArm:
    """Raises ResolveError naming the field that cannot be resolved."""
    variables = definition.variables(arm)
    numbers: Numbers = {path: number(path, field, variables) for path, field in number_fields(definition).items()}
    values: Values = {**numbers}
    for path, word in words(definition, variables):
        if isinstance(word, ResolveError):
            raise word
        values[path] = word
    nginx = NginxTemplate.model_validate(_filled(definition.nginx, "nginx.", numbers))
    return ResolvedArm(
        arm=arm,
        variables=variables,
        nginx=nginx,
        upstream_servers=[
            UpstreamServer.model_validate(_filled(upstream, f"upstream_servers.{i}.", numbers))
            for i, upstream in enumerate(definition.upstream_servers)
        ],
        streams=[_stream(stream, f"streams.{i}.", values) for i, stream in enumerate(definition.streams)],
        perturbations=[
            PerturbationSpec.model_validate(_without(_filled(one, f"perturbations.{i}.", numbers), "slot"))
            for i, one in enumerate(definition.perturbations)
        ],
        workers=int(numbers["nginx.workers"]),
        worker_connections=int(numbers["nginx.worker_connections"]),
        certificate_key=certificate_key(definition.nginx, variables),
    )


def _stream(stream: Stream, prefix: str, resolved: Values) -> StreamSpec:
    values = _without(_filled(stream, prefix, resolved), "slot")
    if values["protocol"] == "http/1.1":
        del values["requests_at_once"]  # said of the other version
    values["protocol_varies"] = stream.protocol not in HTTP_VERSIONS
    for name, section in stream.engine_sections.items():
        values[name] = section.as_spec(values[name])
    if stream.curve is not None:
        values["connections"] = max(values["connections"], *stream.curve.connections, 0)
    try:
        return StreamSpec.model_validate(values)
    except ValidationError:
        for path, message in _wrong(stream, prefix, resolved):
            raise ResolveError(path, message) from None
        raise


def _wrong(stream: Stream, prefix: str, resolved: Values) -> Iterator[tuple[str, Sentence]]:
    """What is wrong with the sections of its engine, such as a curve without points: the field, and a message."""
    for name, section in stream.engine_sections.items():
        own = f"{prefix}{name}."
        numbers = {
            path.removeprefix(own): value
            for path, value in resolved.items()
            if path.startswith(own) and not isinstance(value, str)
        }
        for inner, message in chain(section.problems(), section.problems_in_arm(numbers)):
            yield f"{own}{inner}", message


def _filled(part: BaseModel, prefix: str, values: Mapping[str, int | float | str]) -> dict[str, Any]:
    """A section as plain values, with this arm's values in the place of expressions."""
    return {name: _value(getattr(part, name), f"{prefix}{name}", values) for name in type(part).model_fields}


def _value(value: Any, path: str, values: Mapping[str, int | float | str]) -> Any:
    if path in values:
        return values[path]
    if isinstance(value, DefinitionModel):
        return _filled(value, f"{path}.", values)
    if isinstance(value, list):
        return [_value(item, f"{path}.{i}", values) for i, item in enumerate(value)]
    return value


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}
