"""Puts a :class:`Link` between the services of a running stack, wherever one calls another over TCP."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from scripts.testbed.links import LOOPBACK, Lay, Link
from scripts.testbed.stack import Stack


class Wire(NamedTuple):
    """``setting``: the variable in ``service``'s environment that holds the URL of what it calls."""

    service: str
    setting: str
    name: str


WIRES = (
    Wire("backend", "DATABASE_URL", "backend-postgres"),
    Wire("backend", "REDIS_URL", "backend-redis"),
    Wire("coordinator", "NGXLAB_BACKEND_URL", "coordinator-backend"),
    Wire("coordinator", "REDIS_URL", "coordinator-redis"),
    Wire("agent", "NGXLAB_BACKEND_URL", "agent-backend"),
)
AGENT_BROKER = "agent-redis"
ASKING = ("agent-backend", "coordinator-backend")
"""Links with HTTP, whose callers repeat what got no answer, although it has been done."""


def wire(stack: Stack, lay: Lay) -> Mapping[str, Link]:
    """Restart the services with their links in between; the links by name."""
    text = (stack.data / "run" / "supervisord.conf").read_text()
    links: dict[str, Link] = {}
    for one in WIRES:
        pattern = _setting(one)
        found = pattern.search(text)
        assert found is not None, f"{one.service} has no {one.setting}"
        links[one.name] = lay(one.name, _address(found["url"]))
        text = text[: found.start("url")] + _through(found["url"], links[one.name]) + text[found.end("url") :]
    links[AGENT_BROKER] = _wire_broker(stack.data / "agent" / "credential.json", lay)
    stack.reconfigure(text, sorted({one.service for one in WIRES}))
    return links


def _setting(one: Wire) -> re.Pattern[str]:
    """Where supervisord's configuration has the value, in the section of the service."""
    return re.compile(rf'\[program:{one.service}\][^\[]*?\b{one.setting}="(?P<url>[^"]*)"', re.DOTALL)


def _wire_broker(path: Path, lay: Lay) -> Link:
    credential = json.loads(path.read_text())
    link = lay(AGENT_BROKER, _address(credential["broker_url"]))
    credential["broker_url"] = _through(credential["broker_url"], link)
    path.write_text(json.dumps(credential))
    return link


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def _through(url: str, link: Link) -> str:
    """The same URL, at the link's port."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{user}@{LOOPBACK}:{link.port}" if user else f"{LOOPBACK}:{link.port}").geturl()
