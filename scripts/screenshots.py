"""``make screenshots``: pictures of every page with real runs on a private stack."""

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page

from scripts.testbed.browser import chromium, settle, sign_in
from scripts.testbed.designing import cell, design_two_by_three, run_host_test
from scripts.testbed.stack import Stack, running_stack

WIDTHS = {"": (1440, 900), "-narrow": (390, 844)}
QUICK = {"blocks": 3, "warmup_s": 1, "measure_s": 5, "cooldown_s": 0.5}
CHURN = {
    "changed_nodes": "1, 200, 400",
    "total_nodes": "2000",
    "rate_per_s": 300,
    "connections": 600,
    "workers": "4",
    "baseline_s": 3,
    "churn_s": 6,
    "recovery_s": 3,
    "blocks": 3,
    "cooldown_s": 0.5,
}
"""A small run of the template with the richest report: perturbations, an open loop, thresholds, a simulation."""


def _shoot(page: Page, output: Path, name: str, *, full: bool = True) -> None:
    page.screenshot(path=output / f"{name}.png", full_page=full, animations="disabled")


def _pages(stack: Stack, run_id: str, churn_id: str) -> dict[str, str]:
    run = stack.run(run_id)
    return {
        "experiments": "/experiments",
        "gallery": "/experiments/new",
        "template": "/experiments/new/reuseport",
        "experiment": f"/experiments/{run['experiment_id']}",
        "run": f"/runs/{run_id}",
        "report": f"/runs/{run_id}/report",
        "template-churn": "/experiments/new/dynamic-upstreams",
        "run-churn": f"/runs/{churn_id}",
        "report-churn": f"/runs/{churn_id}/report",
        "hosts": "/hosts",
        "host": f"/hosts/{stack.host_id()}",
        "account": "/account",
        "sessions": "/account?tab=sessions",
        "notifications": "/account?tab=notifications",
        "people": "/people",
    }


def _shoot_all(browser: Browser, stack: Stack, output: Path, run_id: str, churn_id: str) -> None:
    for suffix, (width, height) in WIDTHS.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = sign_in(context, stack)
            for name, path in _pages(stack, run_id, churn_id).items():
                page.goto(f"{stack.url}{path}")
                settle(page)
                # The first screen of a report stands above the commands of the README.
                _shoot(page, output, f"{name}-{scheme}{suffix}", full=name != "report")
            context.close()


def _shoot_live(browser: Browser, stack: Stack, output: Path, run_id: str) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = sign_in(context, stack)
    page.goto(f"{stack.url}/runs/{run_id}")
    stack.trial_in(run_id, "measuring")
    page.locator("path.recharts-line-curve").first.wait_for()
    _shoot(page, output, "live-light", full=False)
    context.close()


def _shoot_designer(page: Page, output: Path, suffix: str) -> None:
    """A design with one cell switched off and one excluded, tested on a host."""
    design_two_by_three(page, "Accepting connections")
    cell(page, "Mutex on, 1 worker").click()
    page.get_by_role("button", name="Exclude combinations").click()
    page.get_by_role("textbox", name="because").fill("More workers than this machine has CPUs")
    run_host_test(page)
    page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
    settle(page)
    _shoot(page, output, f"designer{suffix}")
    for name, panel in {"matrix": "#section-arms", "config-diff": "#configs", "host-check": "#host-test"}.items():
        page.locator(panel).screenshot(path=output / f"{name}{suffix}.png", animations="disabled")


def _shoot_designers(browser: Browser, stack: Stack, output: Path) -> None:
    for suffix, (width, height) in WIDTHS.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            _shoot_designer(sign_in(context, stack), output, f"-{scheme}{suffix}")
            context.close()


def main() -> int:
    output = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/screenshots")
    output.mkdir(parents=True, exist_ok=True)
    with running_stack() as stack, chromium() as browser:
        run_id = stack.start_run(**QUICK)
        _shoot_live(browser, stack, output, run_id)
        stack.wait_for_end(run_id, seconds=180)
        churn_id = stack.start_run("dynamic-upstreams", **CHURN)
        stack.wait_for_end(churn_id, seconds=300)
        _shoot_all(browser, stack, output, run_id, churn_id)
        _shoot_designers(browser, stack, output)
    sys.stdout.write(f"{len(list(output.glob('*.png')))} pictures in {output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
