"""Pages in a browser: what comes over the wire until one is seen, and what a live one costs while it stands open."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from playwright.sync_api import CDPSession, Page, ViewportSize, expect

from scripts.bench.lab import Lab
from scripts.bench.report import Found
from scripts.testbed.browser import chromium

VIEWPORT = ViewportSize(width=1440, height=900)
OPEN_PATIENCE_MS = 60_000
TRIALS_PATIENCE_S = 120
NO_LONG_TASK_MS = 50.0
"""Chromium reports tasks from here on."""
BYTES = """
    () => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, one) => sum + one.transferSize, 0)
"""
OBSERVER = """() => {
  window.shifts = []; window.tasks = [];
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts.push(one.value); })
    .observe({ type: 'layout-shift' });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.tasks.push(one.duration); })
    .observe({ type: 'longtask' });
}"""


class Opened(NamedTuple):
    """``seconds``: from asking for the document until the page shows what it was opened for."""

    transferred: int
    seconds: float


async def weights(lab: Lab, blocks: int) -> dict[str, Found]:
    """Kilobytes of the sign-in page and of a report."""
    run = await lab.run(await lab.experiment(blocks=blocks, warmup_s=0, measure_s=2))
    sign_in = await asyncio.to_thread(_opened, f"{lab.settings.url}/login", {})
    report = await open_report(lab, run["id"])
    return {
        f"weight-{name}": Found(page.transferred / 1000, page._asdict())
        for name, page in {"sign-in": sign_in, "report": report}.items()
    }


async def open_report(lab: Lab, run_id: str) -> Opened:
    """The report of an ended run, as its owner opens it."""
    return await asyncio.to_thread(_opened, f"{lab.settings.url}/runs/{run_id}/report", lab.headers)


def _opened(address: str, headers: Mapping[str, str]) -> Opened:
    """Until the form of the sign-in page, or the verdict of a report."""
    with chromium() as browser:
        page = browser.new_context(viewport=VIEWPORT, extra_http_headers=dict(headers)).new_page()
        began = time.perf_counter()
        page.goto(address, wait_until="commit")
        wanted = page.get_by_label("Password").or_(page.get_by_role("region", name="Verdict")).first
        wanted.wait_for(state="visible", timeout=OPEN_PATIENCE_MS)  # looks at each frame; ``expect`` pauses up to 1 s
        return Opened(page.evaluate(BYTES), time.perf_counter() - began)


async def live_page(lab: Lab, measure_s: int) -> dict[str, Found]:
    """What a live page costs the browser of its reader, and whether it stands still."""
    experiment = await lab.one_arm_experiment(blocks=4, warmup_s=1, measure_s=measure_s, change=_at_a_rate)
    run_id = await lab.start_run(experiment)
    loop = asyncio.get_running_loop()

    def wait(trials: int) -> None:
        asyncio.run_coroutine_threadsafe(_trials_done(lab, run_id, trials), loop).result()

    return await asyncio.to_thread(_watch, lab, run_id, wait)


def _at_a_rate(definition: dict[str, Any]) -> None:
    for stream in definition["streams"]:
        stream |= {"engine": "open-loop", "threads": 1, "connections": 16, "open_loop": {"rate_per_s": 500}}


async def _trials_done(lab: Lab, run_id: str, trials: int) -> None:
    async with asyncio.timeout(TRIALS_PATIENCE_S):
        while True:
            progress = (await lab.get(f"/runs/{run_id}"))["progress"]
            if progress["trials_done"] >= trials:
                return
            await asyncio.sleep(0.5)


def _watch(lab: Lab, run_id: str, wait: Callable[[int], None]) -> dict[str, Found]:
    """``wait`` returns once so many trials are done, without a question to the page: each would cost it a layout."""
    with chromium() as browser:
        page = browser.new_context(viewport=VIEWPORT, extra_http_headers=lab.headers).new_page()
        page.goto(f"{lab.settings.url}/runs/{run_id}?view=trial&charts=all")
        wait(1)
        _shows_done(page, 1)
        page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 3)")
        page.evaluate(OBSERVER)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before, began = _busy_s(session), time.perf_counter()
        wait(3)
        _shows_done(page, 3)
        seconds = time.perf_counter() - began
        busy_ms = {name: 1000 * (after - before[name]) / seconds for name, after in _busy_s(session).items()}
        shifts, tasks = page.evaluate("[window.shifts, window.tasks]")
        charts = {"charts": page.locator("figure").count()}
    return {
        "live-page": Found(busy_ms["TaskDuration"], charts | {"seconds": seconds, **busy_ms, "long_tasks_ms": tasks}),
        "live-page-task": Found(max([NO_LONG_TASK_MS, *tasks]), charts),
        "live-page-shift": Found(sum(shifts), charts),
    }


def _shows_done(page: Page, trials: int) -> None:
    progress = page.get_by_role("progressbar", name=re.compile(rf"^{trials} of \d+ trials"))
    expect(progress).to_have_count(1, timeout=10_000)


def _busy_s(session: CDPSession) -> dict[str, float]:
    """CPU time in all, and of scripts, layout and style apart."""
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in metrics if one["name"].endswith("Duration")}
