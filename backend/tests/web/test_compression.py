"""What is sent is compressed where that pays and harms nobody."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import pytest
from ngxlab.core.config import Settings
from serving import front, fronted

_SCRIPT = b"const answer = 42;\n" * 200


@pytest.fixture(scope="module")
def files() -> Iterator[httpx2.Client]:
    """A client of a frontend whose script has both forms, and whose style has none."""
    with TemporaryDirectory(prefix="ngxlab-pages-", dir="/tmp") as name:
        assets = Path(name, "assets")
        assets.mkdir()
        (assets / "a.js").write_bytes(_SCRIPT)
        (assets / "a.js.gz").write_bytes(gzip.compress(_SCRIPT))
        (assets / "a.js.br").write_bytes(b"in brotli")
        (assets / "a.css").write_text("a { b: c }")
        with (
            front("127.0.0.1:1", pages=Path(name)) as port,
            httpx2.Client(base_url=f"http://127.0.0.1:{port}/assets/") as client,
        ):
            yield client


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("gzip, br; q=0.000", "gzip"),
        ("gzip;q=0, BR ;q=1.0, *;q=0.000", "br"),
        ("br;q=0.1", "br"),
        ("identity", None),
        ("", None),
    ],
)
def test_a_browser_gets_the_smallest_form_that_it_understands(
    files: httpx2.Client, accepted: str, coding: str | None
) -> None:
    with files.stream("GET", "a.js", headers={"Accept-Encoding": accepted}) as answer:
        sent = b"".join(answer.iter_raw())
    plain = files.get("a.css", headers={"Accept-Encoding": "br, gzip"})
    forms = {"br": b"in brotli", "gzip": None, None: _SCRIPT}
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert (gzip.decompress(sent) if coding == "gzip" else sent) == (forms[coding] or _SCRIPT)
    assert (plain.text, plain.headers.get("content-encoding")) == ("a { b: c }", None)
    assert plain.headers["content-type"].startswith("text/css")


def test_answers_are_packed_unless_they_hold_secrets_or_are_small(migrated: Settings) -> None:
    with fronted(migrated) as lab:
        client = lab.person().client
        coding = {path: client.get(path).headers.get("content-encoding") for path in ("/templates", "/auth/me")}
        assert coding == {"/templates": "gzip", "/auth/me": None}
        plain = client.get("/templates", headers={"Accept-Encoding": "identity"})
        assert plain.headers.get("content-encoding") is None
