"""What the check of sizes finds in small trees of its own making."""

from pathlib import Path

import pytest

from scripts.checks import sizes


def function(lines: int, name: str = "work") -> str:
    return f"def {name}() -> None:\n" + "    pass\n" * (lines - 1)


def problems(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "module.py"
    file.write_text(text)
    return [problem.removeprefix(f"{file}:") for problem in sizes.problems_of(file)]


def test_what_fits_is_not_mentioned(tmp_path: Path) -> None:
    assert problems(tmp_path, function(40) + "\n" * 260) == []


def test_a_long_function_is_named_with_its_line(tmp_path: Path) -> None:
    text = "import os\n\n\n@os.decorate\nasync " + function(41)
    assert problems(tmp_path, text) == ["5: work has 41 lines, at most 40: split it"]


def test_functions_within_classes_and_functions_count_too(tmp_path: Path) -> None:
    inner = "".join(f"    {line}\n" for line in function(41).splitlines())
    assert problems(tmp_path, f"class Worker:\n{inner}") == ["2: work has 41 lines, at most 40: split it"]


def test_a_long_file_is_named(tmp_path: Path) -> None:
    assert problems(tmp_path, "\n" * 301) == ["1: 301 lines, at most 300: split the file"]


def test_a_crowded_folder_is_named_unless_it_holds_tests_or_is_a_registry() -> None:
    for folder in ("backend/ngxlab/runs", "worker/tests/trial", "worker/ngxlab_worker/collectors"):
        files = [Path(folder, f"file_{number}.py") for number in range(21)]
        assert bool(list(sizes.crowded_folders(files))) is (folder == "backend/ngxlab/runs")
        assert not list(sizes.crowded_folders([*files[:20], Path(folder, "__init__.py")]))


def test_it_exits_with_1_and_prints_one_line_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "versions").mkdir()
    (tmp_path / "versions" / "long.py").write_text(function(41))
    monkeypatch.setattr("sys.argv", ["sizes", str(tmp_path)])
    assert sizes.main() == 1
    assert capsys.readouterr().out.count("\n") == 1
    (tmp_path / "versions" / "long.py").write_text(function(40))
    assert sizes.main() == 0


def test_generated_migrations_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("migrations/versions").mkdir(parents=True)
    Path("migrations/versions/long.py").touch()
    Path("migrations/env.py").touch()
    assert sizes.python_files(Path("migrations")) == [Path("migrations/env.py")]
