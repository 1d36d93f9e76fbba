"""Run variables and ports."""

import socket
from pathlib import Path

import pytest
from ngxlab_contracts.trials import Endpoint
from ngxlab_worker.nginx.config import RunValues, UnknownVariableError, fill, sets_daemon, upstreams
from ngxlab_worker.nginx.ports import free_ports

VALUES = RunValues(http_ports=(11000,), status_port=11001, folder=Path("/t/x"))


def test_every_variable_is_filled_in() -> None:
    text = "@@http_port@@ @@status_port@@ @@folder@@ @@pid_file@@ @@error_log@@ @@http_port@@"
    assert fill(text, VALUES.variables()) == "11000 11001 /t/x /t/x/nginx.pid /t/x/error.log 11000"


def test_backends_become_servers() -> None:
    endpoints = [
        Endpoint(name="upstream.a", address="10.0.0.1", ports=[80, 81]),
        Endpoint(name="upstream.b", address="fd00::1", ports=[82]),
    ]
    text = "upstream a { @@upstream.a@@ } upstream b { @@upstream.b@@ } listen @@address@@:@@http_port@@;"
    values = RunValues(http_ports=(1,), status_port=2, folder=Path("/t"), address="fd00::2")
    assert fill(text, values.variables() | upstreams(endpoints)) == (
        "upstream a { server 10.0.0.1:80; server 10.0.0.1:81; } upstream b { server [fd00::1]:82; } listen [fd00::2]:1;"
    )
    with pytest.raises(UnknownVariableError, match=r"@@upstream\.c@@"):
        fill("@@upstream.c@@", values.variables() | upstreams(endpoints))


def test_options_stand_behind_each_server_or_the_one_that_is_named() -> None:
    variables = upstreams([Endpoint(name="upstream.a", address="10.0.0.1", ports=[80, 81])])
    assert fill("@@upstream.a:weight=5,backup@@", variables) == (
        "server 10.0.0.1:80 weight=5 backup; server 10.0.0.1:81 weight=5 backup;"
    )
    assert fill("@@upstream.a:instance=2,max_fails=0@@", variables) == "server 10.0.0.1:81 max_fails=0;"
    assert fill("@@upstream.a:instance=1@@", variables) == "server 10.0.0.1:80;"
    with pytest.raises(UnknownVariableError, match="with 2 instances has no 3"):
        fill("@@upstream.a:instance=3@@", variables)


@pytest.mark.parametrize("name", ["nonsense", "", "Folder", "__class__"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownVariableError, match=f"@@{name}@@"):
        fill(f"listen @@{name}@@;", VALUES.variables())


def test_the_daemon_directive_is_seen() -> None:
    assert sets_daemon("pid x;\n  daemon off;\n")
    assert not sets_daemon("# no daemon here\n")


def test_ports_of_several_addresses() -> None:
    taken = free_ports(1, "127.0.0.1", "127.0.0.2")[0]
    with socket.create_server(("127.0.0.2", taken)):
        pass
    assert len(set(free_ports(1000, "127.0.0.3"))) == 1000
    with pytest.raises(OSError, match=r"192\.0\.2\.1 is not an address of this host"):
        free_ports(1, "192.0.2.1")


def test_ports_are_free_and_distinct() -> None:
    ports = free_ports(3)
    assert len(set(ports)) == 3
    for port in ports:
        with socket.create_server(("127.0.0.1", port)):
            pass
