"""The REST API: its calls, with typed answers, all of which raise ``ClientError``."""

import re
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, BinaryIO, Self, TypeVar
from uuid import UUID

import httpx2
from pydantic import TypeAdapter, ValidationError

from ngxlab_cli import models, requests
from ngxlab_cli.access import LOGIN_HINT, Access
from ngxlab_cli.api_model import ApiModel
from ngxlab_cli.errors import ClientError, NotSignedInError, UnreachableError, UsageError

PREFIX = "/api/v1"
PAGE_ITEMS = 1000
"""The most that the server gives at once."""
TIMEOUT = httpx2.Timeout(20.0, connect=5.0)
STILL_WORKING_S = 120.0
"""The longest wait for what a jobs service works out."""
FILE_TIMEOUT = httpx2.Timeout(600.0, connect=5.0)
"""Other files may be made first, and an archive is read twice before the answer."""
_NO_ENDPOINT = "There is no such endpoint."
"""As servers say it."""
_SAFE_NAME = re.compile(r"filename=\"([A-Za-z0-9][A-Za-z0-9._-]*)\"")

_Answer = TypeVar("_Answer")


class LabClient:
    def __init__(self, access: Access) -> None:
        self.url = access.url
        headers = {"Authorization": f"Bearer {access.token}"}
        secure = access.url.startswith("https:")  # else no certificates are loaded, which takes longer than a question
        self._http = httpx2.Client(base_url=access.url + PREFIX, headers=headers, timeout=TIMEOUT, verify=secure)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def run_page(self, run_id: UUID) -> str:
        return f"{self.url}/runs/{run_id}"

    def report_page(self, run_id: UUID) -> str:
        return f"{self.url}/runs/{run_id}/report"

    def hosts(self) -> list[models.HostSummary]:
        """All of them, however many pages they fill."""
        found, start = [], 0
        while True:
            page = self.call("GET", "/hosts", models.HostPage, params={"start": start, "limit": PAGE_ITEMS})
            found += page.items
            if page.next is None:
                return found
            start = page.next

    def run(self, run_id: UUID) -> models.RunDetail:
        return self.call("GET", f"/runs/{run_id}", models.RunDetail)

    def steer(self, run_id: UUID, action: str) -> models.RunDetail:
        """``action``: cancel, finish, pause, resume or retry."""
        return self.call("POST", f"/runs/{run_id}/{action}", models.RunDetail)

    def add_blocks(self, run_id: UUID, blocks: int) -> models.RunDetail:
        """``blocks``: in all, with those that the run has. Asking twice is harmless."""
        return self.call("POST", f"/runs/{run_id}/blocks", models.RunDetail, requests.BlocksWanted(blocks=blocks))

    def report(self, run_id: UUID) -> models.Report:
        return self.call("GET", f"/runs/{run_id}/report", models.Report)

    def share(self, run_id: UUID) -> models.ShareCreated:
        """A new link that shows the report without an account."""
        return self.call("POST", f"/runs/{run_id}/shares", models.ShareCreated, json={})

    def preview(self, document: str) -> models.DefinitionPreview:
        body = requests.DefinitionPreviewRequest(yaml=document)
        return self.call("POST", "/experiments/preview", models.DefinitionPreview, body)

    def import_experiment(self, document: str, name: str | None, *, again: bool = False) -> models.ExperimentDetail:
        """``again``: as the person's experiment of that name, where there is one."""
        return self.call(
            "POST",
            "/experiments/import",
            models.ExperimentDetail,
            content=document.encode(),
            headers={"Content-Type": "text/yaml; charset=utf-8"},
            params=({"name": name} if name else {}) | ({"again": "true"} if again else {}),
        )

    def export_run(self, run_id: UUID, name: str, receive: Callable[[str], BinaryIO]) -> None:
        """``receive``: from the name that the server gives the file to where it is written."""
        path = f"/runs/{run_id}/exports/{name}"
        try:
            with self._http.stream("GET", path, timeout=FILE_TIMEOUT) as response:
                if not response.is_success:
                    response.read()
                    raise _refusal(response, self.url)
                with receive(_file_name(response, name)) as file:
                    for piece in response.iter_bytes():
                        file.write(piece)
        except httpx2.TransportError as error:
            raise UnreachableError(f"{self.url} broke off: {error}") from error

    def call(
        self, method: str, path: str, answer: type[_Answer], body: ApiModel | None = None, **request: Any
    ) -> _Answer:
        response = self.send(method, path, body, **request)
        try:
            return TypeAdapter(answer).validate_json(response.content)
        except ValidationError as error:
            text = f"the answer to {response.request.url.path} is not one that this version of ngxlab reads"
            raise UnreachableError(f"{text}{self._whose_version()}") from error

    def send(self, method: str, path: str, body: ApiModel | None = None, **request: Any) -> httpx2.Response:
        """Sends the fields of ``body`` that were given; the server has defaults for the others."""
        if body is not None:
            request["json"] = body.model_dump(mode="json", exclude_none=True, exclude_unset=True)
        deadline = time.monotonic() + STILL_WORKING_S
        try:
            response = self._http.request(method, path, **request)
            while (pause_s := _pause_s(response)) is not None and time.monotonic() < deadline:
                time.sleep(pause_s)  # as the server asks for
                response = self._http.request(method, path, **request)
        except httpx2.TransportError as error:
            raise UnreachableError(f"{self.url} does not answer: {error}") from error
        if not response.is_success:
            refusal = _refusal(response, self.url)
            if _knows_no_such(response):
                raise UsageError(f"{self.url} cannot do this{self._whose_version()}") from refusal
            raise refusal
        return response

    def _whose_version(self) -> str:
        """What explains an answer that nobody expects: the server is of another version. Empty where it is not, or does
        not say."""
        own = version("ngxlab-cli")
        try:
            found = models.Health.model_validate_json(self._http.get(f"{self.url}/healthz").content).version
        except (httpx2.HTTPError, ValidationError):
            return ""
        return "" if found == own else f": the server is ngxlab {found}, and this command line {own}"


def _knows_no_such(response: httpx2.Response) -> bool:
    """An endpoint that an older server does not have: what an address leads to is not found otherwise."""
    if response.status_code == httpx2.codes.METHOD_NOT_ALLOWED:
        return True
    return response.status_code == httpx2.codes.NOT_FOUND and _NO_ENDPOINT in response.text


def _pause_s(response: httpx2.Response) -> float | None:
    """How long to wait where the server is still working something out; ``None`` for every other answer."""
    if response.status_code != httpx2.codes.SERVICE_UNAVAILABLE or "Retry-After" not in response.headers:
        return None
    try:
        code = models.Problem.model_validate_json(response.content).code
    except ValidationError:
        return None
    return float(response.headers["Retry-After"]) if code in {"still-working", "waits-for-jobs"} else None


def _file_name(response: httpx2.Response, otherwise: str) -> str:
    """A name without folders, whatever the server says."""
    found = _SAFE_NAME.search(response.headers.get("Content-Disposition", ""))
    return found[1] if found else otherwise


def _refusal(response: httpx2.Response, url: str) -> ClientError:
    if response.status_code == httpx2.codes.UNAUTHORIZED:
        return NotSignedInError(f"{url} does not accept this token: {LOGIN_HINT}")
    try:
        problem = models.Problem.model_validate_json(response.content)
    except ValidationError:
        return UnreachableError(f"{url} failed: {response.status_code} {response.reason_phrase}")
    if response.is_server_error:
        return UnreachableError(f"{url} failed: {problem.detail}")
    problems = [models.DefinitionProblem(field=entry.field, message=entry.message) for entry in problem.errors]
    return UsageError("the server refuses this" if problems else problem.detail, problems, problem.code)
