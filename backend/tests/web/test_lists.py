"""Every list of the API is answered page by page in one form, and can be read to its end by following ``next``."""

from collections.abc import Iterator
from typing import Any

import httpx2
from harness import Backend
from ngxlab.accounts.models import Role


def _pages(client: httpx2.Client, path: str, limit: int) -> Iterator[list[Any]]:
    start: int | None = None
    while True:
        asked = {"limit": limit} | ({} if start is None else {"start": start})
        page = client.get(path, params=asked).raise_for_status().json()
        yield page["items"]
        if (start := page["next"]) is None:
            return


def test_following_next_reads_each_item_once(backend: Backend) -> None:
    person = backend.person(Role.experimenter)
    run = person.run(backend.agent())
    path = f"/runs/{run['id']}/notes"
    for number in range(5):
        person.client.post(path, json={"text": f"note {number}"}).raise_for_status()
    pages = list(_pages(person.client, path, limit=2))
    assert [[note["text"] for note in page] for page in pages] == [
        ["note 0", "note 1"],
        ["note 2", "note 3"],
        ["note 4"],
    ]
    assert len(list(_pages(person.client, path, limit=5))) == 1, "a full last page is the last one"


def test_counted_and_growing_lists_have_the_same_form(backend: Backend) -> None:
    person, administrator = backend.person(Role.experimenter), backend.person(Role.administrator)
    for _ in range(3):
        person.experiment()
    for client, path in ((person.client, "/experiments"), (person.client, "/runs"), (administrator.client, "/audit")):
        whole = [item["id"] for page in _pages(client, path, limit=200) for item in page]
        piecewise = [item["id"] for page in _pages(client, path, limit=2) for item in page]
        assert piecewise == whole


def test_no_answer_is_an_array(backend: Backend) -> None:
    """An array could not get a page without breaking its readers. A file is no list."""
    document = backend.person().client.get("/openapi.json").raise_for_status().json()
    arrays = {
        path
        for path, operations in document["paths"].items()
        for operation in operations.values()
        for response in operation["responses"].values()
        for kind, content in response.get("content", {}).items()
        if kind == "application/json" and content["schema"].get("type") == "array"
    }
    assert arrays == {"/api/v1/audit/export"}
    assert not [name for name in document["components"]["schemas"] if "__" in name or name.endswith("_")]
