"""``make screenshots``: pictures of the main pages, with short real runs of each template on a private stack.

Wide and light, and narrow and dark; the whole report wide and light, as it is longer on a phone than a picture may be.
"""

import io
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page

from scripts.stack.waiting import wait_until
from scripts.testbed.browser import chromium, settle, sign_in
from scripts.testbed.stack import Stack, running_stack

Scheme = Literal["light", "dark"]
LOOKS: dict[str, tuple[int, int, Scheme]] = {"light": (1440, 900, "light"), "phone-dark": (390, 844, "dark")}
"""A name, the size in pixels and the colour scheme."""

PREVIEWS: dict[str, dict[str, object]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

_READINGS = 4
_LONGEST = 16_383
"""Pixels that a WebP picture may be high."""


def _shoot(page: Page, path: Path, *, full: bool = False) -> None:
    page.evaluate("() => { document.activeElement?.blur(); }")
    data = page.screenshot(full_page=full, animations="disabled")
    with Image.open(io.BytesIO(data)) as picture:
        lossy = picture.convert("RGB").crop((0, 0, picture.width, min(picture.height, _LONGEST)))
        path.parent.mkdir(parents=True, exist_ok=True)
        lossy.save(path, "WEBP", quality=70, method=6)


def _walk(page: Page) -> None:
    """Scroll through the page, so that what is drawn once it is near is drawn."""
    height: int = page.evaluate("() => document.body.scrollHeight")
    for top in range(0, height, 700):
        page.evaluate("top => window.scrollTo(0, top)", top)
        settle(page)
    page.evaluate("() => window.scrollTo(0, 0)")
    settle(page)


@contextmanager
def _pages(browser: Browser, stack: Stack) -> Iterator[dict[str, Page]]:
    contexts = {
        look: browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        for look, (width, height, scheme) in LOOKS.items()
    }
    yield {look: sign_in(context, stack) for look, context in contexts.items()}
    for context in contexts.values():
        context.close()


def _shoot_live(stack: Stack, pages: dict[str, Page], folder: Path, run_id: str) -> None:
    """While the second trial is measured and has drawn something."""
    for page in pages.values():
        page.goto(f"{stack.url}/runs/{run_id}")
    stack.trial_in(run_id, "completed")
    trial_id = stack.trial_in(run_id, "measuring")
    wait_until(
        lambda: any(len(one["points"]) > _READINGS for one in stack.api("GET", f"/trials/{trial_id}/series")["series"]),
        "readings of the second trial",
        seconds=30,
    )
    for look, page in pages.items():
        _shoot(page, folder / f"live-{look}.webp")


def _shoot_pages(stack: Stack, pages: dict[str, Page], folder: Path, runs: tuple[str, str]) -> None:
    run_id, earlier = runs
    experiment = stack.run(run_id)["experiment_id"]
    addresses = {
        "designer": f"/experiments/{experiment}/design",
        "report": f"/runs/{run_id}/report",
        "compare": f"/compare?runs={earlier},{run_id}",
        "trends": f"/experiments/{experiment}/trends",
    }
    for look, page in pages.items():
        for name, address in addresses.items():
            page.goto(f"{stack.url}{address}")
            settle(page)
            _shoot(page, folder / f"{name}-{look}.webp")
    wide = pages["light"]
    wide.goto(f"{stack.url}{addresses['report']}")
    settle(wide)
    _walk(wide)
    _shoot(wide, folder / "report-whole-light.webp", full=True)


def _shoot_template(stack: Stack, pages: dict[str, Page], output: Path, template: str) -> None:
    title = stack.api("GET", f"/templates/{template}")["title"]
    body = {"name": title, "template_key": template, "parameters": PREVIEWS[template]}
    experiment = stack.api("POST", "/experiments", body)["id"]
    earlier, run_id = (
        stack.api("POST", f"/experiments/{experiment}/runs", {"host_id": stack.host_id()})["id"] for _ in range(2)
    )
    stack.wait_for_end(earlier, seconds=300)
    _shoot_live(stack, pages, output / template, run_id)
    stack.wait_for_end(run_id, seconds=300)
    _shoot_pages(stack, pages, output / template, (run_id, earlier))


def _write_index(output: Path) -> None:
    """All pictures that are there, template by template."""
    lines = ["# Pictures of the main pages", "", "Made by `make screenshots`, from short real runs on one machine.", ""]
    for template in PREVIEWS:
        names = sorted(path.name for path in (output / template).glob("*.webp"))
        if names:
            lines += [f"## {template}", "", *(f"![{Path(name).stem}]({template}/{name})" for name in names), ""]
    (output / "README.md").write_text("\n".join(lines))


def main() -> int:
    """Arguments: where to, and the keys of templates; all by default."""
    output = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/screenshots")
    with running_stack() as stack, chromium() as browser, _pages(browser, stack) as pages:
        for template in sys.argv[2:] or PREVIEWS:
            _shoot_template(stack, pages, output, template)
            _write_index(output)
    pictures = list(output.rglob("*.webp"))
    mebibytes = sum(path.stat().st_size for path in pictures) / (1 << 20)
    sys.stdout.write(f"{len(pictures)} pictures in {output}, {mebibytes:.1f} MiB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
