"""An nginx that was built without stub_status is measured all the same, and what is missing is said."""

import subprocess
from pathlib import Path

import pytest
from ngxlab_contracts.telemetry import NginxTotal, NoteEvent
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import own_caps
from tests.support.specs import NGINX, PROXY_CONFIG, app_server, trial_spec
from tests.support.trials import artefacts, assert_completed, assert_nothing_left, requests_of

_PROGRAM = """\
#!/bin/sh
case "$*" in
*-V*) cat >&2 <<'END'
{build}
END
;;
*)
    for argument do if [ -f "$argument" ] && grep -q stub_status "$argument"; then
        echo 'nginx: [emerg] unknown directive "stub_status"' >&2
        exit 1
    fi; done
    exec {nginx} "$@";;
esac
"""


@pytest.fixture
def uncounted(agent_folder: Path) -> str:
    """Debian's nginx, as if it had been built without the module."""
    build = subprocess.run([NGINX, "-V"], capture_output=True, text=True, check=True).stderr
    assert "--with-http_stub_status_module" in build
    path = agent_folder / "nginx-without"
    path.write_text(_PROGRAM.format(build=build.replace("--with-http_stub_status_module", "").strip(), nginx=NGINX))
    path.chmod(0o755)
    own_caps(agent_folder, f'nginx = ["{path}"]\n')
    return str(path)


def test_it_is_measured_without(agent: Agent, backend: FakeBackend, uncounted: str) -> None:
    spec = trial_spec(config=PROXY_CONFIG)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"binary": uncounted, "upstream_servers": ["upstream.app"]})
    server = app_server().model_copy(update={"binary": uncounted})
    record = backend.add(spec.model_copy(update={"nginx": nginx, "upstream_servers": [server]}))
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    assert requests_of(record) > 100
    assert "stub_status" not in artefacts(record)["nginx.conf"]
    totals = [event for event in record.events if isinstance(event, NginxTotal)]
    assert [total.requests for total in totals] in ([], [None])
    notes = [event for event in record.events if isinstance(event, NoteEvent) and event.code == "nginx-uncounted"]
    assert [note.message.split(" has no")[0] for note in notes] == ["upstream server app", "nginx"]
    assert record.frames_of("stub_status") == 0
    assert_nothing_left(agent)
