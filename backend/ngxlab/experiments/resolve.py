"""One arm in numbers: templated values evaluated, configurations written, streams as the hosts will get them."""

from dataclasses import dataclass

from ngxlab_contracts.trials import StreamSpec

from ngxlab.experiments.definition import ArmDefinition, Definition, LevelValue, Templated
from ngxlab.experiments.fragments import ConfigTemplateError, DefinitionError, render_fragment


class ResolveError(DefinitionError):
    """A templated value has no sense in an arm. ``field`` is its path, e.g. ``streams.0.connections``."""


@dataclass(frozen=True)
class ResolvedArm:
    """``streams`` are without CPU lists and TLS, which only a run's placement decides."""

    arm: ArmDefinition
    variables: dict[str, LevelValue]
    workers: int
    worker_connections: int
    streams: list[StreamSpec]


@dataclass(frozen=True)
class NumberField:
    """A templated number of a definition and the range its value must lie in."""

    value: Templated
    minimum: int
    maximum: int


def number_fields(definition: Definition) -> dict[str, NumberField]:
    """Every templated number by its path, e.g. ``streams.0.connections``."""
    nginx = definition.nginx
    fields = {
        "nginx.workers": NumberField(nginx.workers, 1, 256),
        "nginx.worker_connections": NumberField(nginx.worker_connections, 16, 1_000_000),
    }
    for i, stream in enumerate(definition.streams):
        fields[f"streams.{i}.threads"] = NumberField(stream.threads, 1, 256)
        fields[f"streams.{i}.connections"] = NumberField(stream.connections, 1, 1_000_000)
    return fields


def number(path: str, field: NumberField, variables: dict[str, LevelValue]) -> int:
    """A templated number in one arm. Raises ResolveError with the arm's own value in the message."""
    text: str | int = field.value
    if isinstance(field.value, str):
        try:
            text = render_fragment(path, field.value, variables).text.strip()
        except ConfigTemplateError as error:
            raise ResolveError(path, error.message) from error
    try:
        result = int(text)
    except ValueError:
        raise ResolveError(path, f"{field.value!r} gives {text!r:.60}, not a whole number") from None
    if not field.minimum <= result <= field.maximum:
        raise ResolveError(path, f"is {result}, not between {field.minimum} and {field.maximum}")
    return result


def resolve(definition: Definition, arm: ArmDefinition) -> ResolvedArm:
    """Raises ResolveError naming the field that cannot be resolved."""
    variables = definition.variables(arm)
    numbers = {path: number(path, field, variables) for path, field in number_fields(definition).items()}
    return ResolvedArm(
        arm=arm,
        variables=variables,
        workers=numbers["nginx.workers"],
        worker_connections=numbers["nginx.worker_connections"],
        streams=[
            StreamSpec(
                **stream.model_dump(exclude={"slot", "threads", "connections"}),
                threads=numbers[f"streams.{i}.threads"],
                connections=numbers[f"streams.{i}.connections"],
            )
            for i, stream in enumerate(definition.streams)
        ],
    )
