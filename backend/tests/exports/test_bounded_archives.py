"""What reading an archive takes, whatever somebody has put into it."""

import io
import json
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from exports.archives import packed, sealed
from ngxlab.core.errors import Invalid
from ngxlab.exports.archive import layout, reading
from ngxlab.exports.archive.reading import Archive
from ngxlab.exports.archive.staging import _artefact, _batches
from ngxlab_contracts.telemetry import Artefact

_NAMES = (layout.MANIFEST, *layout.CONTENT)
_SOUND = packed(dict.fromkeys(_NAMES, b"{}"))
_END = struct.Struct("<4s4H2LH")
_ENTRY = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"x"


def _end(directory: int, begin: int, entries: int = len(_NAMES)) -> bytes:
    return _END.pack(b"PK\x05\x06", 0, 0, entries, entries, directory, begin, 0)


def _many_that_are_told() -> bytes:
    entries = _ENTRY * 20_000
    return entries + _end(len(entries), 0, 20_000)


def _many_behind_a_false_number() -> bytes:
    entries = _ENTRY * 20_000
    return entries + _end(len(entries), 0)


def _many_by_another_record() -> bytes:
    """Readers that know ZIP64 follow the record before the last one."""
    entries = _ENTRY * 20_000
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 20_000, 20_000, len(entries), 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(entries), 1)
    return entries + record + locator + _end(len(record + locator), len(entries))


def _many_before_a_comment() -> bytes:
    entries = _ENTRY * 20_000
    return entries + _end(len(entries), 0, 20_000)[:-2] + struct.pack("<H", 5) + b"hello"


@contextmanager
def _taking_at_most(most_bytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < most_bytes


@contextmanager
def _resident_at_most(most_bytes: int) -> Iterator[None]:
    """Beyond what this process has now, with all that is no object of Python's."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is that of now
    before = _resident("VmRSS")
    yield
    assert _resident("VmHWM") - before < most_bytes


def _resident(what: str) -> int:
    told = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(told[what].split()[0]) << 10


def _refusal(archive: bytes, folder: Path) -> str:
    path = folder / "run.zip"
    path.write_bytes(archive)
    with pytest.raises(Invalid) as refused, Archive(path):
        pass
    return refused.value.detail


@pytest.mark.parametrize(
    "make", [_many_that_are_told, _many_behind_a_false_number, _many_by_another_record, _many_before_a_comment]
)
def test_a_directory_of_very_many_files_is_not_read(make: Callable[[], bytes], tmp_path: Path) -> None:
    archive = make()
    with _taking_at_most(4 << 20):
        _refusal(archive, tmp_path)


def _with(name: str, line: bytes, size: int) -> bytes:
    """Sealed, with a file that repeats one line."""
    files = dict.fromkeys(layout.CONTENT, b"{}\n") | {name: line * (size // len(line))}
    entries = [{"name": name} for name in layout.CONTENT]
    told = {
        "format": "ngxlab-run",
        "version": 1,
        "origin": "https://lab.test",
        "written_at": "2026-01-01T00:00:00Z",
        "files": entries,
    }
    return sealed(files | {layout.MANIFEST: json.dumps(told | {"run_id": str(uuid4())}).encode()})


def test_a_document_of_many_lines_takes_no_more_memory_than_one_of_two(tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    path.write_bytes(_with(layout.RUN, b"{}\n", 15 << 20))
    with Archive(path) as archive, _taking_at_most(48 << 20), pytest.raises(Invalid, match=r"run\.json has"):
        archive.document(layout.RUN, layout.RunPart)


_LONG = {
    "lists": (layout.TRIALS, b"[" + b"[]," * (5 << 20) + b"[]]\n", "a line of more than 4 MiB"),
    "objects": (layout.LAYOUTS, b'{"a":[' + b"{}," * (1 << 20) + b"{}]}\n", "a line of more than 100,000 values"),
    "numbers": (layout.FRAMES, b"[" + b"0," * (1 << 20) + b"0]\n", "a line of more than 100,000 values"),
    "names": (
        layout.TRIALS,
        ("{" + "".join(f'"name {n}":0,' for n in range(95_000)) + '"\U0001f600":0}\n').encode(),
        "of its values are none of its form",
    ),
}


@pytest.mark.parametrize("what", _LONG)
def test_a_line_takes_little_memory_whatever_it_says(what: str, tmp_path: Path) -> None:
    name, line, told = _LONG[what]
    path = tmp_path / "run.zip"
    path.write_bytes(_with(name, line, len(line)))
    with Archive(path) as archive, _resident_at_most(64 << 20), pytest.raises(Invalid, match=told):
        list(archive.rows(name))


def test_commas_in_a_kept_file_are_no_values(tmp_path: Path) -> None:
    row = {"trial": 0, "host": 0, "file": {"kind": "artefact", "t_us": 0, "name": "error.log", "text": '",[' * 80_000}}
    path = tmp_path / "run.zip"
    line = json.dumps(row).encode() + b"\n"
    path.write_bytes(_with(layout.ARTEFACTS, line, len(line)))
    with Archive(path) as archive:
        [read] = archive.rows(layout.ARTEFACTS)
    assert len(read.file.text) == 240_000


@pytest.mark.parametrize(("name", "most"), layout.MOST_BYTES.items())
def test_no_file_unpacks_to_more_than_it_may(
    name: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its entry says: what it does unpack to is never more."""
    assert most <= 256 << 20 or name in layout.NUMBERS
    monkeypatch.setattr(reading, "MOST_UNPACKED", sum(layout.MOST_BYTES.values()))
    assert f"{name} unpacks to more than" in _refusal(_claiming(name, most + 1), tmp_path)
    assert name not in _refusal(_claiming(name, most), tmp_path)


def _claiming(name: str, size: int) -> bytes:
    """With a directory that says so of a file that has been packed well, but not too well."""
    made = io.BytesIO()
    with ZipFile(made, "w") as file:
        for other in _NAMES:
            file.writestr(other, b"{}")
        info = file.getinfo(name)
        info.file_size, info.compress_size = size, size // 100
    return made.getvalue()


def test_long_rows_are_stored_few_at_a_time() -> None:
    """However many of them there are."""
    file = Artefact(t_us=0, name="error.log", text="")
    rows = ((size, layout.ArtefactPart(trial=0, host=0, file=file)) for size in [100] * 3000 + [1 << 20] * 10)
    batches = [batch for _, batch in _batches(rows, _artefact)]
    assert [len(batch.events) for batch in batches] == [2000, 1001, *[1] * 9]


@pytest.mark.parametrize("ending", [b"", b"\0", b"hello"])
def test_what_follows_the_directory_is_no_part_of_an_archive(ending: bytes, tmp_path: Path) -> None:
    """The sound one is read: what is wrong with it is its manifest."""
    assert ("manifest.json" in _refusal(_SOUND + ending, tmp_path)) == (not ending)
