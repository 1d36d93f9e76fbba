"""A page wide and on a phone, light and dark, without loading it anew: what is wrong with it in each of these looks."""

from collections.abc import Callable
from typing import Literal

from playwright.sync_api import Page

from scripts.paths import FRONTEND
from scripts.testbed.browser import settle, still

SIZES = {"wide": (1440, 900), "phone": (390, 844)}
Scheme = Literal["light", "dark"]
Look = tuple[str, Scheme]
ALL: tuple[Look, ...] = (("wide", "light"), ("wide", "dark"), ("phone", "dark"), ("phone", "light"))
"""Each a change of one thing from that before: a report is drawn anew with each."""
OPPOSITE: tuple[Look, ...] = (("wide", "light"), ("phone", "dark"))
"""For another page of parts that are judged in all looks elsewhere."""

_AXE = FRONTEND / "node_modules/axe-core/axe.min.js"
_RUN_AXE = """
([within, only]) => axe.run(within ?? document, {
  resultTypes: ['violations'],
  preload: false,
  rules: { 'target-size': { enabled: true } },
  ...(only ? { runOnly: { type: 'rule', values: only } } : {}),
})
"""
"""The rule of WCAG 2.2 on how large targets are is off unless asked for. No rule that is on needs style sheets."""

_OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that a colour scheme can break."""

_TAKEN_OVER = """
async (scheme) => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return getComputedStyle(document.documentElement).colorScheme === scheme;
}
"""
"""Two frames later, what watches the size of its place has been drawn for it."""

_OUT_OF_SIGHT = """
() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (!/\\d/.test(texts.currentNode.textContent)) continue;
    const range = document.createRange();
    range.selectNode(texts.currentNode);
    const { right, width } = range.getBoundingClientRect();
    if (width === 0 || right <= innerWidth + 1) continue;
    const parent = texts.currentNode.parentElement;
    if (!parent.checkVisibility({ visibilityProperty: true }) || parent.closest('pre, .cm-editor')) continue;
    let clip = parent;
    while (clip && getComputedStyle(clip).clipPath === 'none') clip = clip.parentElement;
    if (!clip) found.push(`out of sight: ${parent.outerHTML.slice(0, 200)}`);
  }
  const more = document.documentElement.scrollWidth - innerWidth;
  return more > 0 ? [...found, `the page is ${more} px too wide`] : found;
}
"""
"""Texts with a digit that end right of the screen. What is cut to nothing is for screen readers."""


def violations(page: Page, within: str | None = None, only: list[str] | None = None) -> list[str]:
    """One line a broken rule and element: rule, what is wrong, and where; of a part only with its CSS selector."""
    if page.evaluate("() => typeof axe === 'undefined'"):
        page.evaluate(_AXE.read_text())
    found = page.evaluate(_RUN_AXE, [within, only])["violations"]
    return [f"{rule['id']}: {node['failureSummary']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]


def out_of_sight(page: Page) -> list[str]:
    """Numbers that one has to scroll sideways for, and whether the page does."""
    found: list[str] = page.evaluate(_OUT_OF_SIGHT)
    return found


def show(page: Page, look: Look) -> None:
    """The page in that look, once it has taken it over."""
    size, scheme = look
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(_TAKEN_OVER, arg=scheme)
    still(page)


def faults(
    page: Page, within: str | None = None, wait: Callable[[Page], None] = settle, looks: tuple[Look, ...] = ALL
) -> list[str]:
    """What breaks a rule, or is out of sight, in each look; of a part only with its CSS selector.

    All rules are asked once at each width; in its other colour scheme those of colours alone, as it changes nothing
    else. The page is left in the last look.
    """
    found = []
    asked = set[str]()
    for look in looks:
        show(page, look)
        wait(page)
        size, scheme = look
        lines = violations(page, within, _OF_COLOURS if size in asked else None)
        if size not in asked and within is None:
            lines += out_of_sight(page)
        asked.add(size)
        found += [f"{size}, {scheme}: {line}" for line in lines]
    return found
