"""The command line of the program ``ngxlab-openloop`` (``worker/native/openloop.c``)."""

from pathlib import Path

from ngxlab_contracts.streams import OpenLoopSpec, StreamSpec

from ngxlab_worker.engines.base import Target, stream_invalid
from ngxlab_worker.engines.native.request import served_option

PROGRAM = "ngxlab-openloop"


def options(spec: StreamSpec, target: Target, request: Path) -> list[str]:
    """All options. ``request``: a file with the request's bytes. Raises ``GeneratorError`` for an invalid ``spec``."""
    return [*connection_options(spec, target, request), *schedule_options(_plan(spec))]


def connection_options(spec: StreamSpec, target: Target, request: Path) -> list[str]:
    """The target, the request and the connections."""
    if spec.connections < spec.threads:
        raise stream_invalid(spec, f"{spec.connections} connections are fewer than {spec.threads} processes")
    if spec.body is not None and spec.body_bytes is not None:
        raise stream_invalid(spec, "set either body or body_bytes, not both")
    if spec.script is not None or spec.paths is not None:
        raise stream_invalid(spec, "engine open-loop supports neither script nor paths")
    words = ["--address", target.address, *served_option(spec)]
    for port in target.ports:
        words += ["--port", str(port)]
    words += ["--connections", str(spec.connections), "--timeout", str(spec.timeout_s), "--request", str(request)]
    flags = {"--head": spec.method == "HEAD", "--close": not spec.keep_alive, "--tls": spec.tls}
    return [*words, *(flag for flag, wanted in flags.items() if wanted)]


def schedule_options(plan: OpenLoopSpec) -> list[str]:
    """The schedule of requests."""
    words = []
    for step in plan.steps:
        to_per_s = step.per_s if step.to_per_s is None else step.to_per_s
        words += ["--step", f"{step.per_s!r}:{to_per_s!r}:{step.duration_s!r}"]
    if plan.arrivals == "poisson":
        words += ["--poisson", "--seed", str(plan.seed)]
    return words


def _plan(spec: StreamSpec) -> OpenLoopSpec:
    if spec.open_loop is None:
        raise stream_invalid(spec, "open_loop is missing: it sets the rates")
    return spec.open_loop
