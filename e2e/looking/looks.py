"""A page wide and on a phone, light and dark, without loading it anew: what is wrong with it in each of these looks."""

from collections.abc import Callable, Iterator
from typing import Literal

from playwright.sync_api import Page

from looking.axe import OF_COLOURS, violations
from scripts.testbed.browser import settle, still

SIZES = {"wide": (1440, 900), "phone": (390, 844)}
Scheme = Literal["light", "dark"]
_SCHEMES: tuple[Scheme, ...] = ("light", "dark")

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
    const parent = texts.currentNode.parentElement;
    const isSeen = parent.checkVisibility({ visibilityProperty: true }) && !parent.closest('pre, .cm-editor');
    if (!isSeen || !/\\d/.test(texts.currentNode.textContent)) continue;
    const range = document.createRange();
    range.selectNode(texts.currentNode);
    const { right, width } = range.getBoundingClientRect();
    let clip = parent;
    while (clip && getComputedStyle(clip).clipPath === 'none') clip = clip.parentElement;
    if (!clip && width > 0 && right > innerWidth + 1) found.push(`out of sight: ${texts.currentNode.textContent}`);
  }
  const more = document.documentElement.scrollWidth - innerWidth;
  return more > 0 ? [...found, `the page is ${more} px too wide`] : found;
}
"""
"""Texts with a digit that end right of the screen. What is cut to nothing is for screen readers."""


def out_of_sight(page: Page) -> list[str]:
    """Numbers that one has to scroll sideways for, and whether the page does."""
    found: list[str] = page.evaluate(_OUT_OF_SIGHT)
    return found


def in_both_schemes(page: Page) -> Iterator[Scheme]:
    """Light and dark, one after the other, each once the page has taken it over; light again in the end."""
    for scheme in _SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(_TAKEN_OVER, arg=scheme)
        still(page)
        yield scheme
    page.emulate_media(color_scheme=_SCHEMES[0])


def faults(page: Page, within: str | None = None, wait: Callable[[Page], None] = settle) -> list[str]:
    """What breaks a rule, or is out of sight, in each look; of a part only with its CSS selector.

    All rules are asked at each width; in the dark those of colours alone, as it changes nothing else. The page is left
    wide and light.
    """
    found = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in in_both_schemes(page):
            wait(page)
            lines = violations(page, within, OF_COLOURS if scheme == "dark" else None)
            if scheme == "light" and within is None:
                lines += out_of_sight(page)
            found += [f"{size}, {scheme}: {line}" for line in lines]
    width, height = SIZES["wide"]
    page.set_viewport_size({"width": width, "height": height})
    return found
