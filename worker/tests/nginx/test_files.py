"""Files made for a trial."""

import hashlib
import zlib
from pathlib import Path

import numpy as np
import pytest
from ngxlab_contracts.trials import FileSet
from ngxlab_worker.nginx.files import BLOCK, make_files


def nothing() -> None:
    pass


def make(root: Path, *sets: FileSet) -> Path:
    root.mkdir()
    make_files(root, list(sets), nothing)
    return root / "files"


def test_content_follows_from_the_seed_alone(tmp_path: Path) -> None:
    files = FileSet(folder="a", count=3, size_bytes=5000, seed=-7)
    first, again = make(tmp_path / "1", files), make(tmp_path / "2", files)
    other = make(tmp_path / "3", files.model_copy(update={"seed": 7}))
    contents = [(first / "a" / name).read_bytes() for name in "012"]
    assert contents == [(again / "a" / name).read_bytes() for name in "012"]
    assert len({*contents, (other / "a/0").read_bytes()}) == 4
    assert {len(content) for content in contents} == {5000}
    assert len(zlib.compress(contents[0])) >= 5000


def test_the_content_of_a_seed_is_the_same_for_ever(tmp_path: Path) -> None:
    """Else results of one version could not be compared with those of another."""
    place = make(tmp_path / "1", FileSet(folder="a", count=2, size_bytes=1000, seed=1))
    digest = hashlib.sha256((place / "a/1").read_bytes()).hexdigest()
    assert digest == "df6289cc095ed0fc5962b70f3df9763a70643eb6327611f5ad57351c0b666893"


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 12_345])
def test_files_of_every_size_are_windows_into_repeated_noise(tmp_path: Path, size: int) -> None:
    place = make(tmp_path / "1", FileSet(folder="a", count=2, size_bytes=size))
    for name in "01":
        content = np.frombuffer((place / "a" / name).read_bytes(), np.uint8)
        assert content.size == size
        assert np.array_equal(content[BLOCK:], content[:-BLOCK] if size > BLOCK else content[:0])


def test_another_user_may_read_them_and_nobody_else_may_write(tmp_path: Path) -> None:
    place = make(tmp_path / "1", FileSet(folder="a", count=1, size_bytes=1), FileSet(folder="b", count=1, size_bytes=1))
    assert {path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()} == {0o644}
    assert {path.stat().st_mode & 0o777 for path in (place, place / "a", place / "b")} == {0o755}


def test_more_than_the_disk_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="need 107,374,182,400,000 bytes"):
        make(tmp_path / "1", FileSet(folder="a", count=100_000, size_bytes=1 << 30))
    assert list((tmp_path / "1").iterdir()) == []


def test_making_them_can_be_stopped(tmp_path: Path) -> None:
    calls = iter(range(5))

    def check() -> None:
        next(calls)

    with pytest.raises(StopIteration):
        make_files(tmp_path, [FileSet(folder="a", count=100, size_bytes=1)], check)
    assert len(list((tmp_path / "files/a").iterdir())) == 5
