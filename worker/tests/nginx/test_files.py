"""Files made for a trial."""

import hashlib
import zlib
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from ngxlab_contracts.files import FileSet, ListedSizes, LogNormalSizes, Sizes, UniformSizes, WeightedSize
from ngxlab_worker.nginx.files import BLOCK, make_files

Kind = Literal["text", "json", "html"]


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


@pytest.mark.parametrize(
    ("content", "digest"),
    [
        ("text", "0a09825f122994a94a4171146fda34f287626c6fdd74ea37d8d2b3b8c72081ec"),
        ("json", "af9a6f1b60d9dfc38893539d3efafd7ca78e5522a3763155bca1060f35c45b92"),
        ("html", "4f2600ce0aca7a1b57f33a4baf0ccd526c11fba990f8ba8388a54545f23318df"),
    ],
)
def test_each_kind_of_content_is_the_same_for_ever_and_compresses(tmp_path: Path, content: Kind, digest: str) -> None:
    place = make(tmp_path / "1", FileSet(folder="a", count=2, size_bytes=100_000, content=content))
    made = (place / "a/1").read_bytes()
    assert 2 < len(made) / len(zlib.compress(made, 6)) < 6
    assert len(zlib.compress(made, 9)) < 0.97 * len(zlib.compress(made, 1)), "or the level would make no difference"
    assert hashlib.sha256(made).hexdigest() == digest


@pytest.mark.parametrize("ratio", [1.4, 1.6, 2.0, 3.0, 4.0, 6.0, 10.0])
def test_text_compresses_by_the_stated_ratio(tmp_path: Path, ratio: float) -> None:
    files = FileSet(folder="a", count=1, size_bytes=BLOCK, content="text", compression_ratio=ratio)
    made = (make(tmp_path / "1", files) / "a/0").read_bytes()
    assert len(made) / len(zlib.compress(made, 6)) == pytest.approx(ratio, rel=0.1)


@pytest.mark.parametrize(
    ("sizes", "least", "middle", "most"),
    [
        (UniformSizes(min_bytes=1000, max_bytes=3000), 1010, 2010, 2990),
        (LogNormalSizes(median_bytes=1000, sigma=1, max_bytes=5000), 76, 1013, 5000),
        (ListedSizes(sizes=[WeightedSize(size_bytes=10, weight=3), WeightedSize(size_bytes=500)]), 10, 10, 500),
    ],
)
def test_sizes_follow_their_distribution(tmp_path: Path, sizes: Sizes, least: int, middle: int, most: int) -> None:
    files = FileSet(folder="a", count=100, sizes=sizes)
    place = make(tmp_path / "1", files)
    made = [(place / "a" / str(number)).stat().st_size for number in range(100)]
    assert made == files.each_bytes != sorted(made)
    assert sum(made) == files.total_bytes
    assert (min(made), sorted(made)[50], max(made)) == (least, middle, most)
    assert files.model_copy(update={"seed": 2}).each_bytes != made


def test_large_files_of_a_distribution_are_refused_where_the_disk_is_too_small(tmp_path: Path) -> None:
    sizes = ListedSizes(sizes=[WeightedSize(size_bytes=1 << 30)])
    with pytest.raises(OSError, match="need 107,374,182,400,000 bytes"):
        make(tmp_path / "1", FileSet(folder="a", count=100_000, sizes=sizes))
