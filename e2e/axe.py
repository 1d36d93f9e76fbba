"""What axe-core, the usual checker of accessibility rules, finds on a page."""

from playwright.sync_api import Page

from scripts.paths import FRONTEND

_SOURCE = FRONTEND / "node_modules/axe-core/axe.min.js"
_RUN = """
(within) => axe.run(within ?? document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
"""
"""The rule of WCAG 2.2 on how large targets are is off unless it is asked for."""


def violations(page: Page, within: str | None = None) -> list[str]:
    """One line a broken rule and element: rule, what is wrong, and where; of a part only with its CSS selector."""
    page.evaluate(_SOURCE.read_text())
    found = page.evaluate(_RUN, within)["violations"]
    return [f"{rule['id']}: {node['failureSummary']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]
