"""Checks of the load generators: their CPU, their errors, and what their latencies mean."""

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import listed, say

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.perturbations import is_pressed
from ngxlab.analysis.records import Window
from ngxlab.analysis.schemas import ErrorSummary
from ngxlab.analysis.summary.bottleneck.cpu import OTHERS, cpu_users

_MAX_CORES = 0.90
_MAX_ERROR_PERCENT = 0.1
_ADD_THREADS = "give the stream more threads, or a generator host of its own"
_MAX_WAITED = 0.05
_MAX_OTHERS_PERCENT = 5
_ASLEEP_CORES = 0.001
"""A thread that runs no more than this only waits, for instance for the others' end."""
_OWN_CORES = "give the generator cores of its own: its delay is part of what was measured"
_STOP_OTHERS = "stop other work on this host: the generator's delay is part of what was measured"
_RAISE_TIMEOUT = "raise the stream's timeout, or lower the load"
_READ_LOG = (
    "read nginx's error log among the artefacts; if the status is meant to come, name it in the stream's "
    "rejected_statuses or served_statuses"
)
_USE_CONSTANT_RATE = "to measure the latency that users would see, use the open-loop engine at a constant rate"
_CLOSED_LOOPS = ", ".join(engine.key for engine in ENGINES.values() if engine.loop != "open")


def _saturated(context: TrialContext) -> Finding:
    """Each stream's threads over the stream's own time within the window."""
    host = context.host
    if host.window is None:
        return unavailable("the trial has no measured window")
    active = {stream.key: window for stream in host.spec.streams if (window := host.active_window(stream))}
    if not active:
        return passed("no stream of this host runs within the window")
    used = [
        (increase.per_second, stream)
        for stream, window in active.items()
        for series in host.series.find("ngxlab_thread_run_seconds_total", role="generator", stream=stream)
        if (increase := series.increase(window)) is not None
    ]
    if len({stream for _, stream in used}) < len(active):
        return unavailable("the CPU time of the generator's threads was not read (/proc/PID/task/*/schedstat)")
    busiest, stream = max(used)
    whose = say(" (stream {stream})", stream=stream) if len(context.all_streams) > 1 else ""
    seen = say(
        "the busiest of {threads} generator threads used {busiest:.0f} % of a core{whose}",
        threads=len(used),
        busiest=100 * busiest,
        whose=whose,
    )
    if busiest > _MAX_CORES:
        return Finding("error", seen, _ADD_THREADS)
    return _held_up(context, active) or passed(seen)


def _held_up(context: TrialContext, active: dict[str, Window]) -> Finding | None:
    """Whether the threads of a stream, which are ready to run, wait for a CPU that something else uses: time in which
    they can neither send nor notice a response. Threads that sleep all the time, such as wrk's first, do not count.

    What the trial's own processes take from one another is theirs to share (check ``shared-cores``), unless it leaves
    the generator no time; what others take is always missing."""
    others = cpu_users(context.record, context.host).get(OTHERS, 0.0)
    disturbed = others > _MAX_OTHERS_PERCENT
    for stream in context.host.spec.streams:
        window = active.get(stream.key)
        threads = _working_threads(context, window, stream.key) if window is not None else 0
        if window is None or not threads:
            continue
        waited = _of_stream(context, window, "ngxlab_process_run_delay_seconds_total", stream.key) / threads
        ran = _of_stream(context, window, "ngxlab_process_run_seconds_total", stream.key) / threads
        if waited > _MAX_WAITED and (disturbed or ran + waited > _MAX_CORES):
            seen = say(
                "the generator's threads of stream {stream} ran {ran:.0f} % of the time and waited for a "
                "CPU for {waited:.0f} % of it",
                stream=stream.key,
                ran=100 * ran,
                waited=100 * waited,
            )
            return _disturbed(context, seen, others) if disturbed else Finding("warning", seen, _OWN_CORES)
    return None


def _disturbed(context: TrialContext, seen: str, others: float) -> Finding:
    planned = is_pressed(context)
    whose = say(
        "processes outside the trial, the planned pressure among them," if planned else "processes outside the trial"
    )
    message = say("{seen}, while {whose} used {others:.0f} % of all CPUs", seen=seen, whose=whose, others=others)
    return Finding("warning", message, _OWN_CORES if planned else _STOP_OTHERS)


def _working_threads(context: TrialContext, window: Window, stream: str) -> int:
    series = context.host.series.find("ngxlab_thread_run_seconds_total", role="generator", stream=stream)
    increases = [increase for one in series if (increase := one.increase(window)) is not None]
    return sum(increase.per_second > _ASLEEP_CORES for increase in increases)


def _of_stream(context: TrialContext, window: Window, name: str, stream: str) -> float:
    return context.host.series.rate(window, name, role="generator", stream=stream) or 0.0


def _tried() -> Finding:
    return passed("does not apply: what fails is counted at each rate, and some go beyond what nginx can take")


def _timeouts(context: TrialContext) -> Finding:
    if context.own_streams and not context.steady_streams:
        return _tried()
    errors = _errors_of(context)
    if errors is None:
        return unavailable("a generator did not report its errors")
    count = sum(error.timeout for error in errors)
    if count:
        message = say(
            "{count} requests timed out; their latencies are missing, so the percentiles are too low", count=count
        )
        return Finding("error", message, _RAISE_TIMEOUT)
    return passed("no request timed out")


def _errors(context: TrialContext) -> Finding:
    if context.own_streams and not context.steady_streams:
        return _tried()
    errors = _errors_of(context)
    if errors is None:
        return unavailable("a generator did not report its errors")
    shares = [error.share_percent for error in errors if error.share_percent is not None]
    if not shares:
        return Finding("error", say("no request was answered"), _READ_LOG)
    socket_errors = sum(error.connect + error.read + error.write + error.timeout + error.garbage for error in errors)
    status = sum(error.status for error in errors)
    seen = say(
        "{socket_errors} socket errors and {status} responses with an unexpected status ({percent} %)",
        socket_errors=socket_errors,
        status=status,
        percent=figure(max(shares)),
    )
    return Finding("error", seen, _READ_LOG) if max(shares) > _MAX_ERROR_PERCENT else passed(seen)


def _coordinated_omission(context: TrialContext) -> Finding:
    closed = [stream.key for stream in context.all_streams if stream.loop != "open"]
    if not closed:
        return passed("every latency counts from the instant at which the request was due, so it includes stalls")
    whose = "" if len(closed) == len(context.all_streams) else say(" of {closed}", closed=listed(closed))
    message = say(
        "latencies{whose} are service times under a closed loop: while the server stalls, the generator sends less",
        whose=whose,
    )
    return Finding("info", message, _USE_CONSTANT_RATE)


def _errors_of(context: TrialContext) -> list[ErrorSummary] | None:
    """``None`` unless every generator of this host whose load is as planned reported its errors."""
    errors = [stream.errors for stream in context.steady_streams if stream.errors is not None]
    return errors if errors and len(errors) == len(context.steady_streams) else None


SATURATED = trial_check(
    "generator-saturated",
    every_host(_saturated, "generator"),
    _ADD_THREADS,
    _OWN_CORES,
    _STOP_OTHERS,
    max_cores_percent=100 * _MAX_CORES,
    max_waited_percent=100 * _MAX_WAITED,
    max_others_percent=_MAX_OTHERS_PERCENT,
)
TIMEOUTS = trial_check("timeouts", every_host(_timeouts, "generator"), _RAISE_TIMEOUT)
ERRORS = trial_check("errors", every_host(_errors, "generator"), _READ_LOG, max_error_percent=_MAX_ERROR_PERCENT)
COORDINATED_OMISSION = trial_check(
    "coordinated-omission", _coordinated_omission, _USE_CONSTANT_RATE, closed_loops=_CLOSED_LOOPS
)
