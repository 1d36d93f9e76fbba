"""Archives that somebody made to harm: each is refused with a reason, and nothing of it is stored."""

import io
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from exports.archives import edited, files_of, packed, sealed, with_other_ids
from exports.measured import Finished
from ngxlab_contracts.profiles import DEEPEST_CALL, Profile
from sqlalchemy import text

pytestmark = pytest.mark.timeout(600)  # the run that all share is made by the first
_BOMB_BYTES = 64 << 20


def _without(archive: bytes, name: str) -> bytes:
    return packed({other: content for other, content in files_of(archive).items() if other != name})


def _twice(archive: bytes) -> bytes:
    """The second of two files with a name is the one that other readers see."""
    made = io.BytesIO(archive)
    with pytest.warns(UserWarning, match="Duplicate name"), ZipFile(made, "a") as file:
        file.writestr("run.json", b"{}")
    return made.getvalue()


def _added(archive: bytes, name: str) -> bytes:
    return packed(files_of(archive) | {name: b"#!/bin/sh\n"})


def _link(archive: bytes) -> bytes:
    """A symbolic link in the place of a file."""
    made, files = io.BytesIO(), files_of(archive)
    with ZipFile(made, "w") as file:
        for name, content in files.items():
            info = ZipInfo(name)
            info.external_attr = (0o120777 if name == "run.json" else 0o100644) << 16
            file.writestr(info, b"/etc/passwd" if name == "run.json" else content)
    return made.getvalue()


def _bomb(archive: bytes) -> bytes:
    return sealed(files_of(archive) | {"frames.ndjson": b" " * _BOMB_BYTES})


def _bzip2(archive: bytes) -> bytes:
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_BZIP2) as file:
        for name, content in files_of(archive).items():
            file.writestr(name, content)
    return made.getvalue()


def _smaller_than_it_says(archive: bytes) -> bytes:
    """The directory states other sizes than the files have."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as file:
        for name, content in files_of(archive).items():
            file.writestr(name, content)
        for info in file.infolist():
            info.file_size = max(0, info.file_size - 10)
    return made.getvalue()


def _flipped(archive: bytes) -> bytes:
    """One character of a file that the manifest names by its sum."""
    files = files_of(archive)
    return packed(files | {"run.json": files["run.json"].replace(b'"state":"completed"', b'"state":"cancelled"')})


def _set(*path: Any, to: Any) -> Callable[[Any], Any]:
    def change(line: Any) -> Any:
        inner = line
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to
        return line

    return change


def _manifest(archive: bytes, **changes: Any) -> bytes:
    return sealed(files_of(archive), **changes)


def _deep(_: Any) -> bytes:
    return b'{"id":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def _nginx(line: Any) -> Any:
    line["experiment"]["definition"]["nginx"]["http"] = "load_module /tmp/evil.so; lua_package_path /tmp;"
    return line


def _many(archive: bytes, name: str, change: Callable[[Any, int], Any]) -> bytes:
    """Five thousand lines that differ from the first as ``change`` says."""
    files = files_of(archive)
    first = files[name].splitlines()[0]
    lines = [json.dumps(change(json.loads(first), number)).encode() for number in range(5_000)]
    return sealed(files | {name: b"\n".join(lines) + b"\n"})


def _profiled(archive: bytes, profiles: int, depth: int) -> bytes:
    """With so many profiles of a trial, in each of which a function calls itself so often."""
    files = files_of(archive)
    told = Profile(
        t_us=1, hz=99, seconds=1, unwinding="fp", kernel=True, lost=0, unresolved=0, frames=["main"], modules=["nginx"],
        parents=[-1], calls=[0], samples=[1],
    ).model_dump(mode="json")  # fmt: skip
    told |= {"parents": list(range(-1, depth - 1)), "calls": [0] * depth, "samples": [1] * depth}
    line = json.dumps(json.loads(files["events.ndjson"].splitlines()[0]) | {"event": told}).encode() + b"\n"
    return sealed(files | {"events.ndjson": files["events.ndjson"] + line * profiles})


def _numbered(layout: Any, number: int) -> Any:
    return layout | {"id": number}


def _named(artefact: Any, number: int) -> Any:
    return artefact | {"file": artefact["file"] | {"name": f"{number}.log"}}


def _one_id(archive: bytes) -> bytes:
    first = json.loads(files_of(archive)["trials.ndjson"].splitlines()[0])["id"]
    return edited(archive, "trials.ndjson", _set("id", to=first), line=1)


def _noted(archive: bytes, *notes: dict[str, Any]) -> bytes:
    """``notes``: in what they differ from a sound one."""
    sound = {
        "id": str(uuid4()), "trial": 0, "t_s": 1, "text": "x", "author": "ada",
        "created_at": "2026-01-02T03:04:05Z", "edited_at": None,
    }  # fmt: skip
    return edited(archive, "run.json", _set("notes", to=[sound | note for note in notes]))


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "not a ZIP": lambda _: b"PK\x03\x04" + b"\xff" * 1000,
    "cut off": lambda archive: archive[: len(archive) // 2],
    "no manifest": lambda archive: _without(archive, "manifest.json"),
    "no trials": lambda archive: _without(archive, "trials.ndjson"),
    "a path upwards": lambda archive: _added(archive, "../../etc/cron.d/evil"),
    "an absolute path": lambda archive: _added(archive, "/etc/cron.d/evil"),
    "a file too many": lambda archive: _added(archive, "evil.sh"),
    "a name twice": _twice,
    "a symbolic link": _link,
    "a bomb": _bomb,
    "another compression": _bzip2,
    "false sizes": _smaller_than_it_says,
    "a false sum": _flipped,
    "another format": lambda archive: _manifest(archive, format="other"),
    "a later version": lambda archive: _manifest(archive, version=2),
    "the manifest of another run": lambda archive: _manifest(archive, run_id=str(uuid4())),
    "an unknown field": lambda archive: edited(archive, "run.json", _set("created_by", to="admin")),
    "a run under way": lambda archive: edited(archive, "run.json", _set("state", to="running")),
    "a trial under way": lambda archive: edited(archive, "trials.ndjson", _set("state", to="measuring")),
    "a number as text": lambda archive: edited(archive, "run.json", _set("seed", to="x")),
    "a number beyond all": lambda archive: edited(archive, "run.json", _set("number", to=2**63)),
    "a character that nobody can store": lambda archive: edited(archive, "run.json", _set("note", to="a\0b")),
    "half a character": lambda archive: edited(archive, "run.json", lambda _: b'{"id":"\\ud800"}'),
    "a name that turns text around": lambda archive: edited(
        archive, "run.json", _set("hosts", 0, "name", to="web\u202e1")
    ),
    "an author who turns text around": lambda archive: edited(archive, "run.json", _set("author", to="ada\u202enimda")),
    "a time before all times": lambda archive: edited(
        archive, "run.json", _set("created_at", to="0001-01-01T00:00:00+14:00")
    ),
    "a time after all times": lambda archive: edited(
        archive, "run.json", _set("created_at", to="9999-12-31T23:00:00-14:00")
    ),
    "JSON without end": lambda archive: edited(archive, "run.json", _deep),
    "a forbidden directive": lambda archive: edited(archive, "run.json", _nginx),
    "a trial of another arm": lambda archive: edited(archive, "trials.ndjson", _set("arm", to="none")),
    "a host that took no part": lambda archive: edited(archive, "layouts.ndjson", _set("host", to=7)),
    "a trial that is not there": lambda archive: edited(archive, "events.ndjson", _set("trial", to=999)),
    "a short frame": lambda archive: edited(archive, "frames.ndjson", _set(5, to=[1.0])),
    "not a number": lambda archive: edited(archive, "frames.ndjson", lambda _: b"[0,0,0,1,1,[NaN,1,1,1,1,1,1,1]]"),
    "a histogram that is none": lambda archive: edited(archive, "intervals.ndjson", _set(6, to="HISTzzz")),
    "an unknown stream": lambda archive: edited(archive, "intervals.ndjson", _set(2, to="other")),
    "an unknown event": lambda archive: edited(archive, "events.ndjson", _set("event", "kind", to="party")),
    "two profiles of a trial": lambda archive: _profiled(archive, profiles=2, depth=1),
    "a profile of very deep calls": lambda archive: _profiled(archive, profiles=1, depth=DEEPEST_CALL + 1),
    "a kept file that is a path": lambda archive: edited(
        archive, "artefacts.ndjson", _set("file", "name", to="../../etc/passwd")
    ),
    "a kept file with a long name": lambda archive: edited(
        archive, "artefacts.ndjson", _set("file", "name", to="x" * 201)
    ),
    "a summary of another trial": lambda archive: edited(
        archive, "trials.ndjson", _set("summary", "trial_id", to=str(uuid4()))
    ),
    "two trials with one id": _one_id,
    "a note on a trial that is not there": lambda archive: _noted(archive, {"trial": 999}),
    "a note on a moment of no trial": lambda archive: _noted(archive, {"trial": None}),
    "two notes with one id": lambda archive: _noted(archive, {}, {"text": "y"}),
    "a note that turns text around": lambda archive: _noted(archive, {"text": "a\u202eb"}),
    "notes without end": lambda archive: _noted(archive, *({"id": str(uuid4())} for _ in range(201))),
    "layouts without end": lambda archive: _many(archive, "layouts.ndjson", _numbered),
    "kept files without end": lambda archive: _many(archive, "artefacts.ndjson", _named),
}  # fmt: skip


@pytest.fixture(scope="module")
def archive(finished: Finished) -> bytes:
    """The archive of a run that is not here."""
    return with_other_ids(finished.export("run.zip"))


def _rows(finished: Finished) -> list[int]:
    tables = ("run", "note", "experiment", "experiment_version", "host", "trial", "frame", "run_import", "artefact")
    query = text("SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables))

    async def count(session: Any) -> list[int]:
        return list((await session.execute(query)).one())

    found: list[int] = finished.backend.operator(count)
    return found


COSTLY = {"a bomb", "JSON without end", "layouts without end", "kept files without end", "notes without end"}
"""What these take, the process of an import bounds. The others are taken in without one."""


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused_and_leaves_nothing(
    finished: Finished, archive: bytes, kind: str, request: pytest.FixtureRequest
) -> None:
    make = HOSTILE[kind]
    if kind not in COSTLY:
        request.getfixturevalue("imports_here")
    before = _rows(finished)
    headers = {"Content-Type": "application/zip"}
    answer = finished.person.client.post("/runs/import", content=make(archive), headers=headers)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]
    assert len(answer.content) < 10_000
    after = _rows(finished)
    assert all(now <= then for now, then in zip(after, before, strict=True)), "fewer: raw data are packed meanwhile"


def test_the_archive_itself_is_sound_but_not_twice(finished: Finished, archive: bytes) -> None:
    """Else each of them might be refused for another reason. Its ids are then taken, for other runs too."""
    headers = {"Content-Type": "application/zip"}
    client = finished.person.client
    assert client.post("/runs/import", content=archive, headers=headers).status_code == 201
    old, new = json.loads(files_of(archive)["run.json"])["id"].encode(), str(uuid4()).encode()
    stolen = sealed({name: content.replace(old, new) for name, content in files_of(archive).items()})
    answer = client.post("/runs/import", content=stolen, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "ids-taken")
