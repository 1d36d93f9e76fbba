"""Checks that fire during a run, and the verdict so far, are told once."""

from datetime import UTC, datetime
from uuid import uuid4

from ngxlab_cli.follow import News
from ngxlab_cli.models import RunAsks, RunFlag
from tests.support.readings import reading


def flag(severity: str, message: str) -> RunFlag:
    return RunFlag(key="noisy-host", severity=severity, message=message, remedy="stop other work", trial_ids=[uuid4()])


def test_a_check_is_told_when_it_fires_and_again_only_when_it_gets_worse() -> None:
    news = News()
    assert news.of(reading()) == []
    assert news.of(reading(flags=[flag("warning", "steal 2 %")])) == [
        "warning: noisy-host: steal 2 % (stop other work)"
    ]
    assert news.of(reading(flags=[flag("warning", "steal 3 %")])) == []
    assert news.of(reading(flags=[flag("error", "steal 9 %")])) == ["error: noisy-host: steal 9 % (stop other work)"]


def test_a_question_is_told_once_with_its_answers() -> None:
    news = News()
    until = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    asks = RunAsks(reason="GET /files/0 -> 404, text/html, 153 B.", until=until)
    (told,) = news.of(reading(asks=asks))
    assert told.startswith("asks: GET /files/0 -> 404, text/html, 153 B. `ngxlab resume ")
    assert "`ngxlab cancel " in told
    assert news.of(reading(asks=asks)) == []


def test_the_verdict_so_far_is_told_whenever_it_changes() -> None:
    news = News()
    told = [news.of(reading(verdict_so_far=text)) for text in (None, "No conclusion.", "No conclusion.", "12 % more.")]
    assert told == [[], ["so far: No conclusion."], [], ["so far: 12 % more."]]
