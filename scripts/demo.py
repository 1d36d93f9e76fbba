"""``make demo``: starts the stack and runs a real, short experiment down to its verdict."""

import sys
import textwrap
import time
from typing import Any

from scripts.api import Api
from scripts.console import Failure, main_guard, say
from scripts.stack import backend, commands, settings
from scripts.stack.settings import Settings

POLL_S = 0.5
PATIENCE_S = 600
PARAMETERS = {"blocks": 3, "warmup_s": 1, "measure_s": 3, "cooldown_s": 0.5}
WIDTH = 110
HEADINGS = {
    "requests_per_s": "requests/s",
    "latency_p50_us": "p50 ms",
    "latency_p99_us": "p99 ms",
    "latency_stdev_us": "stdev ms",
    "worker_cpu_cv": "CPU CV",
}


def main() -> int:
    """Exit code 0 only if the run completed and its report has a verdict."""
    loaded = settings.load()
    started = commands.bring_up(loaded)
    token = backend.tool_token(loaded, started.environment, "demo")
    api = Api(loaded.url, token)
    run_id = _start(api, loaded)
    try:
        run = _watch(api, run_id)
    except KeyboardInterrupt:
        api.post(f"/runs/{run_id}/cancel", {})
        raise
    if run["state"] != "completed":
        raise Failure(f"the run ended as {run['state']}: {run['state_reason']}", "make logs")
    _show(api.get(f"/runs/{run_id}/report"))
    share = api.post(f"/runs/{run_id}/shares", {})
    say(f"\nThe report, for anyone with this link:  {share['url']}")
    say(f"The product:                            {commands.public_url(loaded)}")
    say(f"Sign in as:                             {_account(loaded, started.first_password)}")
    say("Stop with: make down   (data stay)")
    return 0


def _start(api: Api, loaded: Settings) -> str:
    host = backend.own_host(loaded)
    if host is None:
        raise Failure("this machine is not among the hosts", "make up enrols it")
    experiment = api.post(
        "/experiments", {"name": "Demonstration: reuseport", "template_key": "reuseport", "parameters": PARAMETERS}
    )
    run = api.post(f"/experiments/{experiment['id']}/runs", {"host_id": host["id"]})
    plan = run["plan"]
    say(f"\nExperiment: {run['question']}")
    say(f"{len(run['arms'])} arms x {plan['blocks']} blocks in random order (seed {run['seed']}), on {host['name']}\n")
    return str(run["id"])


def _watch(api: Api, run_id: str) -> dict[str, Any]:
    """Follow the run to its end: one line that changes on a terminal, else a line for each change."""
    deadline = time.monotonic() + PATIENCE_S
    live = sys.stdout.isatty()
    shown = ""
    while time.monotonic() < deadline:
        run: dict[str, Any] = api.get(f"/runs/{run_id}")
        line = _progress_line(run, phases=live)
        if line != shown:
            print(f"\r\033[K{line}" if live else line, end="" if live else "\n", flush=True)
            shown = line
        if run["state"] in {"completed", "failed", "cancelled"}:
            if live:
                print(flush=True)
            return run
        time.sleep(POLL_S)
    raise Failure(f"the run is not over after {PATIENCE_S} s: {shown}", "make status and make logs tell why")


def _progress_line(run: dict[str, Any], *, phases: bool) -> str:
    progress = run["progress"]
    done = f"{progress['trials_done']}/{progress['trials_total']} trials"
    if progress["arm"] is None:
        return f"{run['state']:<9} {done}  {progress['waiting_for'] or ''}".rstrip()
    labels = {arm["key"]: arm["label"] for arm in run["arms"]}
    phase = f": {progress['phase']}" if phases else ""
    return f"{run['state']:<9} {done}  block {progress['block']}, {labels[progress['arm']]}{phase}"


def _show(report: dict[str, Any]) -> None:
    """The verdict in words, then a line of means for each arm and a line against the baseline below it."""
    analysis = report["analysis"]
    say("\nVerdict")
    for paragraph in [analysis["headline"], *report["findings"]["conclusion"]]:
        say(textwrap.fill(paragraph, WIDTH, initial_indent="  ", subsequent_indent="  "))
    say("\n" + _row("", [HEADINGS[key] for key in HEADINGS]))
    for arm in analysis["arms"]:
        metrics = {metric["metric"]: metric for metric in arm["metrics"]}
        say(_row(arm["label"], [_mean(metrics[key]) for key in HEADINGS]))
        if not arm["is_baseline"]:
            say(_row("  against baseline", [_interval(metrics[key]) for key in HEADINGS]))
    say("Against the baseline: 95 % confidence interval of the ratio (CV: of the difference).")


def _row(name: str, cells: list[str]) -> str:
    return f"{name:<19}" + "".join(f"{cell:>18}" for cell in cells)


def _mean(metric: dict[str, Any]) -> str:
    key, mean = metric["metric"], metric["mean"]
    if mean is None:
        return "-"
    if key.endswith("_us"):
        return f"{mean / 1000:.2f}"
    return f"{mean:.2f}" if key.endswith("_cv") else f"{mean:,.0f}"


def _interval(metric: dict[str, Any]) -> str:
    comparison = metric["comparison"]
    return "-" if comparison is None or comparison["ci_text"] is None else str(comparison["ci_text"])


def _account(loaded: Settings, first_password: str | None) -> str:
    if first_password is not None:
        return f"{loaded.administrator}   password: {first_password}"
    return f"{loaded.administrator}   (password shown at the first start; lost? make admin EMAIL=you@example.org)"


if __name__ == "__main__":
    sys.exit(main_guard(main))
