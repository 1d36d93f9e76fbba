"""The list of what the server says in fixed words, and that the frontend's catalogs are made of it."""

import ast
import re
from collections.abc import Iterator
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


_NOT_SAID = ("base.py", "document.py", "lua.py", "own_directives.py", "reference.py")
"""Names of fields, what hosts say to the coordinator, code, configuration, and a document."""
_NO_PROBLEMS = {"the only arm", "ngxlab experiment"}
_JUDGES = [
    path
    for path in sorted(
        [*server_texts.BACKEND.rglob("*.py"), *(server_texts.BACKEND.parent / "policy" / "ngxlab_policy").glob("*.py")]
    )
    if server_texts.judges_definitions(path) and path.name not in _NOT_SAID
]
_LISTS = {"field", "Field", "_names", "say", "fixed", "unknown", "compile"}
_WORDS = re.compile(r"[a-z]{2,},? [a-z]{2,}")


def _bare_prose(node: ast.AST) -> Iterator[str]:
    """Words that are in no sentence: not said, no template, no docstring, no line of a configuration."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _LISTS:
            return
        case ast.JoinedStr(values=parts):
            yield from _prose("".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts))
            return
        case ast.Constant(value=str(text)) if not server_texts.PLACE.search(text):
            yield from _prose(text)
    for child in ast.iter_child_nodes(node):
        yield from _bare_prose(child)


def _prose(text: str) -> Iterator[str]:
    is_line = "\n" in text or text.rstrip().endswith((";", "{", "}"))
    if _WORDS.search(text) and not is_line and text not in _NO_PROBLEMS:
        yield text


@pytest.mark.parametrize("path", _JUDGES, ids=[path.name for path in _JUDGES])
def test_what_is_wrong_with_an_experiment_is_said_in_sentences(path: Path) -> None:
    assert list(_bare_prose(ast.parse(path.read_text()))) == []


def test_prose_that_is_no_sentence_is_found() -> None:
    source = 'yield "field", f"{name} must not be here"\nraise ValueError("give one of them")\nsay("this is said")\n'
    assert list(_bare_prose(ast.parse(source))) == ["x must not be here", "give one of them"]
