"""The report, wide and narrow: its first screen answers, nothing is out of sight, and a pinned moment stays."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack

SIZES = {"wide": (1440, 900), "phone": (390, 844)}

_OUT_OF_SIGHT = """
() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    const isSeen = parent.checkVisibility({ visibilityProperty: true }) && !parent.closest('pre, .cm-editor');
    if (!isSeen || !/\\d/.test(texts.currentNode.textContent)) continue;
    const range = document.createRange();
    range.selectNode(texts.currentNode);
    const { right, width } = range.getBoundingClientRect();
    let clip = parent;
    while (clip && getComputedStyle(clip).clipPath === 'none') clip = clip.parentElement;
    if (!clip && width > 0 && right > innerWidth + 1) found.push(texts.currentNode.textContent);
  }
  return found;
}
"""
"""Texts with a digit that begin or end right of the screen. What is cut to nothing is for screen readers."""


@pytest.fixture(params=SIZES)
def page(request: pytest.FixtureRequest, stack: Stack, browser: Browser) -> Iterator[Page]:
    width, height = SIZES[request.param]
    with browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce") as context:
        yield sign_in(context, stack)


def test_the_first_screen_answers(stack: Stack, page: Page, run: dict[str, str]) -> None:
    answers = stack.api("GET", f"/runs/{run['id']}/report")["analysis"]["answers"]
    for address in (f"{stack.url}/runs/{run['id']}/report", run["report"]):
        page.goto(address)
        settle(page)
        verdict = page.get_by_role("region", name="Verdict")
        assert answers
        for answer in answers:
            expect(verdict.get_by_text(answer["question"]).first).to_be_in_viewport()


def test_no_number_is_out_of_sight(stack: Stack, page: Page, run: dict[str, str]) -> None:
    experiment = f"/experiments/{run['experiment']}"
    paths = ["/runs", f"/runs/{run['id']}", f"/runs/{run['id']}/report", experiment, f"{experiment}/trends"]
    addresses = [f"{stack.url}{path}" for path in (*paths, f"/compare?runs={run['id']},{run['other']}", "/hosts")]
    found = {}
    for address in [*addresses, run["report"], run["comparison"], run["trends"]]:
        page.goto(address)
        settle(page)
        wide: int = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        found[address] = [*page.evaluate(_OUT_OF_SIGHT), *([f"{wide} px too wide"] if wide > 0 else [])]
    assert {address: texts for address, texts in found.items() if texts} == {}


def test_a_pinned_moment_stays(stack: Stack, page: Page, run: dict[str, str]) -> None:
    page.goto(f"{stack.url}/runs/{run['id']}/report")
    settle(page)
    chart = page.locator("#time-requests-per-second")
    chart.scroll_into_view_if_needed()
    plot = chart.locator(".recharts-surface").first
    expect(plot).to_be_visible()
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] - 20, "y": 60})  # at the end of the window, where there is a reading
    bar = page.get_by_role("status").filter(has_text=re.compile("^Pinned: "))
    expect(bar).to_be_in_viewport()
    pinned = chart.locator("[data-pinned]")
    values = pinned.inner_text()
    assert re.search(r"\d", values)
    other = page.locator("figure[id^=time-latency]").first
    other.locator(".recharts-surface").first.hover(position={"x": 100, "y": 60})
    expect(pinned).to_be_visible()
    assert pinned.inner_text() == values
    page.reload()
    expect(bar).to_be_visible()
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
