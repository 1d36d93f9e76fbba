"""One line for each event, in the form that was asked for."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from ngxlab_worker.cli_host import configure_logs
from ngxlab_worker.core.settings import SettingInvalidError, log_format


@pytest.fixture(autouse=True)
def former_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:], root.level = handlers, level
    structlog.configure(**configuration)


def test_an_event_is_a_json_object_where_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO", "json")
    structlog.get_logger("agent").info("trial ended", trial="7", outcome=ValueError("x"))
    said = json.loads(capsys.readouterr().err)
    assert said.pop("timestamp").endswith("Z")
    assert said == {"event": "trial ended", "level": "info", "trial": "7", "outcome": "x"}


def test_an_event_is_text_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")
    structlog.get_logger("agent").info("trial ended", trial="7")
    assert "event='trial ended' trial='7'" in capsys.readouterr().err


def test_another_form_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NGXLAB_LOG_FORMAT", "")
    assert log_format() == "text"
    monkeypatch.setenv("NGXLAB_LOG_FORMAT", "xml")
    with pytest.raises(SettingInvalidError, match="NGXLAB_LOG_FORMAT is 'xml'"):
        log_format()


@pytest.mark.parametrize("form", ["text", "json"])
def test_libraries_log_in_the_same_form(capsys: pytest.CaptureFixture[str], form: str) -> None:
    configure_logs("INFO", form)
    try:
        raise RuntimeError("of a library")
    except RuntimeError:
        logging.getLogger("celery.worker").exception("task %s failed", "x")
    [line] = capsys.readouterr().err.splitlines()
    assert "task x failed" in line
    assert "RuntimeError: of a library" in line
    assert line.startswith("{" if form == "json" else "timestamp=")
