"""No configuration that passes makes nginx connect to a Unix socket of the machine; what nginx does decides."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from definition.definitions import sound
from definition.rendered_nginx import running
from definition.test_nginx_policy import violations_of
from ngxlab.definition.validation import validate
from ngxlab_policy.document import Surroundings, problems

SECRET = b"of the machine"
SERVER = '{{ servers("app") }}'
UNIX = f"upstream unix {{ {SERVER} }}"
WAYS = [
    # what stands in http and in server, and what a client asks for
    (UNIX, 'set $uri_x ":@socket@:/"; location / { proxy_pass http://unix$uri_x; }', "/"),
    (UNIX, 'set $request_uri_x ":@socket@:/"; location / { proxy_pass http://unix$request_uri_x; }', "/"),
    (UNIX, "location ~ ^/(?<uri_x>.+)$ { proxy_pass http://unix$uri_x; }", "/:@socket@:/"),
    (f'{UNIX}\nmap $host $uri2 {{ default ":@socket@:/"; }}', "location / { proxy_pass http://unix$uri2; }", "/"),
    (f"upstream u {{ {SERVER} }}", 'set $uri_x "nix:@socket@:/"; location / { proxy_pass http://u$uri_x; }', "/"),
    (UNIX, "location / { proxy_pass http://unix:@socket@:/; }", "/"),
]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Path]:
    """The socket of a service of the machine, which answers any request with the secret."""
    path = tmp_path / "s"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def answer() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(SECRET), SECRET))

    thread = threading.Thread(target=answer)
    thread.start()
    yield path
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def config_of(http: str, server: str, socket_path: str, upstream: str) -> str:
    text = (
        "events {}\npid @@pid_file@@;\nerror_log @@error_log@@;\nhttp {\naccess_log off;\n"
        "proxy_ignore_headers X-Accel-Redirect;\nserver {\nlisten 127.0.0.1:@@status_port@@;\n}\n"
        f"{http}\nserver {{\nlisten 127.0.0.1:@@port.1@@;\n{server}\n}}\n}}\n"
    )
    return text.replace("@socket@", socket_path).replace(SERVER, upstream)


@pytest.mark.parametrize(("http", "server", "path"), WAYS)
def test_both_lists_refuse_what_leads_to_a_socket(http: str, server: str, path: str, service: Path) -> None:
    assert violations_of({"http": http, "server": server.replace("@socket@", str(service))})
    config = config_of(http, server, str(service), "@@upstream.app@@")
    said = problems(config, Surroundings(frozenset({"app"})))
    assert [message for message in said if "proxy_pass: " in message or "upstream: " in message]


@pytest.mark.parametrize(("http", "server", "path"), WAYS)
def test_it_does_lead_there(http: str, server: str, path: str, service: Path, tmp_path: Path) -> None:
    """As long as nginx does it, the rule is needed."""
    folder = tmp_path / "nginx"
    folder.mkdir()
    with running(folder, config_of(http, server, str(service), "server 127.0.0.1:1;")) as nginx:
        assert nginx.ask(path.replace("@socket@", str(service))) == (200, SECRET)


@pytest.mark.parametrize("follows", ["", "/", "/x$is_args$args", "$request_uri", "$uri", "$uri$is_args$args", "$uri/x"])
def test_a_path_may_follow(follows: str) -> None:
    texts = {"http": f"upstream app {{ {SERVER} }}", "server": f"location / {{ proxy_pass http://app{follows}; }}"}
    assert violations_of(texts) == []


@pytest.mark.parametrize("name", ["unix", "localhost", "http", "https"])
def test_no_group_has_a_name_that_means_something_else(name: str) -> None:
    raw = sound()
    raw["nginx"]["upstreams"] = {"through": "lua", "groups": [{"key": name, "nodes": 1, "server": "app"}]}
    assert [
        one for one in validate(raw).problems if one.field == "nginx.upstreams.groups.0.key" and name in one.message
    ]
