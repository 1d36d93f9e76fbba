"""A made forge: what of GitHub's and of GitLab's REST a job uses, with comments and checks that are remembered."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = tuple[int, Any]
BOT = {"login": "github-actions[bot]", "type": "Bot"}
SOMEBODY = {"login": "somebody", "type": "User"}


@dataclass
class Forge:
    """``comments``: of request 12, in order, each with ``id`` and ``body``. ``checks``: of commits, likewise."""

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    refuses: bool = False

    def answer(self, method: str, path: str, query: Mapping[str, list[str]], body: Any) -> Answer:
        if self.refuses:
            return 403, {"message": "Resource not accessible by integration"}
        for pattern, act in _WAYS.items():
            if (found := re.fullmatch(pattern, f"{method} {path}")) is not None:
                return act(self, found, query, body)
        return 404, {"message": "Not Found"}


def _listed(forge: Forge, _: re.Match[str], query: Mapping[str, list[str]], __: Any) -> Answer:
    page, size = int(query["page"][0]), int(query["per_page"][0])
    return 200, forge.comments[(page - 1) * size : page * size]


def _commented(forge: Forge, way: re.Match[str], _: Any, body: Any) -> Answer:
    author = {"user": BOT} if "repos" in way[0] else {"author": {"id": 7}}
    forge.comments.append({"id": len(forge.comments) + 1, **author, **body})
    return 201, forge.comments[-1]


def _rewritten(forge: Forge, way: re.Match[str], _: Any, body: Any) -> Answer:
    found = next(one for one in forge.comments if one["id"] == int(way[1]))
    found |= body
    return 200, found


def _checks(forge: Forge, way: re.Match[str], query: Mapping[str, list[str]], _: Any) -> Answer:
    found = [one for one in forge.checks if one["head_sha"] == way[1] and one["name"] == query["check_name"][0]]
    return 200, {"total_count": len(found), "check_runs": found}


def _checked(forge: Forge, _: Any, __: Any, body: Any) -> Answer:
    forge.checks.append({"id": len(forge.checks) + 1, **body})
    return 201, forge.checks[-1]


def _rechecked(forge: Forge, way: re.Match[str], _: Any, body: Any) -> Answer:
    forge.checks[int(way[1]) - 1] |= body
    return 200, forge.checks[int(way[1]) - 1]


def _status(forge: Forge, way: re.Match[str], _: Any, body: Any) -> Answer:
    for one in forge.checks:
        if (one.get("sha"), one["name"]) == (way[1], body["name"]):
            if one["state"] == body["state"]:
                said = f"Cannot transition status via :x from :{one['state']} (Reason(s): Status cannot transition)"
                return 400, {"message": said}
            one.update(body)
            return 201, one
    forge.checks.append({"sha": way[1], **body})
    return 201, forge.checks[-1]


_WAYS: Mapping[str, Callable[[Forge, Any, Any, Any], Answer]] = {
    r"GET /user": lambda *_: (403, {"message": "Resource not accessible by integration"}),
    r"GET /repos/o/r/issues/12/comments": _listed,
    r"POST /repos/o/r/issues/12/comments": _commented,
    r"PATCH /repos/o/r/issues/comments/(\d+)": _rewritten,
    r"GET /repos/o/r/commits/(\w+)/check-runs": _checks,
    r"POST /repos/o/r/check-runs": _checked,
    r"PATCH /repos/o/r/check-runs/(\d+)": _rechecked,
    r"GET /lab/user": lambda *_: (200, {"id": 7}),
    r"GET /lab/projects/3/merge_requests/12/notes": _listed,
    r"POST /lab/projects/3/merge_requests/12/notes": _commented,
    r"PUT /lab/projects/3/merge_requests/12/notes/(\d+)": _rewritten,
    r"POST /lab/projects/4/statuses/(\w+)": _status,
}


@contextmanager
def made_forge() -> Iterator[Forge]:
    forge = Forge()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            way = urlsplit(self.path)
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, said = forge.answer(self.command, way.path, parse_qs(way.query), json.loads(sent or b"null"))
            text = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    forge.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
