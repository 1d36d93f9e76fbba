"""One arm in numbers: templated values evaluated, configurations written, streams as the hosts will get them."""

from dataclasses import dataclass

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from ngxlab_contracts.trials import StreamSpec

from ngxlab.experiments.definition import ArmDefinition, Definition, LevelValue, Stream, Templated

_environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)


class ResolveError(ValueError):
    """A templated value has no sense in an arm. ``field`` is its path, e.g. ``streams.0.connections``."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


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
    text = value
    if isinstance(value, str):
        try:
            text = _environment.from_string(value).render(variables).strip()
        except (TemplateError, TypeError, ZeroDivisionError) as error:
            raise ResolveError(field, str(error)) from error
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
