"""What comes over the wire, and how long it takes, until a page shows what it was opened for."""

import asyncio
import time
from typing import NamedTuple

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement
from scripts.bench.viewer import follow
from scripts.testbed.browser import chromium

DEFINITION = (
    "Chromium with an empty cache, 1440 by 900 pixels: the transferred bytes (packed, with headers) of the document "
    "and of all that had arrived when the page showed its form or its verdict: code, styles, texts, and answers of "
    "the API. Code that is loaded ahead while the page rests counts if it was faster than that."
)
VIEWPORT = ViewportSize(width=1440, height=900)
PATIENCE_MS = 60_000
_BYTES = """
    () => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, one) => sum + one.transferSize, 0)
"""


class Opened(NamedTuple):
    """``seconds``: from asking for the document until the page shows what it was opened for."""

    transferred: int
    seconds: float


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Kilobytes of the sign-in page and of a report."""
    parameters = {"blocks": 2 if quick else 5, "warmup_s": 0, "measure_s": 2, "cooldown_s": 0}
    made = await lab.post("/experiments", {"name": "Weights", "template_key": "reuseport", "parameters": parameters})
    run_id = await lab.start_run(made)
    await follow(lab, run_id)
    return await asyncio.to_thread(_weigh, lab, run_id)


def _weigh(lab: Lab, run_id: str) -> list[Measurement]:
    with chromium() as browser:
        sign_in = _open(browser, f"{lab.settings.url}/login", {})
        report = open_report(browser, lab, run_id)
    return [
        _measurement("sign-in page", "weight-sign-in", sign_in, 150),
        _measurement("report", "weight-report", report, 350),
    ]


def _measurement(page: str, name: str, opened: Opened, limit_kb: float) -> Measurement:
    weight, budget = opened.transferred / 1000, Budget("at most", limit_kb)
    return Measurement(name, f"first load of a {page}", weight, "kB", budget, DEFINITION, opened._asdict())


def open_report(browser: Browser, lab: Lab, run_id: str) -> Opened:
    """Of an ended run, as its owner."""
    return _open(browser, f"{lab.settings.url}/runs/{run_id}/report", {"Authorization": f"Bearer {lab.token}"})


def _open(browser: Browser, address: str, headers: dict[str, str]) -> Opened:
    context = browser.new_context(viewport=VIEWPORT, extra_http_headers=headers)
    try:
        page = context.new_page()
        began = time.perf_counter()
        page.goto(address, wait_until="commit")
        expect(_shown(page)).to_be_visible(timeout=PATIENCE_MS)
        return Opened(page.evaluate(_BYTES), time.perf_counter() - began)
    finally:
        context.close()


def _shown(page: Page) -> Locator:
    """The form of the sign-in page, or the verdict of a report."""
    return page.get_by_label("Password").or_(page.get_by_role("region", name="Verdict")).first
