"""The kernel's own answer to processes behind a fence: which datagrams go out."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from ngxlab_worker.confinement import Fence
from ngxlab_worker.confinement.fence import make_fence, probe_fence, remove_fence
from ngxlab_worker.nginx.ports import free_ports

SENDS = """
import socket, sys
group, own, other, asks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
open(group + "/cgroup.procs", "w").write("0")
def sends(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            if port is not None:
                one.bind(("127.0.0.1", port))
            one.sendto(b"x", ("127.0.0.1", asks))
        except PermissionError:
            return "no"
        return "yes"
print(sends(own), sends(other), sends(None))
"""


@pytest.mark.parametrize(("answering", "said"), [(True, "yes no no"), (False, "no no no")])
def test_a_server_answers_by_udp_from_its_own_port_only(answering: bool, said: str) -> None:
    found = probe_fence()
    if not found.available:
        pytest.skip(found.detail)
    own, other = free_ports(2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind(("127.0.0.1", 0))
        allowed = Fence(listens=(("127.0.0.1", own), ("127.0.0.1", other)), answers=(own,) if answering else ())
        group = make_fence(f"test-{os.getpid()}", 0, allowed)
        try:
            assert sent(group, own, other, client.getsockname()[1]) == said
        finally:
            remove_fence(group)


def sent(group: Path, *ports: int) -> str:
    words = [sys.executable, "-c", SENDS, str(group), *map(str, ports)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
