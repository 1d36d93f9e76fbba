"""The list of what the server says in fixed words, and that the frontend's catalogs are made of it."""

from pathlib import Path

import pytest

from scripts import server_texts
from scripts.console import Failure


def test_the_lists_have_what_readers_see_first() -> None:
    shown = set(server_texts.results())
    assert {"Requests per second", "The generator was saturated", "Not checked: clocks agree", "accept queue"} <= shown
    assert "Service time under closed loop" in shown, "a badge, which stands in a call"
    assert "pin them to different cores, or use a generator host of its own" in shown, "a remedy"
    asked = set(server_texts.forms())
    assert {"Compact", "kept alive", "Lua replaces dyups."} <= asked
    assert "Install libnginx-mod-http-lua there; the agent finds it." in asked, "a constant of its file"
    assert {"two hosts", "both on one host", "the load is within all limits"} <= asked, "one of two"


def test_each_text_is_in_one_list_and_figures_are_in_none() -> None:
    listed = [line for text in server_texts.files().values() for line in text.splitlines() if line.startswith("  msg")]
    assert len(listed) == len(set(listed)) > 600
    assert not any(f"msg`{figure}`" in line for line in listed for figure in ("1x", "15.65 ms", "", "300, 350"))


def test_a_list_that_is_not_what_the_server_says_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_texts, "FOLDER", tmp_path)
    monkeypatch.setattr(server_texts, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["server_texts", "write"])
    assert server_texts.main() == 0
    monkeypatch.setattr("sys.argv", ["server_texts", "check"])
    assert server_texts.main() == 0
    path = tmp_path / "results.ts"
    path.write_text(path.read_text().replace("Clocks agree", "Clocks concur"))
    with pytest.raises(Failure, match=r"results\.ts"):
        server_texts.main()


def test_a_brace_that_is_no_place_of_a_value_is_refused() -> None:
    with pytest.raises(Failure, match="brace"):
        server_texts._file("reports", ["the level {} of {a b}"])
    assert server_texts._file("reports", ["`aio` \\ $x"]).endswith("  msg`\\`aio\\` \\\\ $x`,\n];\n")


def test_a_text_that_is_no_longer_said_is_kept_for_stored_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_texts, "FOLDER", tmp_path)
    said = ["{count} trials were `late`", "a sentence"]
    monkeypatch.setattr(server_texts, "results", lambda: iter(said))
    path = tmp_path / "results.ts"
    path.write_text(server_texts.files()["results.ts"])
    said[0] = "{count} trials were tardy"
    path.write_text(server_texts.files()["results.ts"])
    now, retired = path.read_text().split("RETIRED")
    assert "tardy" in now
    assert "`{count} trials were \\`late\\``" in retired
    assert server_texts.files()["results.ts"] == path.read_text(), "and stays"
    said.append("{count} trials were `late`")
    assert "RETIRED" not in server_texts.files()["results.ts"], "until it is said again"


def test_a_sentence_is_collected_from_calls_and_constants(tmp_path: Path) -> None:
    said = tmp_path / "said.py"
    said.write_text(
        "from ngxlab_contracts.sentences import say\n"
        'TEXT = "{share:.1f} % of {what}"\n'
        'say("{n} trials" if n != 1 else "{n} trial", n=n)\n'
        'raise ValueError("no {sentence}")\n'
    )
    assert {*map(server_texts.bare, server_texts.said_in(said))} == {"{share} % of {what}", "{n} trials", "{n} trial"}


def test_an_f_string_is_refused_where_a_sentence_is_said(tmp_path: Path) -> None:
    said = tmp_path / "said.py"
    said.write_text('from ngxlab_contracts.sentences import say\nsay(f"{count} trials")\n')
    with pytest.raises(Failure, match="f-string"):
        list(server_texts.said_in(said))
