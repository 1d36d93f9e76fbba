"""The report, wide and on a phone: its first screen answers, one walks through it, and a pinned moment stays."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from page_looks import OPPOSITE, out_of_sight, show, violations
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, PdfMargins, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack

OVER_TIME = "over-time-within-a-trial"
_MARGIN: PdfMargins = {"top": "12mm", "right": "12mm", "bottom": "12mm", "left": "12mm"}
SERVICES = {
    "backend": "· backend",
    "coordinator": "· coordinator",
    "front": "· front",
    "jobs": "· jobs",
    "postgres": "· PostgreSQL",
    "redis": "· Redis",
    "supervisord": "· supervisord",
}


@pytest.fixture(scope="module", params=OPPOSITE, ids="-".join)
def page(request: pytest.FixtureRequest, stack: Stack, browser: Browser) -> Iterator[Page]:
    with browser.new_context(reduced_motion="reduce") as context:
        opened = sign_in(context, stack)
        show(opened, request.param)
        yield opened


def test_the_first_screen_answers(stack: Stack, page: Page, run: dict[str, str]) -> None:
    analysis = stack.api("GET", f"/runs/{run['id']}/report")["analysis"]
    for address in (f"{stack.url}/runs/{run['id']}/report", run["report"]):
        page.goto(address)
        settle(page)
        verdict = page.get_by_role("region", name="Verdict")
        answers = verdict.get_by_role("list", name="Answers").get_by_role("listitem")
        expect(answers).to_have_count(len(analysis["answers"]))
        assert analysis["answers"]
        for answer in answers.all():
            # Why a run says nothing stands before its answers, at any length.
            expect(answer).to_be_in_viewport(ratio=0.1 if analysis["not_valid"] else 1)


def _plot(chart: Locator) -> tuple[float, float, float]:
    """Where a chart draws, on the screen: its left, its width, and the height of its middle."""
    chart.scroll_into_view_if_needed()
    grid = chart.locator(".recharts-cartesian-grid").first
    expect(grid).to_be_visible()
    box = grid.bounding_box()
    assert box is not None
    return box["x"], box["width"], box["y"] + box["height"] / 2


def test_one_walks_through_the_report(stack: Stack, page: Page, run: dict[str, str]) -> None:
    page.goto(f"{stack.url}/runs/{run['id']}/report")
    settle(page)
    contents = page.get_by_role("navigation", name="Contents")
    unfold = contents.get_by_role("button", name="Contents")
    if unfold.is_visible():
        unfold.click()
    contents.get_by_role("link", name="Over time within a trial").click()
    page.wait_for_url(f"**#{OVER_TIME}")
    section = page.locator(f"#{OVER_TIME}")
    expect(section.get_by_role("heading", level=2)).to_be_in_viewport()

    chart = section.locator("#time-requests-per-second")
    curves = chart.locator("path.recharts-line-curve")
    name = chart.get_by_role("button", pressed=True).first
    expect(curves).to_have_count(3)
    page.mouse.move(0, 0)  # where the pointer reads a chart, its legend has the values
    name.click()
    expect(curves).to_have_count(2)
    left, width, middle = _plot(chart)
    page.mouse.move(left + 0.2 * width, middle)
    page.mouse.down()
    page.mouse.move(left + 0.8 * width, middle, steps=4)
    page.mouse.up()
    bar = page.get_by_role("status").filter(has_text="Charts over time show")
    expect(bar).to_be_in_viewport()
    page.wait_for_url("**range=*")
    settle(page)
    if unfold.is_visible():
        unfold.click()
    assert violations(page, "nav[aria-label=Contents]") == []
    assert out_of_sight(page) == []

    page.emulate_media(media="print")
    expect(contents).to_be_hidden()
    expect(bar).to_be_hidden()
    expect(section.get_by_role("heading", level=2)).to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Whole trial").click()
    expect(bar).to_have_count(0)


def test_printing_waits_for_what_is_further_down(stack: Stack, page: Page, run: dict[str, str]) -> None:
    drawn = (
        "() => [...document.querySelectorAll('figure')].filter(one => one.querySelector('svg.recharts-surface')).length"
    )
    page.goto(f"{stack.url}/runs/{run['id']}/report", wait_until="commit")
    page.evaluate(f"() => {{ window.print = () => {{ window.printed = ({drawn})(); }} }}")
    page.get_by_role("button", name="Print", exact=True).click()
    printed = page.wait_for_function("() => window.printed").json_value()
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    settle(page)
    assert printed == page.evaluate(drawn)


def _ink(pdf: Path) -> int:
    """How many pixels of the pages have a colour, as charts do and text and placeholders do not."""
    subprocess.run(["pdftoppm", "-r", "40", pdf, pdf.with_suffix("")], check=True)
    pages = sorted(pdf.parent.glob(f"{pdf.stem}-*.ppm"))
    return sum(int((np.asarray(Image.open(page).convert("HSV"))[..., 1] > 90).sum()) for page in pages)


def test_the_pdf_has_all_charts(stack: Stack, browser: Browser, run: dict[str, str], tmp_path: Path) -> None:
    """The same page printed here, after all of its charts were seen, has as much colour."""
    files = {}
    for name in ("report.html", "report.pdf"):
        files[name] = tmp_path / name
        files[name].write_bytes(stack.file(f"/runs/{run['id']}/exports/{name}"))
    with browser.new_context(viewport={"width": 900, "height": 1200}) as context:
        page = context.new_page()
        page.goto(f"file://{files['report.html']}")
        page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
        settle(page)
        assert page.locator("figure svg.recharts-surface").count() > 10
        page.pdf(path=tmp_path / "here.pdf", format="A4", print_background=True, margin=_MARGIN)
    assert _ink(files["report.pdf"]) > 0.9 * _ink(tmp_path / "here.pdf")


def test_one_reads_what_the_product_itself_took(stack: Stack, page: Page, run: dict[str, str]) -> None:
    trials = stack.api("GET", f"/runs/{run['id']}/report")["trials"]
    took = [host["server"]["cpu_percent_by_service"] for one in trials for host in one["summary"]["hosts"]]
    assert {frozenset(services) for services in took} == {frozenset(SERVICES)}
    assert sum(services["backend"] for services in took) > 0
    page.goto(f"{stack.url}/runs/{run['id']}/report#cost-of-measuring")
    settle(page)
    cost = page.locator("#cost-of-measuring")
    cost.scroll_into_view_if_needed()
    for name in ("agent", "server, all services", *SERVICES.values()):
        expect(cost.get_by_text(name, exact=True)).to_be_visible()


def test_a_pinned_moment_stays(stack: Stack, page: Page, run: dict[str, str]) -> None:
    page.goto(f"{stack.url}/runs/{run['id']}/report#{OVER_TIME}")
    settle(page)
    chart = page.locator("#time-requests-per-second")
    left, width, middle = _plot(chart)
    page.mouse.click(left + 0.9 * width, middle)
    bar = page.get_by_role("status").filter(has_text=re.compile("^Pinned: "))
    expect(bar).to_be_in_viewport()
    pinned = chart.locator("[data-pinned]")
    values = pinned.text_content() or ""
    assert re.search(r"\d", values)
    left, _, middle = _plot(page.locator("figure[id^=time-latency]").first)
    page.mouse.move(left + 10, middle)
    expect(pinned).to_be_visible()
    assert pinned.text_content() == values
    page.reload()
    expect(bar).to_be_visible()
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
