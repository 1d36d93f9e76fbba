"""A result of last month, looked for among 2,000 runs."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.bench.copies import copy_runs
from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack, running_stack

RUNS = 2000


@pytest.fixture(scope="module")
def history() -> Iterator[Stack]:
    """An installation of its own, so that other tests' lists stay short: a run of a trial, copied over half a year."""
    with running_stack() as stack:
        run_id = stack.start_run(blocks=1, warmup_s=0, measure_s=1, cooldown_s=0)
        stack.wait_for_end(run_id)
        with ThreadPoolExecutor() as aside:  # the browser's own loop runs in this thread
            aside.submit(asyncio.run, _copy(stack, run_id)).result()
        yield stack


async def _copy(stack: Stack, run_id: str) -> None:
    connection = await asyncpg.connect(stack.database_url())
    try:
        await copy_runs(connection, run_id, RUNS)
    finally:
        await connection.close()


@pytest.fixture(params=[1440, 390], ids=["desktop", "phone"])
def page(request: pytest.FixtureRequest, history: Stack, browser: Browser) -> Iterator[Page]:
    """Signed in, at the list of runs."""
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    opened = sign_in(context, history)
    opened.goto(f"{history.url}/runs")
    settle(opened)
    yield opened
    context.close()


def test_last_months_result_is_found_in_three_actions(history: Stack, page: Page) -> None:
    """A search, a period, a press."""
    page.get_by_label("Search").fill("History 42")
    page.get_by_role("combobox", name="Created (UTC)").click()
    page.get_by_role("option", name="Last month").click()  # also before the search was asked for
    found = page.get_by_role("link", name=re.compile(r"^History 42 #\d+$"))
    expect(page.get_by_text(re.compile(r"^[1-9] runs$"))).to_be_visible()
    since, until = re.findall(r"\d{4}-\d{2}-\d{2}", page.url)
    listed = history.api("GET", f"/runs?search=History+42&since={since}&until={until}")["items"]
    expect(found).to_have_count(len(listed))
    found.first.click()
    expect(page.get_by_role("region", name="Verdict").first).to_be_visible()
    created = history.run(page.url.split("/runs/")[1].split("/")[0])["created_at"]
    assert since <= created[:10] <= until
