"""What is never in a log."""

import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


class _Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing on the tests' own standard error."""


CALL = """
import sys
import httpx2
from ngxlab.core import logs
logs.configure("info")
httpx2.post(sys.argv[1])
"""


def test_no_log_has_the_address_of_a_webhook() -> None:
    """Its path is a secret. Called in a process of its own, since logs are configured once for all of one."""
    receiver = HTTPServer(("127.0.0.1", 0), _Receiver)
    thread = Thread(target=receiver.handle_request)
    thread.start()
    url = f"http://127.0.0.1:{receiver.server_port}/hooks/whatever-nobody-may-know"
    called = subprocess.run([sys.executable, "-c", CALL, url], capture_output=True, text=True, check=True, timeout=60)
    thread.join()
    receiver.server_close()
    assert "nobody-may-know" not in called.stderr + called.stdout
