"""nginx's configuration, from the template beside this file."""

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from ngxlab.front.answers import (
    ASSET_HEADERS,
    FRAMED_HEADERS,
    FRAMED_PAGE,
    NOT_FOUND,
    PAGE_HEADERS,
    PAGES,
    PREVIEWED_PAGES,
    PRIVATE_HEADERS,
    REFUSALS,
    pattern,
)

_TEMPLATE = Path(__file__).with_name("nginx.conf")


class _Text(string.Template):
    """nginx has uses of its own for the dollar."""

    delimiter = "%"


@dataclass(frozen=True)
class Tls:
    """Where TLS is spoken, and the files of the certificate, with its chain, and of its key."""

    address: str
    certificate: Path
    key: Path


@dataclass(frozen=True)
class Front:
    """``address``: HOST:PORT where it listens. ``backends``: HOST:PORT or unix:PATH of each process of the backend.

    ``folder``: its own, for what it writes. ``pages``: the frontend's build. ``unread_s``: until a reader is given up
    who takes nothing of an answer; a live stream says something more often than that.
    """

    address: str
    backends: Sequence[str]
    folder: Path
    pages: Path
    tls: Tls | None = None
    connections: int = 8_192
    head_s: int = 10
    body_s: int = 30
    unread_s: int = 300

    def render(self) -> str:
        """The text of the configuration."""
        return _Text(_TEMPLATE.read_text()).substitute(
            folder=self.folder,
            sockets=2 * self.connections + 512,  # each may need one to the backend; more are told so
            connections=self.connections,
            head_s=self.head_s,
            body_s=self.body_s,
            unread_s=self.unread_s,
            backends=_lines(8, (f"server {backend} fail_timeout=1s;" for backend in self.backends)),
            listen=_lines(8, self._listening()),
            pages_folder=self.pages,
            pages=pattern(*PAGES),
            framed=pattern(FRAMED_PAGE),
            previewed=pattern(*PREVIEWED_PAGES),
            page_headers=_lines(12, _headers(PAGE_HEADERS)),
            framed_headers=_lines(12, _headers(FRAMED_HEADERS)),
            asset_headers=_lines(12, _headers(ASSET_HEADERS, always="")),
            errors=_lines(8, _errors()),
            refusals=_lines(8, _refusals()),
        )

    def _listening(self) -> list[str]:
        lines = [f"listen {self.address} backlog=4096;"]
        if self.tls is not None:
            lines += [
                f"listen {self.tls.address} ssl backlog=4096;",
                f"ssl_certificate {self.tls.certificate};",
                f"ssl_certificate_key {self.tls.key};",
                "ssl_protocols TLSv1.2 TLSv1.3;",
                "ssl_session_cache shared:tls:10m;",
                "ssl_session_timeout 1d;",
                "ssl_session_tickets off;",
            ]
        return lines


def _headers(headers: Mapping[str, str], always: str = " always") -> list[str]:
    every = {"X-Request-Id": "$request_id", "Strict-Transport-Security": "$only_by_tls", **headers}
    return [f'add_header {name} "{text}"{always};' for name, text in every.items()]


def _errors() -> list[str]:
    """Which of nginx's own statuses is answered by which refusal."""
    others = (one for one in REFUSALS if one is not NOT_FOUND)
    told = [f"error_page {' '.join(map(str, one.to))} ={one.status.value} {_place(one.to[0])};" for one in others]
    return ["error_page 404 $unknown;", *told]


def _refusals() -> list[str]:
    lines = []
    for one in REFUSALS:
        lines += [f"location = {_place(one.to[0])} {{", "    internal;", "    types { }"]
        lines += ["    default_type application/problem+json;"]
        if one.status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            lines += ["    lingering_close off;", "    lingering_time 0;"]  # none of it is read
        lines += [f"    {line}" for line in _headers(PRIVATE_HEADERS | one.headers)]
        lines += [f"    return {one.status.value} '{one.body}';", "}"]
    return lines


def _place(status: int) -> str:
    return f"/front/{status}"


def _lines(indent: int, lines: Iterable[str]) -> str:
    return ("\n" + " " * indent).join(lines)
