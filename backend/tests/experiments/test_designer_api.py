"""Designing over HTTP: preview, save, compare, clone, export and import."""

from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
import yaml
from definition.definitions import sound
from harness import Backend, Person
from ngxlab.accounts.models import Role


@pytest.fixture(scope="module")
def person(backend: Backend) -> Person:
    return backend.person(Role.experimenter)


def _create(person: Person, **changes: Any) -> dict[str, Any]:
    body = {"name": "Threads", "definition": sound() | changes}
    result: dict[str, Any] = person.client.post("/experiments", json=body).raise_for_status().json()
    return result


def _save(person: Person, experiment: dict[str, Any], base: int, **changes: Any) -> httpx2.Response:
    body = {"base_version": base, "definition": sound() | changes}
    return person.client.put(f"/experiments/{experiment['id']}/definition", json=body)


def test_a_preview_shows_matrix_arms_plan_and_needs(person: Person) -> None:
    preview = person.client.post("/experiments/preview", json={"definition": sound()}).raise_for_status().json()
    assert preview["problems"] == []
    states = {cell["key"]: (cell["state"], cell["reason"]) for cell in preview["matrix"]}
    assert states["off.top"] == ("excluded", "would never end")
    assert states["threads.top"] == ("off", None)
    assert [key for key, (state, _) in states.items() if state == "on"] == [arm["key"] for arm in preview["arms"]]
    assert "aio threads;" in preview["arms"][2]["config"]
    assert preview["plan"]["trials"] == 12
    assert preview["plan"]["total_s"] == 12 * 7
    assert [(s["start_s"], s["end_s"]) for s in preview["plan"]["streams"]] == [(0, 6), (1, 6)]
    needs = {slot["slot"]: slot for slot in preview["slots"]}
    assert set(needs) == {"target", "first", "second", "upstream"}
    assert needs["target"]["connections"] == 50
    assert needs["first"]["roles"] == ["generator"]
    assert needs["target"]["files_bytes"] == 4096


def test_a_preview_names_the_primary_metrics_and_what_may_be_chosen(person: Person) -> None:
    def primary(**changes: Any) -> dict[str, Any]:
        body = {"definition": sound() | changes}
        found: dict[str, Any] = (
            person.client.post("/experiments/preview", json=body).raise_for_status().json()["primary"]
        )
        return found

    plain = primary()
    assert plain["defaults"] == ["requests_per_s", "latency_p99_us"]
    titles = {one["name"]: one["title"] for one in plain["metrics"]}
    assert titles["latency_p99_us"] == "Latency, p99"
    of_streams = {name for name in titles if "." in name}
    assert {name.partition(".")[0] for name in of_streams} == {stream["key"] for stream in sound()["streams"]}
    assert primary(plan=sound()["plan"] | {"primary": sorted(titles)[:2]})["defaults"] == plain["defaults"]
    of_template = primary(template={"key": "reuseport", "parameters": {}})
    assert of_template["defaults"] == ["worker_cpu_cv", "requests_per_s", "latency_p99_us"]


def test_a_broken_definition_is_answered_with_what_can_be_shown(person: Person) -> None:
    broken = sound()
    broken["plan"]["blocks"] = 0
    broken["nginx"]["server"] = "include x;"
    preview = person.client.post("/experiments/preview", json={"definition": broken}).raise_for_status().json()
    assert {problem["field"] for problem in preview["problems"]} == {"plan.blocks", "nginx.server"}
    assert [p["line"] for p in preview["problems"]] == [None, 1]
    assert len(preview["matrix"]) == 6
    assert preview["plan"] is None


@pytest.mark.parametrize("definition", [{}, {"factors": 3}, {"factors": [[[[[]]]]]}, {"nginx": {"server": "{{"}}])
def test_any_object_is_answered(person: Person, definition: dict[str, Any]) -> None:
    answer = person.client.post("/experiments/preview", json={"definition": definition})
    assert answer.status_code == 200
    assert answer.json()["problems"]


def test_a_preview_reads_yaml_too(person: Person) -> None:
    preview = person.client.post("/experiments/preview", json={"yaml": yaml.safe_dump(sound())}).json()
    assert preview["problems"] == []
    assert preview["definition"]["question"] == sound()["question"]
    both = person.client.post("/experiments/preview", json={"yaml": "a: 1", "definition": {}})
    assert both.status_code == 422


def test_the_largest_matrix_is_previewed(person: Person) -> None:
    levels = [
        [{"key": f"l{j}", "label": "x", "variables": {f"v{i}": j}} for j in range(n)] for i, n in enumerate((10, 20))
    ]
    raw = sound() | {
        "perturbations": [],
        "factors": [{"key": f"f{i}", "label": "x", "levels": of_factor} for i, of_factor in enumerate(levels)],
        "design": {"kind": "matrix"},
        "baseline": "l0.l0",
        "thresholds": [],
    }
    raw["nginx"] |= {"worker_connections": 1024, "server": "location / { return 200 '{{ v0 }} {{ v1 }}'; }"}
    raw["streams"][0]["connections"] = 10
    preview = person.client.post("/experiments/preview", json={"definition": raw}).raise_for_status().json()
    assert preview["problems"] == []
    assert len(preview["arms"]) == 200


def test_a_definition_becomes_an_experiment_that_runs(backend: Backend, person: Person) -> None:
    raw = sound() | {"upstream_servers": [], "perturbations": [], "placement": "none"}
    raw["nginx"] |= {"http": "", "server": "location / { return 200; }"}
    experiment = person.client.post("/experiments", json={"name": "Mine", "definition": raw}).raise_for_status().json()
    assert (experiment["version"], experiment["template_key"]) == (1, None)
    agent = backend.agent()
    body = {"host_id": str(agent.host_id)}
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body)
    assert run.status_code == 201, run.text
    assert len(run.json()["trials"]) == 12


def test_a_broken_definition_is_not_saved(person: Person) -> None:
    experiment = _create(person)
    for answer in (
        person.client.post("/experiments", json={"name": "x", "definition": sound() | {"baseline": "x"}}),
        _save(person, experiment, 1, baseline="x"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-definition")
        assert [error["field"] for error in answer.json()["errors"]] == ["baseline"]
    assert len(person.client.get(f"/experiments/{experiment['id']}/versions").json()["items"]) == 1


def test_only_a_change_makes_a_version(person: Person) -> None:
    experiment = _create(person)
    assert _save(person, experiment, 1).json()["version"] == 1
    assert _save(person, experiment, 1, question="Really?").json()["version"] == 2
    stale = _save(person, experiment, 1, question="What?")
    assert (stale.status_code, stale.json()["code"]) == (409, "version-changed")
    assert stale.json()["errors"] == [{"field": "base_version", "message": "2"}]
    versions = person.client.get(f"/experiments/{experiment['id']}/versions").json()["items"]
    assert [(v["number"], v["created_by"]) for v in versions] == [(2, person.email), (1, person.email)]
    first = person.client.get(f"/experiments/{experiment['id']}/versions/1").json()
    assert first["definition"]["question"] == sound()["question"]
    assert len(first["arms"]) == 4


def test_a_number_that_becomes_a_text_is_a_change(person: Person) -> None:
    experiment = _create(person)
    changed = sound()["factors"]
    changed[1]["levels"][0]["variables"]["connections"] = 10.0
    answer = _save(person, experiment, 1, factors=changed)
    assert answer.status_code == 422, "10.0 is no whole number of connections"
    changed[0]["levels"][0]["variables"]["aio"] = False
    changed[1]["levels"][0]["variables"]["connections"] = 10
    assert _save(person, experiment, 1, factors=changed).json()["version"] == 2


def test_somebody_elses_experiment_cannot_be_changed_but_cloned(backend: Backend, person: Person) -> None:
    experiment = _create(person)
    stranger = backend.person(Role.experimenter)
    assert _save(stranger, experiment, 1, question="Mine now?").json()["code"] == "not-owner"
    clone = stranger.client.post(f"/experiments/{experiment['id']}/clone", json={"name": "A copy"})
    assert clone.status_code == 201
    assert (clone.json()["name"], clone.json()["version"]) == ("A copy", 1)
    assert clone.json()["created_by"] == stranger.email
    assert clone.json()["definition"] == experiment["definition"]
    missing = stranger.client.post(f"/experiments/{experiment['id']}/clone", json={"name": "x", "version": 9})
    assert missing.status_code == 404


def test_an_older_version_is_cloned(person: Person) -> None:
    experiment = _create(person)
    _save(person, experiment, 1, question="Second").raise_for_status()
    body = {"name": "The first", "version": 1}
    clone = person.client.post(f"/experiments/{experiment['id']}/clone", json=body).json()
    assert clone["definition"]["question"] == sound()["question"]


def test_who_edits_is_told_of_the_others_and_of_a_newer_version(backend: Backend, person: Person) -> None:
    experiment = _create(person)
    path = f"/experiments/{experiment['id']}/editors"
    other = backend.person(Role.experimenter)

    def note(of: Person, editor: UUID, version: int) -> Any:
        body = {"editor": str(editor), "base_version": version}
        return of.client.post(path, json=body).raise_for_status().json()

    mine, second, theirs = uuid4(), uuid4(), uuid4()
    alone = note(person, mine, 1)
    assert (alone["version"], alone["saved_by"], alone["others"]) == (1, person.email, [])
    assert note(other, theirs, 1)["others"] == [{"name": person.email, "is_self": False, "version": 1}]
    assert _save(person, experiment, 1, question="Really?").json()["version"] == 2
    assert note(other, theirs, 1)["version"] == 2
    assert note(person, mine, 2)["others"] == [{"name": other.email, "is_self": False, "version": 1}]
    in_another_tab = note(person, second, 1)["others"]
    assert {"name": person.email, "is_self": True, "version": 2} in in_another_tab
    hidden = backend.person(Role.experimenter).client.post(
        f"/experiments/{uuid4()}/editors", json={"editor": str(mine), "base_version": 1}
    )
    assert hidden.status_code == 404


def test_two_versions_are_compared(person: Person) -> None:
    experiment = _create(person)
    nginx = sound()["nginx"]
    nginx["server"] = nginx["server"].replace("root @@folder@@/files;", "root @@folder@@/files/data;")
    _save(person, experiment, 1, nginx=nginx, thresholds=["p99_ms < 20"]).raise_for_status()
    diff = person.client.get(f"/experiments/{experiment['id']}/versions/1/diff/2").json()
    assert "-        root @@folder@@/files;\n+        root @@folder@@/files/data;\n" in diff["text"]
    changes = {change["path"]: (change["before"], change["after"]) for change in diff["changes"]}
    assert set(changes) == {"nginx.server", "thresholds.1"}
    assert changes["thresholds.1"] == ("requests_per_s ratio > 0.98 for threads.low", None)
    same = person.client.get(f"/experiments/{experiment['id']}/versions/2/diff/2").json()
    assert (same["text"], same["changes"]) == ("", [])
    assert person.client.get(f"/experiments/{experiment['id']}/versions/1/diff/3").status_code == 404


def test_an_export_is_imported_as_the_same_definition(backend: Backend, person: Person) -> None:
    experiment = _create(person)
    exported = person.client.get(f"/experiments/{experiment['id']}/versions/1.yaml")
    assert exported.headers["content-type"].startswith("text/yaml")
    assert exported.headers["content-disposition"] == 'attachment; filename="threads-v1.yaml"'
    assert f"$schema={backend.settings.public_url}/api/v1/schemas/experiment.json" in exported.text
    headers = {"Content-Type": "text/yaml"}
    imported = person.client.post("/experiments/import", content=exported.text, headers=headers)
    assert imported.status_code == 201, imported.text
    assert imported.json()["name"] == "Threads"
    assert imported.json()["definition"] == experiment["definition"]
    again = person.client.get(f"/experiments/{imported.json()['id']}/versions/1.yaml")
    assert again.text == exported.text
    body = {"yaml": exported.text, "name": "Another"}
    assert person.client.post("/experiments/import", json=body).json()["name"] == "Another"


def test_a_document_is_imported_again_as_a_version_of_the_same_experiment(backend: Backend) -> None:
    own, other = backend.person(Role.experimenter), backend.person(Role.experimenter)
    headers = {"Content-Type": "text/yaml"}

    def put(person: Person, question: str, name: str = "Nightly") -> tuple[int, str, int]:
        content = yaml.safe_dump(sound() | {"name": name, "question": question})
        answer = person.client.post("/experiments/import?again=true", content=content, headers=headers)
        saved = answer.raise_for_status().json()
        return answer.status_code, saved["id"], saved["version"]

    status, made, version = put(own, "First?")
    assert (status, version) == (201, 1)
    assert put(own, "First?") == (200, made, 1)
    assert put(own, "Second?") == (200, made, 2)
    assert put(own, "Second?") == (200, made, 2)
    assert put(other, "First?")[1] != made
    assert put(own, "First?", "Weekly")[1] != made
    own.client.patch(f"/experiments/{made}", json={"archived": True}).raise_for_status()
    assert put(own, "Second?")[::2] == (201, 1)


@pytest.mark.parametrize(
    ("content", "field", "said"),
    [
        ("a: [", "yaml", "line"),
        (yaml.safe_dump(sound()), "name", "is missing"),
        (yaml.safe_dump(sound() | {"name": "x", "baseline": "x"}), "baseline", "of the document"),
    ],
)
def test_a_bad_document_is_refused_with_its_line(person: Person, content: str, field: str, said: str) -> None:
    answer = person.client.post("/experiments/import", content=content, headers={"Content-Type": "text/yaml"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-definition")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert said in answer.json()["errors"][0]["message"]


def test_bodies_that_are_no_documents(person: Person) -> None:
    headers = {"Content-Type": "text/yaml"}
    assert person.client.post("/experiments/import", content=b"\xff\xfe", headers=headers).status_code == 400
    assert person.client.post("/experiments/import", content="x" * 2_000_000, headers=headers).status_code == 400
    assert person.client.post("/experiments/import", json={"yml": "a: 1"}).status_code == 422
    assert person.client.post("/experiments/import", json=[1]).status_code == 422


def test_a_template_is_named_only_where_it_would_build_the_same(person: Person) -> None:
    experiment = person.experiment()
    raw = experiment["definition"]
    kept = person.client.post("/experiments", json={"name": "As is", "definition": raw}).json()
    assert kept["definition"]["template"]["key"] == "reuseport"
    assert kept["template_key"] == "reuseport"
    raw["nginx"]["server"] += "\ngzip on;"
    body = {"base_version": 1, "definition": raw}
    saved = person.client.put(f"/experiments/{experiment['id']}/definition", json=body).raise_for_status().json()
    assert saved["definition"]["template"] is None


def test_the_schema_is_public(backend: Backend) -> None:
    schema = backend.client().get("/schemas/experiment.json").raise_for_status().json()
    assert schema["title"] == "ngxlab experiment"
    assert {"question", "factors", "nginx", "name"} <= set(schema["properties"])


def test_a_viewer_designs_nothing(backend: Backend, person: Person) -> None:
    experiment = _create(person)
    viewer = backend.person(Role.viewer)
    assert viewer.client.post("/experiments/preview", json={"definition": sound()}).status_code == 200
    assert viewer.client.get(f"/experiments/{experiment['id']}/versions/1.yaml").status_code == 200
    assert viewer.client.post("/experiments/import", json={"yaml": "a: 1"}).json()["code"] == "role"
    assert viewer.client.post(f"/experiments/{experiment['id']}/clone", json={"name": "x"}).json()["code"] == "role"
    assert _save(viewer, experiment, 1).json()["code"] == "role"
