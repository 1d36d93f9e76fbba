"""Progress as it is shown, on a real terminal and in a log."""

import io
import os
import pty
import termios
from datetime import timedelta

import pytest
from ngxlab_cli.models import RunDetail
from ngxlab_cli.progress import Lines, OneLine, Silent, choose, clocks, duration, steps
from tests.support.readings import NOW, reading


def test_a_running_run() -> None:
    assert steps(reading()) == ["running", "7/15 trials", "block 2", "mutex on"]
    assert clocks(reading()) == ["measuring 0:12", "12:34 left"]


@pytest.mark.parametrize(
    ("run", "shown"),
    [
        (reading(cancel_requested_at=NOW), "cancelling"),
        (reading(paused_at=NOW), "paused"),
        (reading("completed"), "completed"),
        (reading("failed", state_reason="nginx died"), "nginx died"),
        (reading("queued", progress={"arm": None, "waiting_for": "Another run"}), "Another run"),
    ],
)
def test_other_states(run: RunDetail, shown: str) -> None:
    assert shown in steps(run)


def test_time_that_is_over_is_not_negative() -> None:
    assert clocks(reading(server_time=NOW + timedelta(hours=1))) == ["measuring 0:00", "0:00 left"]


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (754, "12:34"), (3723, "1:02:03")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(timedelta(seconds=seconds)) == text


def test_a_log_gets_a_line_for_each_step_and_not_for_each_reading() -> None:
    stream = io.StringIO()
    display = Lines(stream)
    later = reading(server_time=NOW + timedelta(seconds=1))
    for run in (reading(), later, reading(progress={"trials_done": 8, "arm": None})):
        display.show(run)
    display.close()
    assert stream.getvalue() == "running · 7/15 trials · block 2 · mutex on\nrunning · 8/15 trials\n"


def read_until(terminal: int, end: str) -> str:
    with os.fdopen(terminal, "rb", buffering=0) as stream:
        content = b""
        while not content.endswith(end.encode()):
            content += stream.read(4096) or b""
    return content.decode()


def test_a_terminal_gets_one_line_that_is_rewritten() -> None:
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 70))
    with os.fdopen(follower, "w") as terminal:
        display = choose(terminal, quiet=False)
        assert isinstance(display, OneLine)
        display.show(reading())
        display.show(reading("completed"))
        display.note("done")
        terminal.write("bye\n")
        terminal.flush()
        text = read_until(leader, "bye\r\n")
    line = "[#####.....] · running · 7/15 trials · block 2 · mutex on · measuring 0:12 · 12:34 left"
    assert text.startswith(f"\r\x1b[K{line[:69]}\r")
    assert text.count("\r\x1b[K") == 2
    assert text.endswith("\r\ndone\r\nbye\r\n")


def test_other_displays() -> None:
    assert isinstance(choose(io.StringIO(), quiet=False), Lines)
    assert isinstance(choose(io.StringIO(), quiet=True), Silent)
