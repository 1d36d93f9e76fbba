"""What the tools run."""

import pytest

from scripts.console import Failure, run


def test_a_command_is_given_its_input_and_says_its_output() -> None:
    assert run(["cat"], hint="", given="secret") == "secret"
    assert run(["cat"], hint="") == ""


def test_input_that_nobody_reads_does_no_harm() -> None:
    assert run(["true"], hint="", given="x" * 1_000_000) == ""


def test_a_failure_shows_what_was_said_but_not_what_was_given() -> None:
    with pytest.raises(Failure) as failure:
        run(["sh", "-c", "echo trouble; exit 3"], hint="", given="secret")
    assert "trouble" in str(failure.value)
    assert "secret" not in str(failure.value)
