"""The REST API as typed methods. All of them raise ``ClientError``."""

from typing import Any, Self, TypeVar
from urllib.parse import quote
from uuid import UUID

import httpx
from pydantic import TypeAdapter, ValidationError

from ngxlab_cli import models, requests
from ngxlab_cli.access import LOGIN_HINT, Access
from ngxlab_cli.api_model import ApiModel
from ngxlab_cli.errors import ClientError, NotSignedInError, UnreachableError, UsageError

PREFIX = "/api/v1"
TIMEOUT = httpx.Timeout(20.0, connect=5.0)

_Answer = TypeVar("_Answer")


class LabClient:
    """A server, used with one person's token."""

    def __init__(self, access: Access) -> None:
        self.url = access.url
        headers = {"Authorization": f"Bearer {access.token}"}
        self._http = httpx.Client(base_url=access.url + PREFIX, headers=headers, timeout=TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def run_page(self, run_id: UUID) -> str:
        """The address of the run's page for a browser."""
        return f"{self.url}/runs/{run_id}"

    def report_page(self, run_id: UUID) -> str:
        """The address of the report's page for a browser."""
        return f"{self.url}/runs/{run_id}/report"

    def me(self) -> models.Me:
        return self._call("GET", "/auth/me", models.Me)

    def hosts(self) -> list[models.HostSummary]:
        return self._call("GET", "/hosts", list[models.HostSummary])

    def runs(self, limit: int) -> models.RunPage:
        return self._call("GET", f"/runs?limit={limit}", models.RunPage)

    def run(self, run_id: UUID) -> models.RunDetail:
        return self._call("GET", f"/runs/{run_id}", models.RunDetail)

    def steer(self, run_id: UUID, action: str) -> models.RunDetail:
        """``action``: cancel, finish, pause, resume or retry."""
        return self._call("POST", f"/runs/{run_id}/{action}", models.RunDetail)

    def report(self, run_id: UUID) -> models.Report:
        return self._call("GET", f"/runs/{run_id}/report", models.Report)

    def choose_window(self, run_id: UUID, window: models.WindowChoice | None) -> None:
        """For all trials; ``None``: the planned one."""
        if window is None:
            self._send("DELETE", f"/runs/{run_id}/window")
        else:
            self._send("PUT", f"/runs/{run_id}/window", json=_json(window))

    def share(self, run_id: UUID) -> models.ShareCreated:
        """A new link that shows the report without an account."""
        return self._call("POST", f"/runs/{run_id}/shares", models.ShareCreated, json={})

    def preview(self, document: str) -> models.DefinitionPreview:
        body = requests.DefinitionPreviewRequest(yaml=document)
        return self._call("POST", "/experiments/preview", models.DefinitionPreview, json=_json(body))

    def import_experiment(self, document: str, name: str | None) -> models.ExperimentDetail:
        return self._call(
            "POST",
            "/experiments/import",
            models.ExperimentDetail,
            content=document.encode(),
            headers={"Content-Type": "text/yaml; charset=utf-8"},
            params={"name": name} if name else {},
        )

    def template(self, key: str) -> models.TemplateDetail:
        return self._call("GET", f"/templates/{quote(key, safe='')}", models.TemplateDetail)

    def create_experiment(self, body: requests.ExperimentCreate) -> models.ExperimentDetail:
        return self._call("POST", "/experiments", models.ExperimentDetail, json=_json(body))

    def experiment(self, experiment_id: UUID) -> models.ExperimentDetail:
        return self._call("GET", f"/experiments/{experiment_id}", models.ExperimentDetail)

    def export(self, experiment_id: UUID, version: int) -> str:
        """The YAML document."""
        return self._send("GET", f"/experiments/{experiment_id}/versions/{version}.yaml").text

    def start_run(self, experiment_id: UUID, body: requests.RunCreate) -> models.RunDetail:
        return self._call("POST", f"/experiments/{experiment_id}/runs", models.RunDetail, json=_json(body))

    def power(self, experiment_id: UUID, body: requests.PowerRequest) -> dict[str, Any]:
        """What a run would find, whole; ``text`` says it in sentences."""
        return self._call("POST", f"/experiments/{experiment_id}/power", dict[str, Any], json=_json(body))

    def power_of_new(self, body: requests.NewPowerRequest) -> dict[str, Any]:
        """The same of an experiment that is not saved."""
        return self._call("POST", "/experiments/power", dict[str, Any], json=_json(body))

    def calibrate(self, experiment_id: UUID, body: requests.CalibrationRequest) -> models.RunDetail:
        return self._call("POST", f"/experiments/{experiment_id}/calibrations", models.RunDetail, json=_json(body))

    def _call(self, method: str, path: str, answer: type[_Answer], **request: Any) -> _Answer:
        response = self._send(method, path, **request)
        try:
            return TypeAdapter(answer).validate_json(response.content)
        except ValidationError as error:
            path = response.request.url.path
            raise UnreachableError(f"the answer to {path} is not one that this version of ngxlab reads") from error

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **request)
        except httpx.TransportError as error:
            raise UnreachableError(f"{self.url} does not answer: {error}") from error
        if not response.is_success:
            raise _refusal(response, self.url)
        return response


def _json(body: ApiModel) -> dict[str, Any]:
    """The fields that were given; the server has defaults for the others."""
    return body.model_dump(mode="json", exclude_none=True, exclude_unset=True)


def _refusal(response: httpx.Response, url: str) -> ClientError:
    if response.status_code == httpx.codes.UNAUTHORIZED:
        return NotSignedInError(f"{url} does not accept this token: {LOGIN_HINT}")
    try:
        problem = models.Problem.model_validate_json(response.content)
    except ValidationError:
        return UnreachableError(f"{url} failed: {response.status_code} {response.reason_phrase}")
    if response.is_server_error:
        return UnreachableError(f"{url} failed: {problem.detail}")
    problems = [models.DefinitionProblem(field=entry.field, message=entry.message) for entry in problem.errors]
    return UsageError("the server refuses this" if problems else problem.detail, problems)
