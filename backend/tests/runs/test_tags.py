"""Tags: normalised, bounded, changed by the author or an administrator, and what lists are filtered by."""

from typing import Any

import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.runs.schemas import MOST_OF_A_RUN, normal_tag


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("nightly", "nightly"),
        (" #Kernel-6.12 ", "kernel-6.12"),
        ("ＮＧＩＮＸ", "nginx"),
        ("cafe\N{COMBINING ACUTE ACCENT}", "café"),
        ("夜间_1", "夜间_1"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_there_is_one_way_to_write_a_tag(text: str, tag: str) -> None:
    assert normal_tag(text) == tag
    assert normal_tag(tag) == tag


@pytest.mark.parametrize(
    "text", ["", " ", "#", "-a", ".a", "a b", "a,b", "a/b", "<b>", "a\x00", "\N{PILE OF POO}", "ﷺ" * 8]
)
def test_what_is_no_tag_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"consists of|at most"):
        normal_tag(text)


def _change(person: Person, run: dict[str, Any], **body: list[str]) -> list[str]:
    answer = person.client.patch(f"/runs/{run['id']}/tags", json=body).raise_for_status().json()
    tags: list[str] = answer["tags"]
    return tags


def _listed(person: Person, run: dict[str, Any], **query: Any) -> list[list[str]]:
    asked = {"experiment_id": run["experiment_id"], **query}
    items = person.client.get("/runs", params=asked).raise_for_status().json()["items"]
    return [item["tags"] for item in items]


def test_they_are_seen_by_all_and_lists_are_filtered_by_them(backend: Backend) -> None:
    owner = backend.person(Role.experimenter)
    run = owner.run(backend.agent())
    assert run["tags"] == []
    assert _change(owner, run, add=["Nightly", "b", "nightly"]) == ["b", "nightly"]
    assert _change(owner, run, add=["a"], remove=["b", "never-there"]) == ["a", "nightly"]
    viewer = backend.person(Role.viewer)
    assert viewer.client.get(f"/runs/{run['id']}").json()["tags"] == ["a", "nightly"]
    assert _listed(viewer, run, tag=["A", "nightly"]) == [["a", "nightly"]]
    assert _listed(viewer, run, search="Nightly") == [["a", "nightly"]]
    assert _listed(viewer, run, tag=["a", "b"]) == []
    choices = viewer.client.get("/runs/choices").json()["tags"]
    assert "nightly" in choices
    assert choices == sorted(set(choices))


def test_only_changes_are_entered(backend: Backend) -> None:
    owner, administrator = backend.person(Role.experimenter), backend.person()
    run = owner.run(backend.agent())
    _change(administrator, run, add=["a"])
    _change(owner, run, add=["a"], remove=["b"])
    _change(owner, run, add=["c"], remove=["a"])
    items = administrator.client.get("/audit", params={"act": "run-tagged", "limit": 200}).json()["items"]
    entered = [(item["actor_name"], item["detail"]) for item in items if item["object_id"] == run["id"]]
    assert entered == [(owner.email, {"added": ["c"], "removed": ["a"]}), (administrator.email, {"added": ["a"]})]


def test_they_are_bounded(backend: Backend) -> None:
    owner = backend.person(Role.experimenter)
    run = owner.run(backend.agent())
    most = sorted(f"tag-{number:02}" for number in range(MOST_OF_A_RUN))
    assert _change(owner, run, add=most) == most
    path = f"/runs/{run['id']}/tags"
    refused = owner.client.patch(path, json={"add": ["one-more"]})
    assert (refused.status_code, refused.json()["code"]) == (422, "too-many-tags")
    wrong = owner.client.patch(path, json={"add": ["two words"]})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "add.0")
    assert _change(owner, run, add=["one-more"], remove=["tag-00"]) == ["one-more", *most[1:]]
    assert owner.client.get("/runs", params={"tag": "two words"}).status_code == 422
