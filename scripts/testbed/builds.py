"""Builds of nginx that the owner of an installation's own host registers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack


@contextmanager
def registered(stack: Stack, binary: Path) -> Iterator[None]:
    """Beside the system's nginx, until the end."""
    caps = stack.data / "agent" / "caps.toml"
    before = caps.read_text()
    caps.write_text(f'{before}\nnginx = ["{binary}"]\n')
    stack.supervise("restart", "agent")
    wait_until(
        lambda: len(stack.api("GET", "/hosts")["items"][0]["nginx"]) == 2, "the second build being registered", 60
    )
    stack.idle_host()
    try:
        yield
    finally:
        caps.write_text(before)
        stack.supervise("restart", "agent")
