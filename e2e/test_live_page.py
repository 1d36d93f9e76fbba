"""The live page over several trials: it stays where its reader is, has no faults, and shows all trials together."""

import re

from page_looks import OPPOSITE, faults
from playwright.sync_api import Browser, Page, ViewportSize, expect

from scripts.testbed.browser import sign_in, still
from scripts.testbed.stack import Stack

RECORDER = """
() => {
  const seen = (window.seen = { tops: new Map(), risen: new Set(), scrolls: new Set(), charts: [] });
  const look = () => {
    const figures = [...document.querySelectorAll('figure')];
    const charts = figures.map((figure) => figure.getAttribute('aria-label'));
    if (charts.join() !== seen.charts.at(-1)?.join()) seen.charts.push(charts);
    seen.scrolls.add(Math.round(window.scrollY));
    for (const figure of figures) {
      const [name, top] = [figure.getAttribute('aria-label'), Math.round(figure.getBoundingClientRect().top)];
      if (top < seen.tops.get(name)) seen.risen.add(name);
      seen.tops.set(name, top);
    }
    window.looking = requestAnimationFrame(look);
  };
  look();
}
"""
"""Notes the charts whenever they change, which of them have moved up, and how far the page was scrolled."""
SEEN = """
() => {
  cancelAnimationFrame(window.looking);
  const { risen, scrolls, charts } = window.seen;
  return { risen: [...risen], scrolls: [...scrolls], charts };
}
"""
SCROLLED = 600

SHIFTS = """
() => {
  window.shifts = [];
  const shift = (entry) => [
    Math.round(1e4 * entry.value) / 1e4,
    ...entry.sources.map(({ node, previousRect: from, currentRect: to }) =>
      `${Math.round(from.y)} to ${Math.round(to.y)}: ${(node?.outerHTML ?? node?.textContent ?? '').slice(0, 200)}`),
  ];
  new PerformanceObserver((list) => {
    if (!document.querySelector('main [role=progressbar]')) return;
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(shift(entry));
  }).observe({ type: 'layout-shift', buffered: true });
}
"""
"""Notes each shift of the layout that nobody asked for: how large it is, and what moved from where to where. Not once
the run is over, and has no progress any more: its page then changes."""
STILL = 0.01
"""So much in all is no more than a line that wraps on a phone."""


def _trials_done(page: Page, count: int) -> None:
    expect(page.get_by_role("progressbar", name=re.compile(rf"^{count} of \d+ trials"))).to_have_count(1)


def test_the_page_stays_where_its_reader_is(stack: Stack, browser: Browser) -> None:
    run_id = stack.start_run(blocks=3, warmup_s=1, measure_s=4, cooldown_s=0.5)
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run_id}?view=trial&charts=all")
        _see_what_was_out_of_sight(page)
        _trials_done(page, 3)  # each arm has been measured once
        page.evaluate(f"window.scrollTo(0, {SCROLLED})")
        page.evaluate(RECORDER)
        _trials_done(page, 5)
        seen = page.evaluate(SEEN)
        assert seen["scrolls"] == [SCROLLED]
        at_first, *later = seen["charts"]
        assert len(at_first) > 10
        # A kind of problem that first occurs in the fourth trial has its chart after all others.
        assert [charts[: len(at_first)] for charts in later] == [at_first] * len(later)
        assert seen["risen"] == []
    stack.wait_for_end(run_id)


def test_nothing_moves_from_the_queue_to_the_last_trial(stack: Stack, browser: Browser) -> None:
    """On a phone and on the widest screen, for who opens the page at once and touches nothing."""
    run_id = stack.start_run(blocks=2, warmup_s=1, measure_s=3, cooldown_s=0.5)
    phone, wide = ViewportSize(width=390, height=844), ViewportSize(width=2560, height=1440)
    with browser.new_context(viewport=phone) as first, browser.new_context(viewport=wide) as second:
        pages = [sign_in(context, stack) for context in (first, second)]
        for page in pages:
            page.add_init_script(f"({SHIFTS})()")
            page.goto(f"{stack.url}/runs/{run_id}")
        stack.wait_for_end(run_id)
        for page in pages:
            expect(page.get_by_role("link", name="Open report")).to_be_visible()
            shifts = page.evaluate("window.shifts")
            assert sum(value for value, *_ in shifts) < STILL, shifts


def _see_what_was_out_of_sight(page: Page) -> None:
    """What a chart of the first trial said is not what it says in the second, once it is scrolled to."""
    chart = page.get_by_role("figure", name="Requests per second, requests/s", exact=True)
    _trials_done(page, 1)
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    before = chart.text_content()
    assert before
    _trials_done(page, 2)
    page.evaluate("window.scrollTo(0, 0)")
    expect(chart).not_to_have_text(before)


def test_what_goes_on_has_no_faults(stack: Stack, browser: Browser) -> None:
    """The live page with its main charts, and the report of the same run by a link, which follows it."""
    run_id = stack.start_run(blocks=4, warmup_s=0, measure_s=20, cooldown_s=0)  # longer than the looks
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run_id}")
        expect(page.get_by_role("region", name="Verdict so far")).to_contain_text("of 4", timeout=120_000)
        expect(page.locator("figure path.recharts-line-curve").first).to_be_visible()
        assert faults(page, wait=still) == []
        page.goto(stack.api("POST", f"/runs/{run_id}/shares", {})["url"])
        expect(page.get_by_text("this page follows it")).to_be_visible()
        assert faults(page, looks=OPPOSITE) == []
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id)


def test_all_trials_of_a_run_on_one_axis(stack: Stack, browser: Browser) -> None:
    run_id = stack.start_run(blocks=2, warmup_s=1, measure_s=3, cooldown_s=0)
    stack.wait_for_end(run_id)
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run_id}")
        expect(page.get_by_role("radio", name="Arms overlaid")).to_be_checked()
        rate = page.get_by_role("figure", name=re.compile("^Requests per second,"))
        expect(rate.locator("path.recharts-line-curve")).to_have_count(6)
        page.get_by_text("Whole run", exact=True).click()
        page.wait_for_url("**view=run")
        expect(rate.locator("path.recharts-line-curve")).to_have_count(3)
        for path in rate.locator("path.recharts-line-curve").all():
            # Each arm is drawn twice, once a block, with nothing between.
            assert (path.get_attribute("d") or "").count("M") == 2
