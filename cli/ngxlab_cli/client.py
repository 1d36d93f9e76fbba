"""The REST API, typed by :mod:`ngxlab_cli.models`. All methods raise ``ClientError``."""

from collections.abc import Mapping
from typing import Any, Self, TypeVar
from urllib.parse import quote
from uuid import UUID

import httpx
from pydantic import TypeAdapter, ValidationError

from ngxlab_cli import models
from ngxlab_cli.access import LOGIN_HINT, Access
from ngxlab_cli.errors import ClientError, NotSignedInError, UnreachableError, UsageError

PREFIX = "/api/v1"
TIMEOUT = httpx.Timeout(20.0, connect=5.0)

_Answer = TypeVar("_Answer", bound=models.Answer)
_HOSTS = TypeAdapter(list[models.Host])


class LabClient:
    """A server as one person sees it."""

    def __init__(self, access: Access) -> None:
        self.url = access.url
        headers = {"Authorization": f"Bearer {access.token}"}
        self._http = httpx.Client(base_url=access.url + PREFIX, headers=headers, timeout=TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def run_page(self, run_id: UUID) -> str:
        """Where a browser shows the run."""
        return f"{self.url}/runs/{run_id}"

    def report_page(self, run_id: UUID) -> str:
        return f"{self.url}/runs/{run_id}/report"

    def me(self) -> models.Me:
        return self._call("GET", "/auth/me", models.Me)

    def hosts(self) -> list[models.Host]:
        response = self._send("GET", "/hosts")
        try:
            return _HOSTS.validate_json(response.content)
        except ValidationError as error:
            raise _not_understood(response) from error

    def runs(self, limit: int) -> models.RunPage:
        return self._call("GET", f"/runs?limit={limit}", models.RunPage)

    def run(self, run_id: UUID) -> models.Run:
        return self._call("GET", f"/runs/{run_id}", models.Run)

    def steer(self, run_id: UUID, action: str) -> models.Run:
        """``action``: cancel, pause, resume or retry."""
        return self._call("POST", f"/runs/{run_id}/{action}", models.Run)

    def report(self, run_id: UUID) -> models.Report:
        return self._call("GET", f"/runs/{run_id}/report", models.Report)

    def share(self, run_id: UUID) -> models.Share:
        return self._call("POST", f"/runs/{run_id}/shares", models.Share, json={})

    def preview(self, document: str) -> models.Preview:
        return self._call("POST", "/experiments/preview", models.Preview, json={"yaml": document})

    def import_experiment(self, document: str, name: str | None) -> models.Experiment:
        return self._call(
            "POST",
            "/experiments/import",
            models.Experiment,
            content=document.encode(),
            headers={"Content-Type": "text/yaml; charset=utf-8"},
            params={"name": name} if name else {},
        )

    def template(self, key: str) -> models.Template:
        return self._call("GET", f"/templates/{quote(key, safe='')}", models.Template)

    def create_experiment(self, name: str, template: str, parameters: Mapping[str, object]) -> models.Experiment:
        body = {"name": name, "template_key": template, "parameters": dict(parameters)}
        return self._call("POST", "/experiments", models.Experiment, json=body)

    def experiment(self, experiment_id: UUID) -> models.Experiment:
        return self._call("GET", f"/experiments/{experiment_id}", models.Experiment)

    def export(self, experiment_id: UUID, version: int) -> str:
        """The YAML document."""
        return self._send("GET", f"/experiments/{experiment_id}/versions/{version}.yaml").text

    def start_run(self, experiment_id: UUID, body: Mapping[str, object]) -> models.Run:
        return self._call("POST", f"/experiments/{experiment_id}/runs", models.Run, json=dict(body))

    def _call(self, method: str, path: str, answer: type[_Answer], **request: Any) -> _Answer:
        response = self._send(method, path, **request)
        try:
            return answer.model_validate_json(response.content)
        except ValidationError as error:
            raise _not_understood(response) from error

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **request)
        except httpx.TransportError as error:
            raise UnreachableError(f"{self.url} does not answer: {error}") from error
        if not response.is_success:
            raise _refusal(response, self.url)
        return response


def _refusal(response: httpx.Response, url: str) -> ClientError:
    try:
        problem = models.Problem.model_validate_json(response.content)
    except ValidationError:
        problem = models.Problem()
    if response.status_code == httpx.codes.UNAUTHORIZED:
        return NotSignedInError(f"{url} does not accept this token: {LOGIN_HINT}")
    detail = problem.detail or f"{response.status_code} {response.reason_phrase}"
    if response.is_server_error or not problem.code:
        return UnreachableError(f"{url} failed: {detail}")
    return UsageError("the server refuses this" if problem.errors else detail, problem.errors)


def _not_understood(response: httpx.Response) -> UnreachableError:
    path = response.request.url.path
    return UnreachableError(f"the answer to {path} is not what an ngxlab of this client's version says")
