"""What axe-core, the usual checker of accessibility rules, finds on a page."""

from playwright.sync_api import Page

from scripts.paths import FRONTEND

_SOURCE = FRONTEND / "node_modules/axe-core/axe.min.js"
_RUN = """
([within, only]) => axe.run(within ?? document, {
  resultTypes: ['violations'],
  preload: false,
  rules: { 'target-size': { enabled: true } },
  ...(only ? { runOnly: { type: 'rule', values: only } } : {}),
})
"""
"""The rule of WCAG 2.2 on how large targets are is off unless asked for. No rule that is on needs style sheets."""

OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that a colour scheme can break."""


def violations(page: Page, within: str | None = None, only: list[str] | None = None) -> list[str]:
    """One line a broken rule and element: rule, what is wrong, and where; of a part only with its CSS selector."""
    if page.evaluate("() => typeof axe === 'undefined'"):
        page.evaluate(_SOURCE.read_text())
    found = page.evaluate(_RUN, [within, only])["violations"]
    return [f"{rule['id']}: {node['failureSummary']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]
