"""A stream in open loop, driven by a program of ours with one process for each core."""

import resource
from pathlib import Path

from ngxlab_contracts.streams import OpenLoopSpec, StreamSpec
from ngxlab_contracts.telemetry import Quantity

from ngxlab_worker.engines.base import (
    EngineInventory,
    GeneratorContext,
    GeneratorError,
    NoteSink,
    Target,
    stream_invalid,
)
from ngxlab_worker.engines.native import NativeGenerator, ProgramShape, start
from ngxlab_worker.engines.native.generator import work_folder
from ngxlab_worker.engines.native.program import native_inventory, native_programs
from ngxlab_worker.engines.native.request import request_bytes, served_option

OWN_DESCRIPTORS = 64
QUANTITIES: tuple[Quantity, ...] = ("latency", "rejected", "service", "schedule")
"""The program's histograms, in the page's order."""

READY_TIMEOUT_S = 10.0
SLOWEST_CONNECTS_PER_S = 1000.0


class OpenLoopEngine:
    """Makes generators of ``ngxlab-openloop``."""

    def inventory(self) -> EngineInventory:
        return native_inventory(PROGRAM, runs_check=True)

    def programs(self) -> list[str]:
        return native_programs(PROGRAM)

    def prepare(self, spec: StreamSpec, context: GeneratorContext, note: NoteSink) -> NativeGenerator:
        """Start the processes and, with keep-alive, open all connections; send nothing. Raises ``GeneratorError``."""
        _require_descriptors(spec)
        request = work_folder(context) / "request"
        words = options(spec, context.target, request)
        _write(request, request_bytes(spec, context.target))
        timeout_s = READY_TIMEOUT_S + (spec.connections / SLOWEST_CONNECTS_PER_S if spec.keep_alive else 0)
        generator = start(
            PROGRAM, words, spec, context, ProgramShape(spec.threads, QUANTITIES, timeout_s, intended=True)
        )
        if spec.keep_alive and (opened := generator.page.counters()["connections"]) < spec.connections:
            message = f"stream {spec.key}: {opened} of {spec.connections} connections opened"
            note("warning", "connections-short", message)
        return generator


def _require_descriptors(spec: StreamSpec) -> None:
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = -(-spec.connections // spec.threads) + OWN_DESCRIPTORS
    if wanted > files:
        raise GeneratorError(
            "fd-limit",
            f"stream {spec.key}: each of {spec.threads} processes needs {wanted} file descriptors and may have {files}:"
            " raise threads, or LimitNOFILE of the agent's service",
        )


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o644)  # whatever the umask: another user reads it


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
