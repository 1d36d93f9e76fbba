"""What performance engineers need is allowed by backend and host alike, and nginx accepts it."""

import subprocess
from pathlib import Path

import pytest
from definition.directive_variants import ALLOWED, OTHER_BUILDS, variants
from definition.refused_fragments import UPSTREAM
from definition.refused_variants import REFUSED
from definition.rendered_nginx import MODULES
from definition.sentences import unlisted
from definition.test_nginx_document import AROUND, document, filled
from ngxlab.definition.fragments import render_fragment
from ngxlab.definition.nginx.config import FRAGMENTS
from ngxlab_policy.document import problems
from ngxlab_policy.fragments import Violation, violations
from ngxlab_policy.servers import place_of
from ngxlab_worker.nginx.config import fill

MOST_REFUSED = 25
AROUND_THEM = {
    "proxy_cache c": "proxy_cache_path @@folder@@/cache keys_zone=c:10m;",
    "zone=r": "limit_req_zone $binary_remote_addr zone=r:10m rate=100r/s;",
    "limit_conn n": "limit_conn_zone $server_name zone=n:10m;",
    "$source": "split_clients $remote_addr$request_id $source { 50% 127.0.0.2; * 127.0.0.3; }",
    "koi8-r;": "charset_map koi8-r utf-8 { 80 E282AC; }",
}
"""What a variant needs in http, by what it has."""


def servers(key: str, **options: object) -> str:
    return place_of(key, options)


def fragments_with(field: str, text: str) -> dict[str, str]:
    http = "\n".join([UPSTREAM, *(line for has, line in AROUND_THEM.items() if has in text)])
    return {field: text} if field == "http" else {"http": http, field: text}


def judged(fragments: dict[str, str]) -> list[Violation]:
    texts = {name: fragments.get(name, "") for name in FRAGMENTS}
    rendered = {name: render_fragment(f"nginx.{name}", text, {"servers": servers}) for name, text in texts.items()}
    return violations(rendered, ["app"])


def whole(fragments: dict[str, str]) -> str:
    made = {name: render_fragment(name, text, {"servers": servers}).text for name, text in fragments.items()}
    return document(made)


def test_there_are_enough_and_few_are_refused() -> None:
    asked = {*variants(ALLOWED), *variants(OTHER_BUILDS), *((field, text) for field, text, _ in REFUSED)}
    assert len(asked) >= 213
    assert len(REFUSED) <= MOST_REFUSED


@pytest.mark.parametrize(("field", "text"), [*variants(ALLOWED), *variants(OTHER_BUILDS)])
def test_backend_and_host_allow_it(field: str, text: str) -> None:
    fragments = fragments_with(field, text)
    assert judged(fragments) == []
    assert problems(whole(fragments), AROUND) == []


@pytest.mark.parametrize(("field", "text"), variants(ALLOWED))
def test_nginx_accepts_it(field: str, text: str, tmp_path: Path) -> None:
    config = fill(whole(fragments_with(field, text)), everything(tmp_path))
    path = tmp_path / "nginx.conf"
    path.write_text(MODULES + config)
    (tmp_path / "temp").mkdir()
    tested = subprocess.run(
        ["/usr/sbin/nginx", "-t", "-p", tmp_path, "-c", path], capture_output=True, text=True, check=False
    )
    assert tested.returncode == 0, f"{tested.stderr}\n{config}"


def everything(folder: Path) -> dict[str, str]:
    names = ("folder", "pid_file", "error_log", "address", "status_port", "http_port")
    values = {name: filled(f"@@{name}@@", folder) for name in names}
    return values | {"upstream.app": "server 127.0.0.1:9; server 127.0.0.1:10;"}


@pytest.mark.parametrize(("field", "text", "reason"), REFUSED)
def test_what_is_refused_says_why_and_what_to_do_instead(field: str, text: str, reason: str) -> None:
    fragments = fragments_with(field, text)
    found = judged(fragments)
    assert any(reason in violation.message for violation in found), found
    assert [text for violation in found for text in unlisted(violation.message)] == []
    assert problems(whole(fragments), AROUND)
