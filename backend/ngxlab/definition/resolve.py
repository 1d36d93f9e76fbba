"""One arm with numbers: expressions evaluated, and streams and perturbations as the hosts will receive them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from ngxlab_contracts.perturbations import PerturbationSpec
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import CertificateKey
from pydantic import BaseModel

from ngxlab.definition.fragments import ConfigTemplateError, DefinitionError, render_fragment
from ngxlab.definition.schema.base import Within
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer

Numbers = dict[str, int | float]
"""The values of an arm by their paths in the definition, e.g. ``streams.0.connections``."""


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
    return dict(_numbers_in(definition, ""))


def _numbers_in(part: BaseModel, prefix: str) -> Iterator[tuple[str, NumberField]]:
    for name, info in type(part).model_fields.items():
        value, path = getattr(part, name), f"{prefix}{name}"
        within = next((entry for entry in info.metadata if isinstance(entry, Within)), None)
        if within is not None:
            if value is not None:
                yield path, NumberField(value, within)
        elif isinstance(value, BaseModel):
            yield from _numbers_in(value, f"{path}.")
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, BaseModel):
                    yield from _numbers_in(item, f"{path}.{i}.")


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
        kind = "whole number" if within.whole else "number"
        raise ResolveError(path, f"{field.value!r} gives {text!r:.60}, not a {kind}") from None
    if not within.minimum <= result <= within.maximum:
        raise ResolveError(path, f"is {result:g}, not between {within.minimum:g} and {within.maximum:g}")
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
        raise ResolveError(path, f"is {text!r:.60}, none of {', '.join(get_args(CertificateKey))}")
    key: CertificateKey = found
    return key


def resolve(definition: Definition, arm: ArmDefinition) -> ResolvedArm:
    """Raises ResolveError naming the field that cannot be resolved."""
    variables = definition.variables(arm)
    numbers = {path: number(path, field, variables) for path, field in number_fields(definition).items()}
    nginx = NginxTemplate.model_validate(_filled(definition.nginx, "nginx.", numbers))
    return ResolvedArm(
        arm=arm,
        variables=variables,
        nginx=nginx,
        upstream_servers=[
            UpstreamServer.model_validate(_filled(upstream, f"upstream_servers.{i}.", numbers))
            for i, upstream in enumerate(definition.upstream_servers)
        ],
        streams=[_stream(stream, f"streams.{i}.", numbers) for i, stream in enumerate(definition.streams)],
        perturbations=[
            PerturbationSpec.model_validate(_without(_filled(one, f"perturbations.{i}.", numbers), "slot"))
            for i, one in enumerate(definition.perturbations)
        ],
        workers=int(numbers["nginx.workers"]),
        worker_connections=int(numbers["nginx.worker_connections"]),
        certificate_key=certificate_key(definition.nginx, variables),
    )


def _stream(stream: Stream, prefix: str, numbers: Numbers) -> StreamSpec:
    values = _without(_filled(stream, prefix, numbers), "slot")
    for name, section in stream.engine_sections.items():
        values[name] = section.as_spec(values[name])
    return StreamSpec.model_validate(values)


def _filled(part: BaseModel, prefix: str, numbers: Numbers) -> dict[str, Any]:
    """A section as plain values, with this arm's numbers in the place of expressions."""
    return {name: _value(getattr(part, name), f"{prefix}{name}", numbers) for name in type(part).model_fields}


def _value(value: Any, path: str, numbers: Numbers) -> Any:
    if path in numbers:
        return numbers[path]
    if isinstance(value, BaseModel):
        return _filled(value, f"{path}.", numbers)
    if isinstance(value, list):
        return [_value(item, f"{path}.{i}", numbers) for i, item in enumerate(value)]
    return value


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}
