"""The whole path in a browser: sign in, start a run, watch it live, share its report with a stranger."""

import re
from pathlib import Path

from page_looks import OPPOSITE, faults
from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import sign_in
from scripts.testbed.stack import Stack


def _start_short_run(page: Page) -> None:
    """From the gallery to the live page of a short run."""
    page.get_by_role("link", name="New experiment").first.click()
    page.wait_for_url("**/experiments/new")  # the list before it has links with such names, too
    page.get_by_role("link", name=re.compile("Socket sharding")).first.click()
    page.get_by_label("Name").fill("First light")
    for label, value in {"Blocks": "1", "Warm-up": "1", "Measure": "5", "Cool-down": "0"}.items():
        page.get_by_role("textbox", name=label).fill(value)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}"))


def _plotted(page: Page, chart: str) -> str:
    """What a live chart's lines look like now."""
    figure = page.get_by_role("figure", name=re.compile(chart))
    return " ".join(
        figure.locator("path.recharts-line-curve").evaluate_all("paths => paths.map(p => p.getAttribute('d'))")
    )


def _is_drawn_live(page: Page) -> None:
    rate = page.get_by_role("figure", name=re.compile("^Requests per second,"))
    expect(rate.locator("path.recharts-line-curve").first).to_be_visible()
    before = _plotted(page, "^Requests per second,")
    page.wait_for_function(
        "([before]) => [...document.querySelectorAll('figure')]"
        ".filter(f => (f.getAttribute('aria-label') || '').startsWith('Requests per second,'))"
        ".flatMap(f => [...f.querySelectorAll('path.recharts-line-curve')].map(p => p.getAttribute('d'))).join(' ')"
        " !== before",
        arg=[before],
        timeout=60_000,
    )


def test_from_sign_in_to_a_shared_report(stack: Stack, browser: Browser, tmp_path: Path) -> None:
    with browser.new_context() as context:
        page = sign_in(context, stack)
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        _start_short_run(page)
        _is_drawn_live(page)
        report_link = page.get_by_role("link", name="Open report")
        expect(report_link).to_be_visible()
        report_link.click()
        verdict = page.get_by_role("region", name="Verdict")
        expect(verdict).to_contain_text("reuseport")

        page.get_by_role("button", name=re.compile("Share")).first.click()
        page.get_by_role("button", name="Create link").click()
        link = page.get_by_role("dialog").get_by_text("/shared/").first.inner_text()
        assert link.startswith(f"{stack.url}/shared/")

        with browser.new_context() as stranger:
            shared = stranger.new_page()
            shared.goto(link)
            expect(shared.get_by_role("region", name="Verdict")).to_contain_text("reuseport")
            expect(shared.get_by_role("figure", name=re.compile("^Requests per second,")).first).to_be_visible()
            _shows_how_long_requests_took(shared)
            assert stranger.cookies() == []
            shared.goto(f"{stack.url}/experiments")
            expect(shared.get_by_role("button", name="Sign in")).to_be_visible()
        _opens_without_a_server(page, browser, tmp_path)
        assert problems == []


def _opens_without_a_server(page: Page, browser: Browser, folder: Path) -> None:
    """The report as a file: all of it, from a disk, with no network, and small."""
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as started:
        page.get_by_role("menuitem", name=re.compile("^Web page")).click()
    file = folder / started.value.suggested_filename
    started.value.save_as(file)
    assert file.name.startswith("first-light-run-1-report")
    assert file.stat().st_size < 3_000_000
    with browser.new_context(offline=True, reduced_motion="reduce") as alone:
        opened, asked, problems = alone.new_page(), list[str](), list[str]()
        opened.on("request", lambda request: asked.append(request.url))
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        opened.goto(file.as_uri())
        expect(opened.get_by_role("region", name="Verdict")).to_contain_text("reuseport")
        _shows_how_long_requests_took(opened)
        rate = opened.get_by_role("figure", name=re.compile("^Requests per second, requests")).first
        expect(rate.locator("path.recharts-line-curve").first).to_be_visible()
        assert faults(opened, looks=OPPOSITE) == []
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert problems == []


def _shows_how_long_requests_took(page: Page) -> None:
    contents = page.get_by_role("navigation", name="Contents")
    expect(contents).to_be_visible()
    if (narrow := contents.get_by_role("button", name=re.compile("^Contents"))).is_visible():
        narrow.click()
    if (opening := contents.get_by_role("button", name="Open all sections")).is_visible():
        opening.click()
    heat_map = page.get_by_role("figure", name=re.compile("^Latency of all requests over time"))
    expect(heat_map.locator("path[fill^='color-mix']").first).to_be_visible()
    expect(heat_map).to_contain_text("Most often")
