"""Rendering is limited and traceable: every line of a configuration knows the line it comes from."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from definition.definitions import sound
from definition.sentences import unlisted
from ngxlab.definition.fragments import ConfigTemplateError, render_fragment
from ngxlab.definition.nginx.config import locate, render_config
from ngxlab.definition.nginx.upstream_server import render_upstream_server
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a;\nb;", [("a;", 1), ("b;", 2)]),
        ("\n\na;\n\nb;\n", [("a;", 3), ("", 3), ("b;", 5)]),
        ("{% if n > 1 %}\na;\n{% else %}\nb;\n{% endif %}\nc;", [("a;", 2), ("c;", 6)]),
        ("{{ frag }}\nlast;", [("x;", 1), ("y;", 1), ("last;", 2)]),
        ("a {{ n }}\n  {{ n * 2 + 1 }} b;", [("a 3", 1), ("  7 b;", 2)]),
        ("{# one\ntwo #}\na;", [("a;", 3)]),
        ("a {{ flag }} {{ n == 3 }};", [("a off on;", 1)]),
        ("{%- if n %}a;\n{%- endif %}\nb;", [("a;b;", 1)]),
        ("{% raw %}{{ n }}{% endraw %};\n{{ n }}", [("{{ n }};", 1), ("3", 2)]),
    ],
)
def test_lines_know_where_they_come_from(source: str, expected: list[tuple[str, int]]) -> None:
    variables: dict[str, object] = {"n": 3, "frag": "x;\ny;", "flag": False}
    assert list(render_fragment("f", source, variables).lines) == expected


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("a\n{{ nope }}", 2, "'nope' is undefined"),
        ("\n\n{{ 1 / 0 }}", 3, "division by zero"),
        ("{{ 'a' * 1000000000 }}", 1, "both must be numbers"),
        ("{{ '%1000000000d' % 1 }}", 1, "both must be numbers"),
        ("{{ 9 ** 9 ** 9 }}", 1, "pow is not supported"),
        ("{% for a in 'aaa' %}{% endfor %}", 1, "for is not supported"),
        ("{% set a = 1 %}", 1, "not supported"),
        ("{% macro a() %}{% endmacro %}", 1, "not supported"),
        ("{% include 'x' %}", 1, "include is not supported"),
        ("{{ ''.__class__ }}", 1, "getattr is not supported"),
        ("{{ n['x'] }}", 1, "getitem is not supported"),
        ("{{ range(9) }}", 1, "only servers"),
        ("{{ n|attr('x') }}", 1, "no filter 'attr'"),
        ("{{ n is callable }}", 1, "no test 'callable'"),
        ("a\n{{ (((", 2, ""),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", None, "too deeply nested"),
        ("{% if n %}" * 200 + "{% endif %}" * 200, None, "too deeply nested"),
    ],
)
def test_what_templates_may_not_do(source: str, line: int | None, said: str) -> None:
    with pytest.raises(ConfigTemplateError) as refusal:
        render_fragment("nginx.server", source, {"n": 3})
    assert (refusal.value.field, refusal.value.line) == ("nginx.server", line)
    assert said in refusal.value.message
    assert list(unlisted(refusal.value.message)) == []


def _tested_by_nginx(text: str, folder: Path) -> tuple[str, int]:
    """nginx's first complaint and its line."""
    values = {"address": "127.0.0.1", "http_port": "18997", "status_port": "18996", "folder": str(folder)}
    values |= {"pid_file": f"{folder}/nginx.pid", "error_log": f"{folder}/error.log"}
    values |= {"upstream.app": "server 127.0.0.1:9;"}
    for name, value in values.items():
        text = text.replace(f"@@{name}@@", value)
    (folder / "temp").mkdir(exist_ok=True)
    path = folder / "nginx.conf"
    path.write_text(text)
    tested = subprocess.run(
        ["/usr/sbin/nginx", "-t", "-q", "-p", str(folder), "-c", str(path)], capture_output=True, text=True, check=False
    )
    match = re.search(r"\[emerg\] (.*) in .*:(\d+)$", tested.stderr, re.MULTILINE)
    return (match[1], int(match[2])) if match else ("", 0)


def _with(path: str, text: str) -> Definition:
    raw: dict[str, Any] = sound()
    raw["nginx"][path] = text
    return require(raw)


@pytest.mark.parametrize(
    ("fragment", "text", "line"),
    [
        (
            "server",
            "gzip on;\n\nlocation /a { return 200; }\n{% if aio == 'off' %}\nsendfile_max_chunk huge;\n{% endif %}",
            5,
        ),
        ("http", "# first\nupstream empty {\n    keepalive 8;\n}", 4),
        ("events", "use nothing;", 1),
        ("main", "\nworker_rlimit_nofile many;", 2),
        ("listen_options", "backlog=0", 1),
    ],
)
def test_nginxs_own_complaint_leads_to_the_templates_line(tmp_path: Path, fragment: str, text: str, line: int) -> None:
    definition = _with(fragment, text) if fragment != "http" else _with("http", sound()["nginx"]["http"] + "\n" + text)
    expected = line if fragment != "http" else line + 4
    arm = definition.arms[0]
    complaint, rendered_line = _tested_by_nginx(render_config(definition, arm).text, tmp_path)
    assert complaint
    assert locate(definition, arm, rendered_line) == (f"nginx.{fragment}", expected), complaint


def test_nginx_accepts_target_and_backend_of_a_sound_definition(tmp_path: Path) -> None:
    definition = require(sound())
    for arm in definition.arms:
        assert _tested_by_nginx(render_config(definition, arm).text, tmp_path) == ("", 0)
        upstream = render_upstream_server(definition, definition.upstream_servers[0], arm).replace(
            "@@port.1@@", "18995"
        )
        assert _tested_by_nginx(upstream, tmp_path) == ("", 0)


def test_lines_of_ngxlabs_own_have_no_origin() -> None:
    definition = require(sound())
    arm = definition.arms[0]
    assert locate(definition, arm, 1) is None
    assert locate(definition, arm, 0) is None
    assert locate(definition, arm, 10_000) is None
    assert locate(definition, arm, 2) == ("nginx.workers", 1)
