"""Whether measuring through the product slows the measured nginx down."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ngxlab_contracts.telemetry import WrkPrint
from ngxlab_worker.engines.wrk.report import parse_report
from ngxlab_worker.sandbox.identity import resolve_run_as

from scripts.bench.bare import BareTrial
from scripts.bench.lab import Lab
from scripts.bench.ratios import as_ratio, interval, no_more_than_noise, paired
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.stillness import product_stopped
from scripts.bench.viewer import follow

DEFINITION = (
    "Cycles of three trials: through the product (a viewer attached), bare, bare again; every second cycle in "
    "reverse order. Bare: a fresh nginx with the product's own kept nginx.conf, the same wrk command as the same "
    "user on the same CPUs, no sandbox, no sampling, and the product's processes stopped meanwhile. Both sides use "
    "what wrk itself prints, over warm-up and measured window. Ratio: geometric mean over the cycles, with Student's "
    "95 % interval; bare / bare is the machine's own noise."
)


class Size(NamedTuple):
    cycles: int
    warmup_s: int
    measure_s: int


FULL = Size(cycles=10, warmup_s=2, measure_s=8)
QUICK = Size(cycles=4, warmup_s=1, measure_s=2)


class Cycle(NamedTuple):
    product: WrkPrint
    bare: WrkPrint
    bare_again: WrkPrint


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Ratios of requests/s and of p99."""
    size = QUICK if quick else FULL
    experiment = await lab.one_arm_experiment(warmup_s=size.warmup_s, measure_s=size.measure_s)
    # Not counted: this trial warms the code up and provides what the bare ones need.
    bare = await _bare_trial(lab, await _watched_trial(lab, experiment))
    cycles = [await _cycle(lab, experiment, bare, reverse=number % 2 == 1) for number in range(size.cycles)]
    return [
        _compared(cycles, lambda printed: printed.requests_per_s, "requests/s", "fidelity", Budget("at least", 0.99)),
        _compared(cycles, _p99_us, "p99", "fidelity-p99", Budget("at most", 1.02)),
    ]


async def _cycle(lab: Lab, experiment: dict[str, Any], bare: BareTrial, *, reverse: bool) -> Cycle:
    if reverse:
        second, first = await _bare_twice(lab, bare)
        return Cycle(await _product(lab, experiment), first, second)
    product = await _product(lab, experiment)
    first, second = await _bare_twice(lab, bare)
    return Cycle(product, first, second)


async def _product(lab: Lab, experiment: dict[str, Any]) -> WrkPrint:
    trial_id = await _watched_trial(lab, experiment)
    stream = (await lab.spec(trial_id)).streams[0].key
    printed = parse_report((await lab.artefacts(trial_id))[f"{stream}.txt"])
    if printed is None:
        raise NotMeasuredError("a trial kept no report of wrk")
    return printed


async def _watched_trial(lab: Lab, experiment: dict[str, Any]) -> str:
    """Run one trial with a viewer attached; its id."""
    run = await follow(lab, await lab.start_run(experiment))
    return str(run["trials"][-1]["id"])


async def _bare_twice(lab: Lab, trial: BareTrial) -> tuple[WrkPrint, WrkPrint]:
    def both() -> tuple[WrkPrint, WrkPrint]:
        with product_stopped(lab):
            return trial.run(), trial.run()

    return await asyncio.to_thread(both)


async def _bare_trial(lab: Lab, trial_id: str) -> BareTrial:
    """``trial_id`` without the product."""
    spec = await lab.spec(trial_id)
    if spec.nginx is None:
        raise NotMeasuredError("this machine was not the trial's target")
    return BareTrial(
        nginx=spec.nginx,
        config=(await lab.artefacts(trial_id))["nginx.conf"],
        stream=spec.streams[0],
        load_s=round(spec.timing.warmup_s + spec.timing.measure_s),
        run_as=resolve_run_as(lab.settings.passed_on.get("NGXLAB_RUN_AS")),
        root=lab.settings.data / "bare",
    )


def _compared(
    cycles: Sequence[Cycle], quantity: Callable[[WrkPrint], float], unit: str, name: str, budget: Budget
) -> Measurement:
    product = paired([(quantity(cycle.product), quantity(cycle.bare)) for cycle in cycles])
    noise = paired([(quantity(cycle.bare_again), quantity(cycle.bare)) for cycle in cycles])
    return Measurement(
        name=name,
        what=f"{unit} through the product / bare wrk",
        value=math.exp(product.mean),
        unit="x",
        budget=budget,
        definition=DEFINITION,
        detail={
            "cycles": product.pairs,
            "bare_against_bare": as_ratio(noise),
            "no_more_than_noise": no_more_than_noise(product, noise),
            "trials": [[quantity(printed) for printed in cycle] for cycle in cycles],
        },
        interval_95=interval(product),
    )


def _p99_us(printed: WrkPrint) -> float:
    if printed.latency_p99_us is None:
        raise NotMeasuredError("wrk recorded no latency")
    return printed.latency_p99_us
