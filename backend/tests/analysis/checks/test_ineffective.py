"""Limits, HTTP/2 and gzip that the load never meets: what the check says is what a real nginx does."""

import gzip
import os
import ssl
import subprocess
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

import pytest
from analysis import builders
from definition.rendered_nginx import running
from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.checks.places import place_of
from ngxlab.analysis.schemas import CheckResult
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Answer, Event

CONFIG = """\
daemon off;
pid @@folder@@/pid;
error_log @@folder@@/error.log warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path @@folder@@/temp/a; proxy_temp_path @@folder@@/temp/b; fastcgi_temp_path @@folder@@/temp/c;
    uwsgi_temp_path @@folder@@/temp/d; scgi_temp_path @@folder@@/temp/e;
    limit_req_zone $server_addr zone=one:1m rate=1r/m;
    limit_req_status 429;
    {http}
    server {{ listen 127.0.0.1:@@status_port@@; location = /stub_status {{ stub_status; }} }}
    server {{
        listen 127.0.0.1:@@http_port@@{listen};
        {server}
    }}
}}
"""


def written(server: str, *, http: str = "", listen: str = "") -> str:
    return CONFIG.format(http=http, server=server, listen=listen)


def real(config: str) -> str:
    """With a port of the test's."""
    return config.replace("@@http_port@@", "@@port.1@@")


def stream(path: str = "/", headers: Mapping[str, str] | None = None) -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", threads=1, connections=4, path=path, headers=dict(headers or {}))


def found(
    config: str,
    of: StreamSpec,
    *,
    bytes_read: int = 0,
    files: FileSet | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, CheckResult]:
    """All checks of a trial with this configuration and 100 responses; ``headers``: of the answer to one more."""
    spec = builders.spec(streams=[of], config=config)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"files": [files] if files is not None else []})
    spec = spec.model_copy(update={"nginx": nginx})
    result = builders.stream_result(live=100, printed=100, stub=100)
    assert result.printed is not None
    printed = result.printed.model_copy(update={"bytes_read": bytes_read})
    extra: list[Event] = [result.model_copy(update={"printed": printed})]
    extra += [Answer(t_us=builders.T0_US, stream=of.key, status=200, headers=dict(headers))] if headers else []
    record = builders.trial(builders.host(spec, extra=extra))
    return {check.key: check for check in check_trial(record, summarise_trial(record))}


LIMIT = "limit_req zone=one;"
LIMITED: dict[str, tuple[str, str, str, bool]] = {
    # http, server, path, bypassed
    "return in the location": ("", f"location / {{ {LIMIT} return 200 ok; }}", "/", True),
    "return in the server": ("", f"{LIMIT} return 200 ok;", "/", True),
    "limit of the whole server": ("", f"{LIMIT} location / {{ return 200 ok; }}", "/x", True),
    "limit of http": (LIMIT, "location / { return 200 ok; }", "/", True),
    "content": ("", f"location / {{ {LIMIT} empty_gif; }}", "/", False),
    "return elsewhere": ("", f"location / {{ {LIMIT} empty_gif; }} location /ok {{ return 200 ok; }}", "/x", False),
    "an exact location": ("", f"{LIMIT} location / {{ return 200 ok; }} location = /g {{ empty_gif; }}", "/g", False),
    "the longest prefix": ("", f"{LIMIT} location / {{ empty_gif; }} location /a {{ return 200 ok; }}", "/ab", True),
    "an expression": ("", f"{LIMIT} location / {{ empty_gif; }} location ~ \\.x$ {{ return 200 ok; }}", "/a.x", True),
    "a prefix without expressions": (
        "",
        f"{LIMIT} location ^~ /a {{ empty_gif; }} location ~ \\.x$ {{ return 200 ok; }}",
        "/a.x",
        False,
    ),
    "a nested location": ("", f"{LIMIT} location / {{ return 200 ok; location /a {{ empty_gif; }} }}", "/a", False),
    "a condition": ("", f"location / {{ {LIMIT} if ($arg_x) {{ return 200 ok; }} empty_gif; }}", "/", False),
}


@pytest.mark.parametrize("case", LIMITED)
def test_a_limit_that_return_bypasses(tmp_path: Path, case: str) -> None:
    http, server, path, bypassed = LIMITED[case]
    config = written(server, http=http)
    with running(tmp_path, real(config)) as nginx:
        statuses = {nginx.ask(path)[0] for _ in range(5)}
    assert (429 in statuses) is not bypassed
    check = found(config, stream(path))["limits-bypassed"]
    assert check.severity == ("warning" if bypassed else "pass")
    if bypassed:
        assert check.message.startswith("limit_req limits nothing of stream main")
        assert check.remedy is not None
        assert "content phase" in check.remedy


def test_a_limit_where_no_load_goes_and_a_script_are_passed_over() -> None:
    config = written(f"location / {{ empty_gif; }} location /ok {{ {LIMIT} return 200 ok; }}")
    assert found(config, stream("/"))["limits-bypassed"].message == "no limit is set where the load goes"
    scripted = stream().model_copy(update={"script": "x = 1"})
    assert found(written(f"{LIMIT} return 200 ok;"), scripted)["limits-bypassed"].severity == "pass"


def test_a_connection_limit_is_bypassed_too() -> None:
    config = written("location / { limit_conn one 1; return 200 ok; }")
    assert found(config, stream())["limits-bypassed"].message.startswith("limit_conn limits nothing")


KEYS: dict[str, bool | None] = {
    # The key of a limit; whether it is empty for a request with this cookie and this header. None: only nginx knows.
    "$server_name": True,
    "$http_x_client": False,
    "$http_x_none": True,
    "$http_x_none$server_name": True,
    "$cookie_b": False,
    "$arg_a": True,
    "$remote_user": True,
    "$of_absent": True,
    "$of_absent$server_addr": False,
    "$of_client": False,
    "$by_expression": None,
    "$binary_remote_addr": False,
}
MAPS = """
    map $http_x_none $of_absent { some 1; }
    map $http_x_client $of_client { ME $binary_remote_addr; default ""; }
    map $http_x_client $by_expression { ~^you 1; }
"""


def test_a_limit_whose_key_is_empty(tmp_path: Path) -> None:
    """nginx rejects the second request of each key that has a value."""
    zones = "".join(f"limit_req_zone {key} zone=k{n}:1m rate=1r/m;\n" for n, key in enumerate(KEYS))
    places = "".join(f"location = /{n} {{ limit_req zone=k{n}; empty_gif; }}\n" for n in range(len(KEYS)))
    config = written(places, http=MAPS + zones)
    headers = {"X-Client": "me", "Cookie": "b=1"}
    with running(tmp_path, real(config)) as nginx:
        limited = [429 in statuses(nginx.ports[0], f"/{n}", headers) for n in range(len(KEYS))]
    assert limited == [not is_empty for is_empty in (True if one is None else one for one in KEYS.values())]
    for number, (key, is_empty) in enumerate(KEYS.items()):
        check = found(config, stream(f"/{number}", headers))["limits-bypassed"]
        assert check.severity == ("warning" if is_empty else "pass"), (key, check.message)
        assert not is_empty or f"the key {key} of its zone is empty" in check.message


def test_a_limit_of_connections_whose_key_is_empty() -> None:
    config = written("location / { limit_conn n 1; empty_gif; }", http="limit_conn_zone $server_name zone=n:1m;")
    check = found(config, stream())["limits-bypassed"]
    assert check.message.startswith("limit_conn limits nothing of stream main: the key $server_name of its zone")


def statuses(port: int, path: str, headers: dict[str, str]) -> set[int]:
    """The statuses of two requests, one after the other."""
    connection = HTTPConnection("127.0.0.1", port)
    found = set[int]()
    for _ in range(2):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        found.add(response.status)
        response.read()
    connection.close()
    return found


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tls")
    key, crt = folder / "tls.key", folder / "tls.crt"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-days", "1"]
    subprocess.run([*make, "-keyout", key, "-out", crt], check=True, capture_output=True)
    return f"ssl_certificate {crt}; ssl_certificate_key {key};"


@pytest.mark.parametrize(("option", "severity"), [(" ssl http2", "error"), (" ssl", "pass")])
def test_a_client_of_http_1_1_measures_http_1_1_whatever_nginx_offers(
    tmp_path: Path, certificate: str, option: str, severity: str
) -> None:
    config = written(f"{certificate} location / {{ return 200 $server_protocol; }}", listen=option)
    with running(tmp_path, real(config)) as nginx:
        connection = HTTPSConnection("127.0.0.1", nginx.ports[0], context=ssl._create_unverified_context())
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"HTTP/1.1"
        connection.close()
    check = found(config, stream())["http-version"]
    assert check.severity == severity
    if severity == "error":
        assert "engine wrk of stream main speaks HTTP/1.1" in check.message


def test_http2_as_a_directive_counts_too() -> None:
    for server, severity in (("http2 on; return 200;", "error"), ("http2 off; return 200;", "pass")):
        assert found(written(server), stream())["http-version"].severity == severity


@pytest.mark.parametrize("said", [{"protocol": "http/2"}, {"protocol": "http/1.1", "protocol_varies": True}])
def test_a_stream_that_speaks_http2_or_http_1_1_on_purpose(said: Mapping[str, Any]) -> None:
    spoken = stream().model_copy(update=said)
    assert found(written("return 200;", listen=" ssl http2"), spoken)["http-version"].severity == "pass"


def test_a_listener_of_http3_counts_too() -> None:
    quic = "listen 127.0.0.1:@@http_port@@ quic; return 200;"
    check = found(written(quic, listen=" ssl"), stream())["http-version"]
    assert check.severity == "error"
    assert check.message.startswith("nginx offers HTTP/3")
    for said in ({"protocol": "http/3"}, {"protocol": "http/2", "protocol_varies": True}):
        spoken = stream().model_copy(update=said)
        assert found(written(quic, listen=" ssl"), spoken)["http-version"].severity == "pass"


RANDOM, TEXT = os.urandom(20_000), b"hello nginx " * 1700
FILES = FileSet(folder="data", count=1, size_bytes=20_000)
GZIP = "gzip on; gzip_comp_level 9; default_type text/html; root @@folder@@/files;"


@pytest.mark.parametrize(
    ("content", "asks", "said"),
    [(RANDOM, True, "gzip saved nothing"), (RANDOM, False, "does not ask for it"), (TEXT[:20_000], True, None)],
)
def test_gzip_on_what_does_not_compress(tmp_path: Path, content: bytes, asks: bool, said: str | None) -> None:
    config = written(f"location / {{ {GZIP} }}")
    place = tmp_path / "files" / "data"
    place.mkdir(parents=True)
    (place / "0").write_bytes(content)
    headers = {"Accept-Encoding": "gzip"} if asks else {}
    with running(tmp_path, real(config)) as nginx:
        size = received(nginx.ports[0], headers, content)
    check = found(config, stream("/data/0", headers), bytes_read=100 * size, files=FILES)["compression"]
    assert check.severity == ("warning" if said else "pass")
    assert said is None or said in check.message


def received(port: int, headers: dict[str, str], content: bytes) -> int:
    """The bytes of a response's body as they come over the wire."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.putrequest("GET", "/data/0", skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    compressed = response.getheader("Content-Encoding") == "gzip"
    connection.close()
    assert (gzip.decompress(body) if compressed else body) == content
    assert compressed is bool(headers)
    return len(body)


PLACES = {
    # What a location has; what the check says of it, or that nginx compresses.
    "default_type text/plain": "gzip_types does not have the content type of its responses, text/plain",
    "default_type text/plain; gzip_types text/css text/plain": None,
    "default_type text/plain; gzip_types *": None,
    "default_type text/html; gzip_min_length 20k": "its responses have 20,000 bytes, and gzip_min_length is 20k",
    "default_type text/html; gzip_min_length 19k": None,
}


def test_gzip_that_finds_nothing_to_compress(tmp_path: Path) -> None:
    """By the headers of one real answer, for several locations of one nginx."""
    places = "".join(f"location /{n}/ {{ gzip on; {has}; alias {tmp_path}/; }}\n" for n, has in enumerate(PLACES))
    config = written(places)
    (tmp_path / "page").write_bytes(TEXT[:20_000])
    asking = {"Accept-Encoding": "gzip"}
    with running(tmp_path, real(config)) as nginx:
        for number, said in enumerate(PLACES.values()):
            connection = HTTPConnection("127.0.0.1", nginx.ports[0])
            connection.request("GET", f"/{number}/page", headers=asking)
            headers = {name.lower(): value for name, value in connection.getresponse().getheaders()}
            connection.close()
            assert ("content-encoding" in headers) is (said is None)
            check = found(config, stream(f"/{number}/page", asking), headers=headers)["compression"]
            assert check.severity == ("pass" if said is None else "warning")
            assert said is None or check.message == f"gzip compresses nothing of stream main: {said}"


def test_gzip_that_is_off_is_passed_over() -> None:
    message = found(written("location / { root @@folder@@/files; }"), stream("/data/0"), files=FILES)["compression"]
    assert message.message == "gzip is off where the load goes"


def test_no_place_without_a_server_that_takes_the_load() -> None:
    assert place_of("events {} http { server { listen 80; } }", "/") is None
    assert place_of("http {", "/") is None
