"""One arm in numbers: templated values evaluated, configurations written, streams as the hosts will get them."""

from dataclasses import dataclass

from ngxlab_contracts.trials import StreamSpec

from ngxlab.experiments.definition import ArmDefinition, Definition, LevelValue, Stream, Templated
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


def number(field: str, value: Templated, variables: dict[str, LevelValue], minimum: int, maximum: int) -> int:
    """A templated number in one arm. Raises ResolveError with the arm's own value in the message."""
    text: str | int = value
    if isinstance(value, str):
        try:
            text = render_fragment(field, value, variables).text
        except ConfigTemplateError as error:
            raise ResolveError(field, error.message) from error
    try:
        result = int(text)
    except ValueError:
        raise ResolveError(field, f"{value!r} gives {text!r}, not a whole number") from None
    if not minimum <= result <= maximum:
        raise ResolveError(field, f"is {result}, not between {minimum} and {maximum}")
    return result


def resolve(definition: Definition, arm: ArmDefinition) -> ResolvedArm:
    """Raises ResolveError naming the field that cannot be resolved."""
    variables = definition.variables(arm)
    return ResolvedArm(
        arm=arm,
        variables=variables,
        workers=number("nginx.workers", definition.nginx.workers, variables, 1, 256),
        worker_connections=number(
            "nginx.worker_connections", definition.nginx.worker_connections, variables, 16, 1_000_000
        ),
        streams=[_stream(f"streams.{i}", stream, variables) for i, stream in enumerate(definition.streams)],
    )


def _stream(field: str, stream: Stream, variables: dict[str, LevelValue]) -> StreamSpec:
    return StreamSpec(
        **stream.model_dump(exclude={"slot", "threads", "connections"}),
        threads=number(f"{field}.threads", stream.threads, variables, 1, 256),
        connections=number(f"{field}.connections", stream.connections, variables, 1, 1_000_000),
    )
