"""What axe-core, the usual checker of accessibility rules, finds on a page."""

from playwright.sync_api import Page

from scripts.paths import FRONTEND

_SOURCE = FRONTEND / "node_modules/axe-core/axe.min.js"


def violations(page: Page) -> list[str]:
    """One line a broken rule and element: rule, what is wrong, and where."""
    page.evaluate(_SOURCE.read_text())
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [f"{rule['id']}: {node['failureSummary']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]
