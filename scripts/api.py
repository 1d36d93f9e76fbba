"""A small client of the REST API for the tools, on the standard library."""

import json
import urllib.error
import urllib.request
from typing import Any

from scripts.console import Failure

ANSWER_TIMEOUT_S = 20


class Api:
    """Calls ``/api/v1`` below ``url`` with a personal API token."""

    def __init__(self, url: str, token: str) -> None:
        self._base = f"{url}/api/v1"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def get(self, path: str) -> Any:
        """The JSON answer to a GET. Raises :class:`Failure` with the problem's own words."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: object) -> Any:
        """The JSON answer to a POST of ``body``. Raises :class:`Failure` with the problem's own words."""
        return self._ask("POST", path, json.dumps(body).encode())

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        request = urllib.request.Request(self._base + path, data=body, headers=self._headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_TIMEOUT_S) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise Failure(f"{method} {path}: {error.code} {_problem(error.read())}") from error
        except (OSError, ValueError) as error:
            raise Failure(f"{method} {path}: {error}", "does the backend run? make status") from error


def _problem(body: bytes) -> str:
    """What an RFC 9457 problem says, its fields included; else the body as it came."""
    try:
        problem = json.loads(body)
        fields = [f"{entry['field']}: {entry['message']}" for entry in problem.get("errors", [])]
        return " ".join([problem["detail"], *fields])
    except (ValueError, KeyError, TypeError, AttributeError):
        return body[:500].decode(errors="replace")
