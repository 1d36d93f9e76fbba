"""What a live page costs the browser of its reader, and whether it stands still."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from playwright.sync_api import CDPSession, Page, ViewportSize, expect

from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement
from scripts.testbed.browser import chromium

THREAD = (
    "CPU time of the page's main thread by Chromium's own count (TaskDuration in thread time), a second, from the end "
    "of the first trial to that of the third, so over two beginnings of a trial: 1440 by 900 pixels, all charts asked "
    "for, scrolled by a third. Nothing is asked of the page meanwhile: the backend is asked how far the run is. The "
    "load is 500 requests a second: readers do not sit on the machine that is measured, so that its load must not take "
    "the page's CPU."
)
SHIFT = "The sum of Chromium's layout-shift entries over the same time; nobody touches the page."
LONGEST = (
    "The longest task of the main thread meanwhile, by the clock, as its longtask entries say; 50 ms if there is none."
)
VIEWPORT = ViewportSize(width=1440, height=900)
NO_LONG_TASK_MS = 50.0
"""Chromium reports tasks from here on."""
LOOK_S = 0.5
PATIENCE_S = 120
OBSERVER = """
  window.shifts = []; window.tasks = [];
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts.push(one.value); })
    .observe({ type: 'layout-shift' });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.tasks.push(one.duration); })
    .observe({ type: 'longtask' });
"""


class Seen(NamedTuple):
    charts: int
    seconds: float
    busy_ms: dict[str, float]
    """Of all, and of scripts, layout and style apart, a second."""
    shifts: list[float]
    tasks_ms: list[float]


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The main thread's time, its longest task, and how much the page moved."""
    experiment = await lab.one_arm_experiment(blocks=4, warmup_s=1, measure_s=6 if quick else 20, change=_at_a_rate)
    run_id = await lab.start_run(experiment)
    loop = asyncio.get_running_loop()

    def wait(trials: int) -> None:
        asyncio.run_coroutine_threadsafe(_trials_done(lab, run_id, trials), loop).result()

    seen = await asyncio.to_thread(_watch, lab, run_id, wait)
    detail = {"charts": seen.charts, "seconds": seen.seconds, **seen.busy_ms, "long_tasks_ms": seen.tasks_ms}
    busy_ms, longest_ms = seen.busy_ms["TaskDuration"], max([NO_LONG_TASK_MS, *seen.tasks_ms])
    what = f"live page with {seen.charts} charts at 1 Hz"
    return [
        Measurement("live-page", f"{what}: main thread", busy_ms, "ms/s", Budget("at most", 30), THREAD, detail),
        Measurement("live-page-task", f"{what}: longest task", longest_ms, "ms", Budget("at most", 50), LONGEST),
        Measurement("live-page-shift", f"{what}: layout shift", sum(seen.shifts), "", Budget("at most", 0), SHIFT),
    ]


def _at_a_rate(definition: dict[str, Any]) -> None:
    for stream in definition["streams"]:
        stream |= {"engine": "open-loop", "threads": 1, "connections": 16, "open_loop": {"rate_per_s": 500}}


async def _trials_done(lab: Lab, run_id: str, trials: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            progress = (await lab.get(f"/runs/{run_id}"))["progress"]
            if progress["trials_done"] >= trials:
                return
            await asyncio.sleep(LOOK_S)


def _watch(lab: Lab, run_id: str, wait: Callable[[int], None]) -> Seen:
    """``wait`` returns once so many trials are done, without a question to the page: each would cost it a layout."""
    with chromium() as browser:
        headers = {"Authorization": f"Bearer {lab.token}"}
        page = browser.new_context(viewport=VIEWPORT, extra_http_headers=headers).new_page()
        page.goto(f"{lab.settings.url}/runs/{run_id}?charts=all")
        wait(1)
        _shows_done(page, 1)
        page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 3)")
        page.evaluate(f"() => {{ {OBSERVER} }}")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before, began = _busy_s(session), time.perf_counter()
        wait(3)
        _shows_done(page, 3)
        seconds = time.perf_counter() - began
        busy_ms = {name: 1000 * (after - before[name]) / seconds for name, after in _busy_s(session).items()}
        shifts, tasks = page.evaluate("[window.shifts, window.tasks]")
        return Seen(page.locator("figure").count(), seconds, busy_ms, shifts, tasks)


def _shows_done(page: Page, trials: int) -> None:
    progress = page.get_by_role("progressbar", name=re.compile(rf"^{trials} of \d+ trials"))
    expect(progress).to_have_count(1, timeout=10_000)


def _busy_s(session: CDPSession) -> dict[str, float]:
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in metrics if one["name"].endswith("Duration")}
