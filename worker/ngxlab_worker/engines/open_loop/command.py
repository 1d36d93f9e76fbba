"""What the program ``ngxlab-openloop`` is told (``worker/native/openloop.c``)."""

from pathlib import Path

from ngxlab_contracts.streams import OpenLoopSpec, StreamSpec

from ngxlab_worker.engines.base import Target, stream_invalid

PROGRAM = "ngxlab-openloop"


def options(spec: StreamSpec, target: Target, request: Path) -> list[str]:
    """``request``: the file with the request's bytes. Raises ``GeneratorError`` where ``spec`` contradicts itself."""
    return [*connection_options(spec, target, request), *schedule_options(_plan(spec))]


def connection_options(spec: StreamSpec, target: Target, request: Path) -> list[str]:
    """Where to, with what, over how many connections."""
    if spec.connections < spec.threads:
        raise stream_invalid(spec, f"{spec.connections} connections are fewer than {spec.threads} processes")
    if spec.body is not None and spec.body_bytes is not None:
        raise stream_invalid(spec, "body and body_bytes exclude each other")
    if spec.script is not None or spec.paths is not None:
        raise stream_invalid(spec, "scripts and many paths are for wrk only")
    words = ["--address", target.address]
    for port in target.ports:
        words += ["--port", str(port)]
    words += ["--connections", str(spec.connections), "--timeout", str(spec.timeout_s), "--request", str(request)]
    flags = {"--head": spec.method == "HEAD", "--close": not spec.keep_alive, "--tls": spec.tls}
    return [*words, *(flag for flag, wanted in flags.items() if wanted)]


def schedule_options(plan: OpenLoopSpec) -> list[str]:
    """When."""
    words = []
    for step in plan.steps:
        to_per_s = step.per_s if step.to_per_s is None else step.to_per_s
        words += ["--step", f"{step.per_s!r}:{to_per_s!r}:{step.duration_s!r}"]
    if plan.arrivals == "poisson":
        words += ["--poisson", "--seed", str(plan.seed)]
    return words


def _plan(spec: StreamSpec) -> OpenLoopSpec:
    if spec.open_loop is None:
        raise stream_invalid(spec, "no rates are given")
    return spec.open_loop
