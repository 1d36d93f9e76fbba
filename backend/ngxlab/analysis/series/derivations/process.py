"""Processes of the trial: nginx's workers, generators, upstream servers, the agent."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Labels, Line, Step, Value, at_least_zero, total

_WORKER = "nginx-worker"
_THREAD_STATES = ("R", "S", "D", "other")


@series("worker_cpu_share", "ngxlab_process_run_seconds_total")
def worker_cpu(step: Step) -> Iterator[Line]:
    for worker, value in _worker_rates(step, "ngxlab_process_run_seconds_total"):
        yield Line("worker_cpu_share", worker, 100 * value)


@series("run_delay_ms_per_s", "ngxlab_process_run_delay_seconds_total")
def worker_run_delay(step: Step) -> Iterator[Line]:
    for worker, value in _worker_rates(step, "ngxlab_process_run_delay_seconds_total"):
        yield Line("run_delay_ms_per_s", worker, 1000 * value)


@series("worker_memory_bytes", "ngxlab_process_resident_memory_bytes")
def worker_memory(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_process_resident_memory_bytes", role=_WORKER):
        yield Line("worker_memory_bytes", worker_name(labels), value)


@series("worker_connections", "ngxlab_process_open_fds")
def worker_connections(step: Step) -> Iterator[Line]:
    """Descriptors beyond those before the load; NaN without a reading before the load."""
    for labels, value in step.gauges("ngxlab_process_open_fds", role=_WORKER):
        before = step.memory.before_load(labels["index"], value, step.t_us)
        yield Line("worker_connections", worker_name(labels), at_least_zero(value - before))


@series("worker_threads", "ngxlab_process_threads")
def worker_threads(step: Step) -> Iterator[Line]:
    for state in _THREAD_STATES:
        values = [value for _, value in step.gauges("ngxlab_process_threads", role=_WORKER, state=state)]
        if values:
            yield Line("worker_threads", state, total(values))


@series("generator_cpu_share", "ngxlab_process_run_seconds_total")
def generator_cpu(step: Step) -> Iterator[Line]:
    streams: dict[str, list[Value]] = {}
    for labels, rate in step.rates("ngxlab_process_run_seconds_total", role="generator"):
        streams.setdefault(labels.get("stream", "generator"), []).append(rate)
    for stream, rates in streams.items():
        yield Line("generator_cpu_share", stream, 100 * total(rates))


@series("upstream_cpu_share", "ngxlab_process_run_seconds_total")
def upstream_cpu(step: Step) -> Iterator[Line]:
    rates = [rate for _, rate in step.rates("ngxlab_process_run_seconds_total", role="upstream")]
    if rates:
        yield Line("upstream_cpu_share", "upstream servers", 100 * total(rates))


@series("agent_cpu_share", "ngxlab_process_run_seconds_total")
def agent_cpu(step: Step) -> Iterator[Line]:
    rates = [rate for _, rate in step.rates("ngxlab_process_run_seconds_total", role="agent")]
    if rates:
        yield Line("agent_cpu_share", "agent", 100 * total(rates))


def worker_name(labels: Labels) -> str:
    """``worker 1`` to ``worker n``; the label counts from zero."""
    return f"worker {int(labels['index']) + 1}"


def _worker_rates(step: Step, name: str) -> Iterator[tuple[str, Value]]:
    for labels, rate in step.rates(name, role=_WORKER):
        yield worker_name(labels), rate
