"""The table of configurations that people publish: what is counted as equal."""

from pathlib import Path

import pytest
from ngxlab.configurations.conversion import Choices, convert
from ngxlab.configurations.experiment import of_one
from ngxlab.configurations.sound import settle
from ngxlab.definition.nginx.config import render_config

from scripts.own_configurations import build_here, candidates, dump, is_equal, table

SITE = """
events {}
http {
    gzip on;
    upstream app { server 10.0.0.1:80; }
    server {
        listen 80;
        auth_basic closed;
        auth_basic_user_file /etc/htpasswd;
        location / { proxy_pass http://app; }
        location ~ \\.php$ { fastcgi_pass unix:/run/php.sock; include fastcgi_params; }
    }
}
"""


def test_nginx_is_given_what_the_list_says_and_nothing_else() -> None:
    made = convert({"nginx.conf": SITE}, Choices(), build_here())
    settle(made)
    definition = of_one("nginx.conf", made).definition
    rendered = render_config(definition, definition.arms[0])
    dumped = dump(definition, rendered.text)
    assert dumped is not None
    assert is_equal(rendered, made, dumped)
    assert not is_equal(rendered, made, dumped.replace("gzip on;", ""))
    gzip = next(one for one in made.records if one.text == "gzip on")
    gzip.becomes = ["gzip off;"]
    assert not is_equal(rendered, made, dumped)
    gzip.becomes = []
    assert not is_equal(rendered, made, dumped)


def test_a_row_for_each_checkout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkout = tmp_path / "somebody" / "site"
    (checkout / "conf.d").mkdir(parents=True)
    (checkout / "nginx.conf").write_text(SITE)
    (checkout / "conf.d" / "app.conf").write_text("server { listen 80; return 204; }\n")
    (checkout / "conf.d" / "app.conf.j2").write_text("server { listen {{ port }}; }\n")
    (checkout / "README.md").write_text("server { listen 80; }\n")
    assert [path.name for path in candidates(checkout)] == ["app.conf", "nginx.conf"]
    assert "| [somebody/site](https://github.com/somebody/site) | 2 | 2 | 2 |" in table(tmp_path)
    assert "| 2 | 2 | 2 |" in capsys.readouterr().out
