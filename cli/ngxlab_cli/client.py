"""The REST API as typed methods. All of them raise ``ClientError``."""

import re
import time
from collections.abc import Callable
from typing import Any, BinaryIO, Self, TypeVar
from urllib.parse import quote, urlencode
from uuid import UUID

import httpx2
from pydantic import TypeAdapter, ValidationError

from ngxlab_cli import models, requests
from ngxlab_cli.access import LOGIN_HINT, Access
from ngxlab_cli.api_model import ApiModel
from ngxlab_cli.errors import ClientError, NotSignedInError, UnreachableError, UsageError

PREFIX = "/api/v1"
TIMEOUT = httpx2.Timeout(20.0, connect=5.0)
STILL_WORKING_S = 120.0
"""The longest wait for what a jobs service works out."""
FILE_TIMEOUT = httpx2.Timeout(600.0, connect=5.0)
"""Other files may be made first, and an archive is read twice before the answer."""
_SAFE_NAME = re.compile(r"filename=\"([A-Za-z0-9][A-Za-z0-9._-]*)\"")

_Answer = TypeVar("_Answer")


class LabClient:
    """A server, used with one person's token."""

    def __init__(self, access: Access) -> None:
        self.url = access.url
        headers = {"Authorization": f"Bearer {access.token}"}
        self._http = httpx2.Client(base_url=access.url + PREFIX, headers=headers, timeout=TIMEOUT)

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
        return self._call("GET", "/hosts", models.HostPage).items

    def runs(self, limit: int, tags: list[str]) -> models.RunPage:
        """``tags``: which a run must have, all of them."""
        return self._call("GET", "/runs", models.RunPage, params={"limit": limit, "tag": tags})

    def run(self, run_id: UUID) -> models.RunDetail:
        return self._call("GET", f"/runs/{run_id}", models.RunDetail)

    def steer(self, run_id: UUID, action: str) -> models.RunDetail:
        """``action``: cancel, finish, pause, resume or retry."""
        return self._call("POST", f"/runs/{run_id}/{action}", models.RunDetail)

    def star(self, run_id: UUID, *, starred: bool) -> None:
        self._send("PUT" if starred else "DELETE", f"/runs/{run_id}/star")

    def tag(self, run_id: UUID, add: list[str], remove: list[str]) -> list[str]:
        """The tags that the run has then."""
        body = requests.TagChange(add=add, remove=remove)
        return self._call("PATCH", f"/runs/{run_id}/tags", models.RunTags, json=_json(body)).tags

    def notes(self, run_id: UUID) -> list[models.NoteOut]:
        """Notes on the run and its trials, the oldest first."""
        return self._call("GET", f"/runs/{run_id}/notes", models.NotePage).items

    def add_note(self, run_id: UUID, text: str, trial_id: UUID | None, t_s: float | None) -> models.NoteOut:
        """``t_s``: a moment of the trial."""
        body = requests.NoteCreate(text=text, trial_id=trial_id, t_s=t_s)
        return self._call("POST", f"/runs/{run_id}/notes", models.NoteOut, json=_json(body))

    def delete_run(self, run_id: UUID, *, end_links: bool) -> None:
        """With everything that was measured in it. ``end_links``: also if links to its report work."""
        self._send("DELETE", f"/runs/{run_id}", params={"end_links": end_links})

    def report(self, run_id: UUID) -> models.Report:
        return self._call("GET", f"/runs/{run_id}/report", models.Report)

    def compare(self, run_ids: list[UUID], arms: list[str], baseline: str | None) -> models.RunComparison:
        """``arms``: ``ARM`` or ``RUN:ARM``; all without any. ``baseline``: ``RUN`` or ``RUN:ARM``."""
        query: dict[str, Any] = {"runs": [str(run_id) for run_id in run_ids], "arms": arms}
        if baseline is not None:
            query["baseline"] = baseline
        return self._call("GET", "/compare", models.RunComparison, params=query)

    def compare_page(self, run_ids: list[UUID], arms: list[str], baseline: str | None) -> str:
        """The address of the comparison for a browser."""
        query = {"runs": ",".join(map(str, run_ids)), "arms": ",".join(arms), "baseline": baseline or ""}
        return f"{self.url}/compare?{urlencode({name: text for name, text in query.items() if text}, safe=',:')}"

    def trends(self, experiment_id: UUID) -> models.Trends:
        return self._call("GET", f"/experiments/{experiment_id}/trends", models.Trends)

    def trends_page(self, experiment_id: UUID) -> str:
        return f"{self.url}/experiments/{experiment_id}/trends"

    def choose_window(self, run_id: UUID, window: models.WindowChoice | None) -> None:
        """Chooses a window for all trials; ``None``: the planned one."""
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

    def import_run(self, archive: BinaryIO) -> models.RunDetail:
        """Sent as it is read, so that a large archive takes no memory."""
        headers = {"Content-Type": "application/zip"}
        return self._call(
            "POST", "/runs/import", models.RunDetail, content=archive, headers=headers, timeout=FILE_TIMEOUT
        )

    def start_run(self, experiment_id: UUID, body: requests.RunCreate) -> models.RunDetail:
        return self._call("POST", f"/experiments/{experiment_id}/runs", models.RunDetail, json=_json(body))

    def schedules(self, experiment_id: UUID | None) -> list[models.ScheduleOut]:
        of = {} if experiment_id is None else {"experiment_id": str(experiment_id)}
        return self._call("GET", "/schedules", models.SchedulePage, params=of).items

    def create_schedule(self, experiment_id: UUID, body: requests.ScheduleCreate) -> models.ScheduleOut:
        return self._call("POST", f"/experiments/{experiment_id}/schedules", models.ScheduleOut, json=_json(body))

    def update_schedule(self, schedule_id: UUID, body: requests.ScheduleUpdate) -> models.ScheduleOut:
        return self._call("PATCH", f"/schedules/{schedule_id}", models.ScheduleOut, json=_json(body))

    def remove_schedule(self, schedule_id: UUID) -> None:
        self._send("DELETE", f"/schedules/{schedule_id}")

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

    def _send(self, method: str, path: str, **request: Any) -> httpx2.Response:
        deadline = time.monotonic() + STILL_WORKING_S
        try:
            response = self._http.request(method, path, **request)
            while (pause_s := _pause_s(response)) is not None and time.monotonic() < deadline:
                time.sleep(pause_s)  # as the server asks for
                response = self._http.request(method, path, **request)
        except httpx2.TransportError as error:
            raise UnreachableError(f"{self.url} does not answer: {error}") from error
        if not response.is_success:
            raise _refusal(response, self.url)
        return response


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


def _json(body: ApiModel) -> dict[str, Any]:
    """The fields that were given; the server has defaults for the others."""
    return body.model_dump(mode="json", exclude_none=True, exclude_unset=True)


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
    return UsageError("the server refuses this" if problems else problem.detail, problems)
