"""What a browser and a cache are told with each answer, by nginx and by the backend behind it."""

import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import pytest
import services
from harness import Backend
from ngxlab.core import health
from ngxlab.core.config import Settings
from ngxlab.front.answers import FRAMED_POLICY, PAGE_POLICY, PAGES
from ngxlab.front.configuration import Tls
from serving import front, fronted

from scripts.containers import project

ROOT = Path(__file__).parents[3]
BROWSERS = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="ngxlab-pages-", dir="/tmp") as name:
        made = Path(name)
        (made / "assets").mkdir()
        (made / "assets" / "app-1a2b.js").write_text("1")
        (made / "index.html").write_text("<!doctype html>")
        (made / "favicon.svg").write_text("<svg/>")
        (made / "llms.txt").write_bytes((ROOT / "frontend" / "public" / "llms.txt").read_bytes())
        yield made


@pytest.fixture(scope="module")
def fronted_lab(folder: Path, migrated: Settings) -> Iterator[Backend]:
    with fronted(migrated.model_copy(update={"frontend_dir": folder})) as reached:
        yield reached


@pytest.fixture(scope="module", params=["with the backend", "without it"])
def pages(request: pytest.FixtureRequest, folder: Path, fronted_lab: Backend) -> Iterator[httpx2.Client]:
    """Pages and files need no backend."""
    with front(f"127.0.0.1:{services.free_port()}", pages=folder) as alone:
        url = fronted_lab.url if request.param == "with the backend" else f"http://127.0.0.1:{alone}"
        with httpx2.Client(base_url=url, timeout=60) as client:
            yield client


def _is_private(answer: httpx2.Response) -> None:
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert len(answer.headers["x-request-id"]) == 32


@pytest.mark.parametrize(
    "path", ["/", "/login", "/runs", "/runs/1", "/runs/1/report", "/shared/abc", "/favicon.svg", "/index.html"]
)
def test_every_page_has_the_policy(pages: httpx2.Client, path: str) -> None:
    answer = pages.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy  # no exception for scripts
    assert "root:" not in answer.text


def test_a_language_model_is_told_what_is_here(pages: httpx2.Client) -> None:
    answer = pages.get("/llms.txt")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert answer.text.startswith("# ngxlab\n\n> ")


def test_a_shared_chart_and_no_other_page_may_be_framed(pages: httpx2.Client) -> None:
    answer = pages.get("/shared/abc/charts/latency?line=a&scheme=dark")
    assert (answer.status_code, answer.text) == (200, "<!doctype html>")
    assert answer.headers["content-security-policy"] == FRAMED_POLICY
    assert "frame-ancestors *;" in FRAMED_POLICY
    assert "x-frame-options" not in answer.headers
    framed = {path for path in PAGES if "frame-ancestors 'none'" not in _policy(pages, path.replace(":", ""))}
    assert framed == {"/shared/:token/charts/:chart"}
    for path in ("/shared/abc/charts", "/shared/abc/charts/a/b", "/x/shared/abc/charts/a"):
        assert "frame-ancestors 'none'" in _policy(pages, path)
        assert pages.get(path).headers["x-frame-options"] == "DENY"


def _policy(pages: httpx2.Client, path: str) -> str:
    return pages.get(path).headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/metrics-x",
        "/docs",
        "/openapi.json",
        "/runs/1/nothing",
        "/shared/",
        "/experimentsx",
        "/front/page",
        "/front/404",
        "/assets/nothing.js",
        "/assets/",
        "/" + "a" * 9000,
    ],
)
def test_what_is_no_page_is_a_problem_document(pages: httpx2.Client, path: str) -> None:
    answer = pages.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not-found"
    _is_private(answer)


def test_a_browser_gets_a_page_that_leads_on_from_what_is_no_page(pages: httpx2.Client) -> None:
    answer = pages.get("/runs/1/nothing", headers={"Accept": BROWSERS})
    assert (answer.status_code, answer.text) == (404, "<!doctype html>")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    for path in ("/api/v1/nothing", "/assets/nothing.js"):
        answer = pages.get(path, headers={"Accept": BROWSERS})
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("path", ["/", "/runs", "/assets/app-1a2b.js"])
def test_pages_and_files_can_only_be_read(pages: httpx2.Client, method: str, path: str) -> None:
    answer = pages.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (405, "method-not-allowed")
    assert answer.headers["allow"] == "GET, HEAD"
    _is_private(answer)


def test_every_page_of_the_frontend_is_known() -> None:
    routes = (ROOT / "frontend/src/app/pages.ts").read_text()
    declared = {"/" + path.removeprefix("/") for path in re.findall(r"(?:path: |\bpage\(\s*)'([^'*]+)'", routes)}
    assert set(PAGES) - {"/"} | {"/experiments/new/blank"} == declared


@pytest.mark.parametrize("path", ["/", "/assets/app-1a2b.js", "/assets/nothing.js", "/api/v1/experiments", "/healthz"])
def test_who_comes_by_tls_is_told_to_come_by_tls_only(fronted_lab: Backend, path: str) -> None:
    address = fronted_lab.url + path
    told = httpx2.get(address, headers={"X-Forwarded-Proto": "https"}).headers
    assert told["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in httpx2.get(address).headers


def test_what_has_a_hash_in_its_name_is_kept(pages: httpx2.Client) -> None:
    answer = pages.get("/assets/app-1a2b.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/%00", "/a%00b", "/assets/a%00.js", "/api/v1/%00", "/..%2f..%2fetc/passwd"])
def test_an_address_of_nothing_is_a_problem_that_nobody_keeps(pages: httpx2.Client, path: str) -> None:
    answer = pages.get(path)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    _is_private(answer)


def test_a_nul_in_a_question_is_named(fronted_lab: Backend) -> None:
    answer = fronted_lab.client().get("/templates?a=%00")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "a")
    _is_private(answer)


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/nothing", "/runs/no-id", "/runs/no-id/nothing", "/hosts/no-id"])
def test_what_the_api_has_not_is_not_found_by_any_method(fronted_lab: Backend, method: str, path: str) -> None:
    answer = fronted_lab.client().request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    _is_private(answer)


def test_an_unexpected_error_is_private_too(fronted_lab: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError

    monkeypatch.setattr(health, "Health", fail)
    answer = httpx2.get(f"{fronted_lab.url}/healthz")
    assert answer.status_code == 500
    _is_private(answer)


def test_over_tls_the_same_is_served(folder: Path) -> None:
    with TemporaryDirectory(prefix="ngxlab-tls-", dir="/tmp") as name:
        made, port = project.make(Path(name), "127.0.0.1"), services.free_port()
        tls = Tls(f"127.0.0.1:{port}", made.certificate, made.key)
        trusting = ssl.create_default_context(cafile=str(made.authority))
        url = f"https://127.0.0.1:{port}/login"
        with front("127.0.0.1:1", pages=folder, tls=tls), httpx2.Client(verify=trusting) as client:
            assert client.get(url).text == "<!doctype html>"
            plain = httpx2.get(url.replace("https", "http"))
            assert (plain.status_code, plain.json()["code"]) == (400, "bad-request")
            with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                httpx2.get(url)


@pytest.mark.parametrize("path", ["/auth/me", "/experiments", "/schemas/experiment.json", "/shared/nothing", "/none"])
def test_answers_of_the_api_are_private(fronted_lab: Backend, path: str) -> None:
    _is_private(fronted_lab.client().get(path))
    _is_private(fronted_lab.person().client.get(path))


@pytest.mark.parametrize("behind", ["fronted_lab", "backend"])
def test_a_body_that_is_too_long_is_a_problem(request: pytest.FixtureRequest, behind: str) -> None:
    backend: Backend = request.getfixturevalue(behind)
    person = backend.person()
    for answer in (
        backend.client().post("/auth/login", content=b"x" * (1 << 20), headers={"Content-Type": "application/json"}),
        person.client.post("/experiments", content=b"x" * (3 << 20), headers={"Content-Type": "application/json"}),
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")
        assert answer.json()["code"]
        _is_private(answer)
