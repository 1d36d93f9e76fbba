"""Processes of the trial: nginx's workers, generators, upstream servers, the agent."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.step import Labels, Line, Step, scaled
from ngxlab.analysis.summary.totals import total

_WORKER = "nginx-worker"
_THREAD_STATES = ("R", "S", "D", "other")


def worker_cpu(step: Step) -> Iterator[Line]:
    for worker, value in _worker_rates(step, "ngxlab_process_run_seconds_total"):
        yield Line("worker_cpu_share", worker, scaled(value, 100))


def worker_run_delay(step: Step) -> Iterator[Line]:
    for worker, value in _worker_rates(step, "ngxlab_process_run_delay_seconds_total"):
        yield Line("run_delay_ms_per_s", worker, scaled(value, 1000))


def worker_memory(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_process_resident_memory_bytes", role=_WORKER):
        yield Line("worker_memory_bytes", worker_name(labels), value)


def worker_connections(step: Step) -> Iterator[Line]:
    """Descriptors beyond those before the load; ``None`` without a reading before the load."""
    before = step.memory.descriptors_before_load
    began = step.memory.load_began_us
    for labels, value in step.gauges("ngxlab_process_open_fds", role=_WORKER):
        index = labels["index"]
        if value is not None and (began is None or step.current.t_us < began):
            before[index] = value
        extra = max(0.0, value - before[index]) if value is not None and index in before else None
        yield Line("worker_connections", worker_name(labels), extra)


def worker_threads(step: Step) -> Iterator[Line]:
    for state in _THREAD_STATES:
        values = [value for _, value in step.gauges("ngxlab_process_threads", role=_WORKER, state=state)]
        if values:
            yield Line("worker_threads", state, total(values))


def generator_cpu(step: Step) -> Iterator[Line]:
    streams: dict[str, list[float | None]] = {}
    for labels, rate in step.rates("ngxlab_process_run_seconds_total", role="generator"):
        streams.setdefault(labels.get("stream", "generator"), []).append(rate)
    for stream, rates in streams.items():
        yield Line("generator_cpu_share", stream, scaled(total(rates), 100))


def upstream_cpu(step: Step) -> Iterator[Line]:
    rates = [rate for _, rate in step.rates("ngxlab_process_run_seconds_total", role="upstream")]
    if rates:
        yield Line("upstream_cpu_share", "upstream servers", scaled(total(rates), 100))


def agent_cpu(step: Step) -> Iterator[Line]:
    rates = [rate for _, rate in step.rates("ngxlab_process_run_seconds_total", role="agent")]
    if rates:
        yield Line("agent_cpu_share", "agent", scaled(total(rates), 100))


def worker_name(labels: Labels) -> str:
    """``worker 1`` to ``worker n``; the label counts from zero."""
    return f"worker {int(labels['index']) + 1}"


def _worker_rates(step: Step, name: str) -> Iterator[tuple[str, float | None]]:
    for labels, rate in step.rates(name, role=_WORKER):
        yield worker_name(labels), rate
