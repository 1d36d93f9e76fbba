"""Archives of runs, changed as somebody might who wants harm."""

import hashlib
import io
import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZipFile

import httpx2
from harness import Person

_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def files_of(archive: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(archive)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(files: Mapping[str, bytes]) -> bytes:
    """As they are, with whatever manifest is among them."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return made.getvalue()


def sealed(files: Mapping[str, bytes], **manifest: Any) -> bytes:
    """With a manifest that names their true sizes and sums: only its content is wrong."""
    told = json.loads(files["manifest.json"])
    for entry in told["files"]:
        content = files[entry["name"]]
        entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    told.pop("signature", None)  # whoever changes it has not the key
    return packed(dict(files) | {"manifest.json": json.dumps(told | manifest).encode()})


def with_other_ids(archive: bytes, *kept: str) -> bytes:
    """The same run as if it were another one, but for the ids that are ``kept``."""
    new = {same.encode(): same.encode() for same in kept}

    def other(match: re.Match[bytes]) -> bytes:
        return new.setdefault(match[0], str(uuid4()).encode())

    return sealed({name: _UUID.sub(other, content) for name, content in files_of(archive).items()})


def take_in(person: Person, archive: bytes) -> httpx2.Response:
    """However busy the machine is: a process starts for it."""
    headers = {"Content-Type": "application/zip"}
    return person.client.post("/runs/import", content=archive, headers=headers, timeout=300)


def import_as_other(client: httpx2.Client, run_id: str) -> None:
    """A run of here, as if it had been measured elsewhere."""
    archive = client.get(f"/runs/{run_id}/exports/run.zip").raise_for_status().content
    headers = {"Content-Type": "application/zip"}
    client.post("/runs/import", content=with_other_ids(archive), headers=headers).raise_for_status()


def edited(archive: bytes, name: str, change: Any, line: int = 0) -> bytes:
    """``change``: from one line of a file as JSON to what stands there instead, as JSON or as bytes."""
    files = files_of(archive)
    lines = files[name].splitlines()
    made = change(json.loads(lines[line]))
    lines[line] = made if isinstance(made, bytes) else json.dumps(made).encode()
    return sealed(files | {name: b"\n".join(lines) + b"\n"})
