"""A run can be started without a mouse, charts are read by keys, and forced colours leave lines apart."""

import re

from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until the element of that name has the focus."""
    seen = ""
    for _ in range(80):
        page.keyboard.press("Tab")
        seen = page.evaluate("() => document.activeElement?.textContent ?? ''")
        if re.match(name, seen):
            return
    raise AssertionError(f"Tab never reached {name!r}; the last was {seen!r}")


def test_a_template_is_run_without_a_mouse(stack: Stack, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = sign_in(context, stack)
    _tab_to(page, "New experiment")
    page.keyboard.press("Enter")
    page.wait_for_url("**/experiments/new")
    expect(page.get_by_role("link", name=re.compile("Socket sharding"))).to_be_visible()
    _tab_to(page, "Socket sharding")
    page.keyboard.press("Enter")
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    preset = page.get_by_role("radio", name="Compact")
    preset.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Quick look")).to_be_checked()
    expect(run).to_be_enabled()
    _tab_to(page, "Run$")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}$"), timeout=60_000)
    run_id = page.url.rpartition("/")[2]
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id)
    context.close()


def test_forced_colours_leave_arms_and_lines_apart(stack: Stack, browser: Browser, run: dict[str, str]) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}, forced_colors="active") as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run['id']}/report")
        settle(page)
        arms = page.get_by_role("region", name="Verdict").locator("tbody tr th span[aria-hidden]")
        fills = arms.evaluate_all("marks => marks.map(mark => getComputedStyle(mark).backgroundColor)")
        assert len(set(fills)) == len(fills) == 3
        page.goto(f"{stack.url}/runs/{run['id']}?view=arms")
        chart = page.get_by_role("figure", name=re.compile("^Requests per second,"))
        samples = chart.get_by_role("listitem").locator("path")
        expect(samples).to_have_count(3)
        strokes = samples.evaluate_all("marks => marks.map(mark => getComputedStyle(mark).stroke)")
        assert len(set(strokes)) == 3


def test_a_chart_is_read_by_keys(stack: Stack, browser: Browser, run: dict[str, str]) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run['id']}?view=arms")
        chart = page.get_by_role("figure", name=re.compile("^Requests per second,"))
        reader = chart.get_by_role("slider", name="Requests per second: values, by arrow keys")
        reader.focus()
        expect(chart.locator(".recharts-reference-line")).to_have_count(1)
        first = reader.get_attribute("aria-valuetext") or ""
        assert re.match(r"at .*\ss: .*\sreq/s", first)
        page.keyboard.press("ArrowRight")
        expect(reader).not_to_have_attribute("aria-valuetext", first)
        expect(reader).to_have_attribute("aria-valuetext", re.compile(r"^at .*\ss: .*\sreq/s"))
