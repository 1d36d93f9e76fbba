"""Every template from the start page to the running experiment, in at most five clicks."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.stack.waiting import wait_until
from scripts.testbed.browser import fill_plan, save_and_run, sign_in
from scripts.testbed.stack import Stack

MOST_CLICKS = 5
_COUNT = "addEventListener('click', (event) => { window.clicks = (window.clicks ?? 0) + event.isTrusted; }, true);"


@pytest.fixture
def page(stack: Stack, browser: Browser) -> Iterator[Page]:
    """At the start page, signed in, counting clicks from here on; a test fails if the page threw anything."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = sign_in(context, stack)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.evaluate(_COUNT)
    yield opened
    context.close()
    assert problems == []


def _run_from_start_page(page: Page, title: str) -> str:
    """By the mouse alone, with what is chosen already; the run's id."""
    page.get_by_role("link", name="New experiment").first.click()
    page.wait_for_url("**/experiments/new")  # the list before it has links with such names, too
    page.get_by_role("link", name=re.compile(re.escape(title))).click()
    expect(page.get_by_role("radio").first).to_be_checked()  # the compact preset
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    run.click()
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}$"), timeout=60_000)
    return page.url.rpartition("/")[2]


@pytest.mark.parametrize(
    "key", ["thread-pools", "request-buffering", "reuseport", "dynamic-upstreams", "idle-connections"]
)
def test_a_template_runs_in_at_most_five_clicks(stack: Stack, page: Page, key: str) -> None:
    titles = {template["key"]: template["title"] for template in stack.api("GET", "/templates")["items"]}
    run_id = _run_from_start_page(page, titles[key])
    assert page.evaluate("() => window.clicks") <= MOST_CLICKS
    started = {"preparing", "ready", "warmup", "measuring", "finishing", "completed"}

    def runs() -> bool:
        run = stack.run(run_id)
        assert run["state"] not in {"failed", "cancelled"}, run["state_reason"]
        return any(trial["state"] in started for trial in run["trials"])

    wait_until(runs, "the first trial", seconds=60)
    expect(page.get_by_role("region", name="Progress")).to_contain_text("trials")
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id)


def test_a_question_is_asked_with_three_clicks(stack: Stack, page: Page) -> None:
    """What gzip costs at its levels off, 1, 6 and 9, on text."""
    page.get_by_role("link", name="New experiment").first.click()
    page.wait_for_url("**/experiments/new")
    page.get_by_role("link", name=re.compile("What does gzip cost")).click()
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    run.click()
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}$"), timeout=60_000)
    assert page.evaluate("() => window.clicks") <= 3
    run_id = page.url.rpartition("/")[2]
    assert [arm["label"] for arm in stack.run(run_id)["arms"]] == ["off", "level 1", "level 6", "level 9"]
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id)


OWN = "events {} http { server { listen 80; root /srv; location / { gzip off; } } }"


def test_two_configurations_become_a_verdict(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.url}/experiments/new")
    page.get_by_role("link", name=re.compile("Your own configuration")).click()
    page.get_by_role("textbox", name="Your configuration").fill(OWN)
    page.get_by_role("textbox", name="Another one, to compare").fill(OWN.replace("gzip off", "gzip on"))
    differs = page.locator("section", has=page.get_by_role("heading", name="What differs"))
    expect(differs.get_by_role("listitem")).to_have_text([re.compile("gzip off → gzip on")])
    page.get_by_role("button", name="Open in the designer").first.click()
    fill_plan(page, Blocks="2", Warm_up="0", Measure="1", Cool_down="0")
    run = stack.wait_for_end(save_and_run(page), seconds=60)
    assert (run["state"], len(run["arms"])) == ("completed", 2)
    page.get_by_role("link", name="Open report").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    [bytes_] = [
        arm["comparison"]["estimate"]
        for one in stack.api("GET", f"/runs/{run['id']}/report")["analysis"]["arms"]
        for arm in one["metrics"]
        if arm["metric"] == "response_bytes" and arm["comparison"] is not None
    ]
    assert bytes_ < 0.8, "the second configuration compresses"


def test_a_report_shows_what_the_template_found(stack: Stack, page: Page) -> None:
    run_id = stack.start_run(blocks=2, warmup_s=0, measure_s=1, cooldown_s=0)
    assert stack.wait_for_end(run_id)["state"] == "completed"
    findings = stack.api("GET", f"/runs/{run_id}/report")["findings"]
    page.goto(f"{stack.url}/runs/{run_id}/report")
    page.get_by_role("button", name="Open all sections").click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_be_visible()
    for sentence in findings["conclusion"]:
        text = sentence["text"] if isinstance(sentence, dict) else sentence
        expect(verdict).to_contain_text(text.replace("`", ""))
    shows = page.locator("section", has=page.get_by_role("heading", name="What the run shows"))
    for chart in findings["charts"]:
        figure = shows.get_by_role("figure", name=re.compile(f"^{re.escape(chart['title'])}")).first
        expect(figure.locator("svg").first).to_be_visible()
    figures = page.locator("section", has=page.get_by_role("heading", name=re.compile("^The article's figures")))
    for row in findings["figures"]:
        expect(figures.get_by_role("rowheader", name=re.compile(f"^{re.escape(row['label'])}"))).to_be_visible()
    expect(page.get_by_text("service time under closed loop").first).to_be_visible()
