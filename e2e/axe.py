"""What axe-core, the usual checker of accessibility rules, finds on a page."""

from collections.abc import Callable
from typing import Literal

from playwright.sync_api import Page

from scripts.paths import FRONTEND
from scripts.testbed.browser import settle

_SOURCE = FRONTEND / "node_modules/axe-core/axe.min.js"
_RUN = """
([within, only]) => axe.run(within ?? document, {
  resultTypes: ['violations'],
  rules: { 'target-size': { enabled: true } },
  ...(only ? { runOnly: { type: 'rule', values: only } } : {}),
})
"""
"""The rule of WCAG 2.2 on how large targets are is off unless it is asked for."""

WIDTHS = (1440, 390)
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_OF_COLOURS = ["color-contrast", "link-in-text-block"]


def violations(page: Page, within: str | None = None, only: list[str] | None = None) -> list[str]:
    """One line a broken rule and element: rule, what is wrong, and where; of a part only with its CSS selector."""
    if page.evaluate("() => typeof axe === 'undefined'"):
        page.evaluate(_SOURCE.read_text())
    found = page.evaluate(_RUN, [within, only])["violations"]
    return [f"{rule['id']}: {node['failureSummary']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]


def violations_in_all_looks(page: Page, wait: Callable[[Page], None] = settle) -> list[str]:
    """The same at both widths and in both colour schemes, without loading anew: colours alone differ by the scheme."""
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in _SCHEMES:
            page.emulate_media(color_scheme=scheme)
            wait(page)
            broken = violations(page, only=_OF_COLOURS if scheme == "dark" else None)
            found += [f"{width} px, {scheme}: {line}" for line in broken]
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.emulate_media(color_scheme=_SCHEMES[0])
    return found
