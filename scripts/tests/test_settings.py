"""Settings: environment over .env over defaults, and errors that name what is wrong."""

from pathlib import Path

import pytest

from scripts.console import Failure
from scripts.paths import ROOT
from scripts.stack import settings


def test_env_file_is_read_as_a_shell_would(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# a comment\n\nNGXLAB_PORT=9000  # another\nDATABASE_URL='postgresql://u:p#w@h/d'\nEMPTY=\n")
    assert settings.parse_env_file(path) == {
        "NGXLAB_PORT": "9000",
        "DATABASE_URL": "postgresql://u:p#w@h/d",
        "EMPTY": "",
    }


@pytest.mark.parametrize("line", ["NGXLAB_PORT", "NGXLAB PORT=1", "A=b c", "A='open"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / ".env"
    path.write_text(f"\n{line}\n")
    with pytest.raises(Failure, match="line 2"):
        settings.parse_env_file(path)


def test_every_default_in_the_example_is_a_valid_setting() -> None:
    example = (ROOT / ".env.example").read_text()
    assignments = [
        line.removeprefix("#") for line in example.splitlines() if line.startswith("#") and line[1:2].isupper()
    ]
    assert any(line.startswith("NGXLAB_PORT=8400") for line in assignments)
    assert all(line.partition("=")[0].isidentifier() for line in assignments)


def test_environment_wins_and_empty_means_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("NGXLAB_PORT=9000\nNGXLAB_REDIS_PORT=9001\n")
    monkeypatch.setattr("scripts.stack.settings.ROOT", tmp_path)
    monkeypatch.setenv("NGXLAB_PORT", "9100")
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.delenv("NGXLAB_REDIS_PORT", raising=False)
    loaded = settings.load()
    assert (loaded.port, loaded.redis_port, loaded.database_url) == (9100, 9001, None)


@pytest.mark.parametrize("value", ["0", "65536", "http", "-1"])
def test_a_port_that_is_none_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("NGXLAB_REDIS_PORT", value)
    with pytest.raises(Failure, match="NGXLAB_REDIS_PORT"):
        settings.load()


def test_a_data_folder_too_deep_for_a_socket_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NGXLAB_DATA_DIR", "/" + "deep/" * 30)
    with pytest.raises(Failure, match="too long"):
        settings.load()
