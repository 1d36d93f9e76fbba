"""How the command behaves in a shell: completion, pipes, and beside a server of another version."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import pytest
from harness import Backend
from tests.support.caller import Caller

NGXLAB = [sys.executable, "-m", "ngxlab_cli"]


def script(shell: str) -> str:
    return subprocess.run([*NGXLAB, "completion", shell], capture_output=True, text=True, check=True).stdout


def test_bash_completes_commands_options_choices_and_files(tmp_path: Path) -> None:
    """In a real one: the words that it would offer."""
    (tmp_path / "ngxlab.bash").write_text(script("bash"))
    (tmp_path / "keepalive.yaml").write_text("")
    program = tmp_path / "offered.bash"
    program.write_text(
        "source ngxlab.bash\n"
        'COMP_WORDS=(ngxlab "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}\n'
        'function_of=$(complete -p ngxlab); function_of=${function_of#*-F }; ${function_of%% *} ngxlab "${!#}"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )

    def offered(*words: str) -> set[str]:
        done = subprocess.run(["bash", program, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return {word.strip() for word in done.stdout.splitlines()}

    assert {"run", "runs", "report", "recipes", "resume", "retry"} == offered("r")
    assert {"--recipe"} == offered("run", "--rec")
    assert {"wrk", "wrk2"} == offered("import", "--from", "w")
    assert {"keepalive.yaml"} <= offered("run", "keep")
    assert {"bash"} == offered("completion", "b")


@pytest.mark.parametrize(("shell", "begins"), [("zsh", "#compdef ngxlab"), ("fish", "")])
def test_other_shells_get_a_script_with_every_command(shell: str, begins: str) -> None:
    text = script(shell)
    assert text.startswith(begins)
    assert all(command in text for command in ("recipes", "add-blocks", "--baseline", "completion"))


def test_a_pipe_that_nobody_reads_ends_it_quietly(caller: Caller) -> None:
    """Nothing is said, and the code is none that a run has."""
    for arguments in (["hosts", "--json"], ["--help"], ["completion", "bash"]):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "w") as closed:
            done = subprocess.run(
                [*NGXLAB, *arguments],
                env=caller.environment,
                stdout=closed,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (141, ""), arguments


class OlderServer(BaseHTTPRequestHandler):
    """It says its version, knows its account, and nothing else."""

    answers: ClassVar[dict[str, tuple[int, object]]] = {
        "/healthz": (200, {"status": "ok", "version": "0.1.0"}),
        "/api/v1/hosts": (200, {"hosts": []}),
    }

    def do_GET(self) -> None:
        problem = {"status": 404, "detail": "There is no such endpoint.", "code": "not-found", "errors": []}
        status, content = self.answers.get(self.path.partition("?")[0], (404, problem))
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def older() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), OlderServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_older_server_is_named_with_both_versions(older: str, tmp_path: Path) -> None:
    settings = {**os.environ, "NGXLAB_URL": older, "NGXLAB_TOKEN": "t", "XDG_CONFIG_HOME": str(tmp_path)}
    both = f"the server is ngxlab 0.1.0, and this command line {version('ngxlab-cli')}"
    unknown = subprocess.run([*NGXLAB, "recipes"], env=settings, capture_output=True, text=True, check=False)
    assert (unknown.returncode, unknown.stderr) == (4, f"ngxlab: {older} cannot do this: {both}\n")
    unread = subprocess.run([*NGXLAB, "hosts"], env=settings, capture_output=True, text=True, check=False)
    assert unread.returncode == 6
    assert unread.stderr.endswith(f"is not one that this version of ngxlab reads: {both}\n")


def test_what_is_not_there_is_no_question_of_versions(lab: Backend, caller: Caller) -> None:
    done = caller.ngxlab("report", "00000000-0000-0000-0000-000000000000")
    assert done.returncode == 4
    assert "this command line" not in done.stderr
