"""The picture of a link: a PNG that any reader opens, whatever the words."""

import io
import re
from pathlib import Path
from uuid import UUID

import pytest
from exports.measured import Finished
from harness import Backend
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.reports.schemas import Report
from ngxlab.shares.picture import HEIGHT, WIDTH, Card, Row, card, png
from PIL import Image
from shares.pages import served
from sqlalchemy import text

pytestmark = pytest.mark.timeout(600)  # a run is measured
_MOST_BYTES = 200_000


def _size(drawn: bytes) -> tuple[str | None, tuple[int, int]]:
    with Image.open(io.BytesIO(drawn)) as image:
        image.load()
        return image.format, image.size


def test_a_link_has_a_picture_of_its_answers_drawn_once(backend: Backend, tmp_path: Path) -> None:
    finished = Finished(backend)
    token = finished.share()
    (page,) = served(backend, tmp_path, [f"/shared/{token}"])
    address = re.search(r'property="og:image" content="([^"]*)"', page)
    assert address is not None
    assert address[1] == f"{backend.settings.public_url}/api/v1/shared/{token}/picture.png"
    answer = backend.client().get(f"/shared/{token}/picture.png").raise_for_status()
    assert answer.headers["content-type"] == "image/png"
    assert _size(answer.content) == ("PNG", (WIDTH, HEIGHT))
    query = text("SELECT picture FROM share_copy WHERE share_id = :id")
    (share,) = finished.get("/shares").json()["items"]
    kept: bytes = backend.operator(lambda session: session.scalar(query, {"id": UUID(share["id"])}))
    assert kept == answer.content == backend.client().get(f"/shared/{token}/picture.png").content
    assert share["opened"] == 0, "a preview is no opening"
    finished.person.client.post(f"/shares/{share['id']}/refresh").raise_for_status()
    assert backend.operator(lambda session: session.scalar(query, {"id": UUID(share["id"])})) is None
    finished.person.client.delete(f"/shares/{share['id']}").raise_for_status()
    assert backend.client().get(f"/shared/{token}/picture.png").json()["code"] == "unknown-link"
    shown = Report.model_validate(finished.get("/report").json())
    assert [row.question for row in card("x", shown).rows] == [one.question for one in shown.analysis.answers]
    assert f"{shown.analysis.arms[0].label} (baseline)" in card("x", shown).below


def test_a_run_that_goes_on_has_none_yet(backend: Backend, tmp_path: Path) -> None:
    person = backend.person()
    run = person.run(backend.agent())
    link = person.client.post(f"/runs/{run['id']}/shares", json={}).raise_for_status().json()
    token = link["url"].rpartition("/")[2]
    assert backend.client().get(f"/shared/{token}/picture.png").json()["code"] == "no-picture"
    (page,) = served(backend, tmp_path, [f"/shared/{token}"])
    assert "og:title" in page
    assert "og:image" not in page


_WORDS = st.text(max_size=600)


@given(st.builds(Card, _WORDS, st.lists(st.builds(Row, st.just("yes"), _WORDS, _WORDS), max_size=6), _WORDS))
def test_any_words_make_a_small_picture(shown: Card) -> None:
    drawn = png(shown)
    assert _size(drawn) == ("PNG", (WIDTH, HEIGHT))
    assert len(drawn) < _MOST_BYTES


def test_words_change_the_picture() -> None:
    shown = Card("Socket sharding #1", [Row("yes", "More requests/s?", "Yes: 2,000 -> 3,000")], "mutex on · reuseport")
    others = [shown._replace(title="Other"), shown._replace(rows=[]), shown._replace(below="")]
    assert len({png(one) for one in (shown, *others)}) == 4
