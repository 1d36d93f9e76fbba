"""The forge that a job runs for: one comment on its pull or merge request, and one check of its commit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from urllib.parse import quote

import httpx2

from ngxlab_cli.errors import ClientError, UnreachableError
from ngxlab_cli.revision import request_of

Conclusion = Literal["success", "failure", "neutral"]
CHECK = "ngxlab"
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536 of a comment and of a check's summary."""
_TIMEOUT = httpx2.Timeout(20.0)
_A_PAGE = 100
_MOST_PAGES = 50


@dataclass(frozen=True)
class Told:
    """``text``: Markdown, which begins with ``mark``, by which the comment is found again. ``check``: its name; a
    repository may have several. ``title``: a line. ``url``: the report, where there is one."""

    mark: str
    text: str
    check: str
    conclusion: Conclusion
    title: str
    url: str | None


class Forge(Protocol):
    def comment(self, told: Told) -> None:
        """Write the comment, or what is new into the one that there is."""

    def check(self, told: Told) -> None:
        """Give the commit its check."""


def of_job(environment: Mapping[str, str]) -> Forge | None:
    """``None`` outside of a job, and where the job has no token for its forge."""
    commit, number = request_of(environment)
    if environment.get("GITHUB_ACTIONS") == "true" and environment.get("GITHUB_TOKEN"):
        api = environment.get("GITHUB_API_URL", "https://api.github.com")
        headers = {
            "Authorization": f"Bearer {environment['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        return GitHub(_Api(api, headers), environment.get("GITHUB_REPOSITORY", ""), commit, number)
    if environment.get("GITLAB_CI") == "true" and environment.get("GITLAB_TOKEN"):
        gitlab = _Api(environment.get("CI_API_V4_URL", ""), {"PRIVATE-TOKEN": environment["GITLAB_TOKEN"]})
        project = environment.get("CI_PROJECT_ID", "")
        return GitLab(gitlab, project, environment.get("CI_MERGE_REQUEST_PROJECT_ID") or project, commit, number)
    return None


class _Api:
    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url, self._headers = url, dict(headers)

    def __call__(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The answer's JSON. Raises ``ClientError``, which names neither token nor body."""
        url = f"{self._url}{path}"
        try:
            with httpx2.Client(headers=self._headers, timeout=_TIMEOUT, verify=url.startswith("https:")) as http:
                answer = http.request(method, url, json=body, params=query)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UnreachableError(f"{method} {url}: {error}") from error
        if not answer.is_success:
            raise ClientError(f"{method} {url}: {answer.status_code} {answer.text[:200].strip()}")
        try:
            return answer.json()
        except ValueError as error:
            raise ClientError(f"{method} {url}: the answer is no JSON") from error

    def listed(self, path: str) -> Iterator[Any]:
        """All items, page by page."""
        for page in range(1, _MOST_PAGES + 1):
            items = self("GET", path, per_page=_A_PAGE, page=page)
            yield from items
            if len(items) < _A_PAGE:
                return


class GitHub:
    def __init__(self, api: _Api, repository: str, commit: str, number: int | None) -> None:
        self._api, self._commit, self._number = api, commit, number
        self._path = f"/repos/{repository}"

    def comment(self, told: Told) -> None:
        """In a comment of a program, as a job's own token is, or of the token's person: who else writes the mark gets
        no verdict under their name."""
        if self._number is None:
            return
        comments = f"{self._path}/issues/{self._number}/comments"
        me = self._me()
        for one in self._api.listed(comments):
            author = one.get("user") or {}
            own = author.get("login") == me if me is not None else author.get("type") == "Bot"
            if own and (one["body"] or "").startswith(told.mark):
                self._api("PATCH", f"{self._path}/issues/comments/{one['id']}", {"body": told.text})
                return
        self._api("POST", comments, {"body": told.text})

    def _me(self) -> str | None:
        """``None`` for a job's own token, which is no person's."""
        try:
            login: str = self._api("GET", "/user")["login"]
        except UnreachableError:
            raise
        except ClientError:
            return None
        return login

    def check(self, told: Told) -> None:
        """Another attempt at the same commit writes into the check of the first."""
        body: dict[str, Any] = {
            "name": told.check,
            "head_sha": self._commit,
            "status": "completed",
            "conclusion": told.conclusion,
            "output": {"title": told.title, "summary": told.text},
        }
        body |= {"details_url": told.url} if told.url else {}
        runs = f"{self._path}/commits/{self._commit}/check-runs"
        for one in self._api("GET", runs, check_name=told.check, per_page=_A_PAGE)["check_runs"]:
            if one["name"] == told.check:
                self._api("PATCH", f"{self._path}/check-runs/{one['id']}", body)
                return
        self._api("POST", f"{self._path}/check-runs", body)


class GitLab:
    def __init__(self, api: _Api, project: str, request_in: str, commit: str, number: int | None) -> None:
        """``request_in``: the project that has the merge request, which for a fork is another one."""
        self._api, self._commit, self._number = api, commit, number
        self._path, self._request_in = (f"/projects/{quote(one, safe='')}" for one in (project, request_in))

    def comment(self, told: Told) -> None:
        if self._number is None:
            return
        notes = f"{self._request_in}/merge_requests/{self._number}/notes"
        me = self._api("GET", "/user")["id"]
        for one in self._api.listed(notes):
            if one["body"].startswith(told.mark) and one["author"]["id"] == me:
                self._api("PUT", f"{notes}/{one['id']}", {"body": told.text})
                return
        self._api("POST", notes, {"body": told.text})

    def check(self, told: Told) -> None:
        """GitLab keeps one status of a name and a commit, and refuses to give it the state that it has."""
        body: dict[str, Any] = {
            "state": _STATES[told.conclusion],
            "name": told.check,
            "description": told.title[:255],
        }
        body |= {"target_url": told.url} if told.url else {}
        try:
            self._api("POST", f"{self._path}/statuses/{self._commit}", body)
        except ClientError as error:
            if f"from :{body['state']}" not in str(error):
                raise


_STATES: Mapping[Conclusion, str] = {"success": "success", "failure": "failed", "neutral": "skipped"}
