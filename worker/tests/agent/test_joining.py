"""Joining looks at all that a host needs before the one-time token is used, and at who this machine is already."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_worker.agent import joining
from ngxlab_worker.agent.credential import Credential
from ngxlab_worker.core.settings import AgentSettings


@contextmanager
def saying(answer: bytes) -> Iterator[int]:
    """A server that says one thing to whoever connects: its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(100)
                connection.sendall(answer)

        server = threading.Thread(target=serve)
        server.start()
        yield listening.getsockname()[1]
        server.join()


@pytest.mark.parametrize("answer", [b"-NOAUTH Authentication required.\r\n", b"+PONG\r\n"])
def test_redis_is_reached_where_it_answers_as_redis_does(answer: bytes) -> None:
    with saying(answer) as port:
        joining.require_broker(f"redis://127.0.0.1:{port}/0")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n", b"-DENIED protected mode\r\n", b""])
def test_what_is_no_redis_or_refuses_all_is_named_with_the_settings_of_the_server(answer: bytes) -> None:
    with (
        saying(answer) as port,
        pytest.raises(joining.BrokerUnreachableError, match=r"NGXLAB_BIND.*token has not been used"),
    ):
        joining.require_broker(f"redis://127.0.0.1:{port}/0")


def test_a_closed_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(joining.BrokerUnreachableError, match=f"127.0.0.1:{port} cannot be reached"):
        joining.require_broker(f"redis://127.0.0.1:{port}/0")


def test_a_credential_of_another_server_is_none_of_this_one(tmp_path: Path) -> None:
    settings = AgentSettings(folder=tmp_path, run_as=None, backend_url=None)
    assert joining.known_host(settings, "http://lab") is None
    given = Credential(host_id=uuid4(), credential="c", backend_url="http://other", broker_url="redis://other/0")
    given.save(tmp_path)
    assert joining.known_host(settings, "http://lab") is None


def test_the_installed_settings_hold_where_the_environment_names_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent.env"
    path.write_text("# a comment\nNGXLAB_AGENT_DIR=/var/lib/ngxlab-agent\nSSL_CERT_FILE='/etc/ssl/my lab.pem'\n")
    for name in ("NGXLAB_AGENT_DIR", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    joining.adopt_settings(path)
    assert AgentSettings.from_environment().folder == Path("/var/lib/ngxlab-agent")
    assert os.environ["SSL_CERT_FILE"] == "/etc/ssl/my lab.pem"
    monkeypatch.setenv("NGXLAB_AGENT_DIR", str(tmp_path))
    joining.adopt_settings(path)
    assert AgentSettings.from_environment().folder == tmp_path
