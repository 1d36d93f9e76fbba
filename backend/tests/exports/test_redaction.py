"""What is left out of texts that leave, and what is not mistaken for it."""

import asyncio
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.exports.archive.layout import LINES, TRIALS, TrialPart
from ngxlab.exports.archive.sources import trial_lines
from ngxlab.reports.redaction import redacted, without_programs
from ngxlab.runs.models import Trial, TrialHost
from ngxlab.runs.states import TrialState
from ngxlab_contracts.perturbations import HttpCall, Once, PerturbationSpec
from ngxlab_contracts.streams import PathChoice, StreamSpec
from ngxlab_contracts.trials import NginxSpec, SamplingSpec, TimingSpec, TrialSpec

_TRIAL = "0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab"
_LOCATIONS = f"location /home/alice {{ }} location /api/{_TRIAL} {{ }}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"/var/lib/ngxlab/agent/trials/{_TRIAL}/nginx/temp", "<folder>/nginx/temp"),
        (f"include /srv/{_TRIAL}/x;", "include <folder>/x;"),
        ("upstream: http://10.1.2.3:8080/, client: 2001:db8::7", "upstream: http://<address>:8080/, client: <address>"),
        ("listen [fe80::1]:80; allow 192.168.0.0/16;", "listen [<address>]:80; allow <address>/16;"),
        ("/home/alice/nginx/sbin/nginx and /root/x", "~/nginx/sbin/nginx and ~/x"),
        ("listen 127.0.0.1:80; listen [::1]:80; listen 0.0.0.0:80;", None),
        ("nginx/1.22.1 at 12:34:56, OpenSSL 3.0.15, 1.2.3.4.5", None),
        ("/homeless /rooted /usr/share/nginx/html", None),
    ],
)
def test_addresses_and_folders_are_left_out(text: str, shown: str | None) -> None:
    assert redacted(text) == (text if shown is None else shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/srv/tools/.venv/bin/ngxlab-openloop; /srv/x/ngxlab-hold", "<folder>/ngxlab-openloop; <folder>/ngxlab-hold"),
        ("nginx/1.22.1 at /usr/sbin/nginx, wrk at /opt/wrk/wrk, /proc/PID/io, [madvise] 1/2", None),
        (
            "--prefix=/srv/nginx --conf-path=/data/x/nginx.conf",
            "--prefix=<folder>/nginx --conf-path=<folder>/nginx.conf",
        ),
    ],
)
def test_folders_of_programs_are_left_out(text: str, shown: str | None) -> None:
    assert without_programs(text) == (text if shown is None else shown)


def _spec() -> TrialSpec:
    """A host is the target and generates the load, whose requests go to what looks like folders."""
    paths = PathChoice(pattern="/home/alice/{n}.html", count=10)
    call = HttpCall(path=f"/api/{_TRIAL}/purge", body=f"/home/alice {_TRIAL}")
    return TrialSpec(
        trial_id=UUID(_TRIAL), run_id=uuid4(), host_id=uuid4(), arm="a", block=1, position=0, attempt=1,
        nginx=NginxSpec(binary="/usr/sbin/nginx", config=_LOCATIONS, workers=1),
        streams=[
            StreamSpec(key="one", engine="wrk", threads=1, connections=1, paths=paths),
            StreamSpec(
                key="two", engine="wrk", threads=1, connections=1, path=f"/srv/{_TRIAL}/x", headers={"X-A": "/root"}
            ),
        ],
        perturbations=[PerturbationSpec(key="purge", when=Once(at_s=1), action=call)],
        timing=TimingSpec(warmup_s=1, measure_s=1), sampling=SamplingSpec(),
    )  # fmt: skip


def _archived(spec: TrialSpec) -> TrialSpec:
    """As an archive has it, and another installation reads it."""
    host = TrialHost(host_id=spec.host_id, spec=spec.model_dump(mode="json"), acked_seq=0, ended_streams=0)
    trial = Trial(
        id=spec.trial_id, position=0, block=1, arm="a", attempt=1, state=TrialState.completed, hosts=[host]
    )  # fmt: skip

    async def line() -> bytes:
        return await anext(trial_lines([trial], {spec.host_id: 0}))

    read: TrialPart = LINES[TRIALS].validate_json(asyncio.run(line()))
    return read.hosts[0].spec


def test_what_a_host_had_to_do_keeps_the_paths_of_its_requests() -> None:
    spec = _spec()
    assert _archived(spec) == spec


def test_what_a_host_had_to_do_tells_no_address_and_no_folder_of_programs() -> None:
    nginx = NginxSpec(binary="/home/alice/sbin/nginx", config="allow 10.1.2.3;", workers=1, address="10.1.2.3")
    found = _archived(_spec().model_copy(update={"nginx": nginx})).nginx
    assert found == NginxSpec(binary="~/sbin/nginx", config="allow 192.0.2.1;", workers=1, address="192.0.2.1")


@given(st.text(alphabet="/abcdef0123456789.:-<> ", max_size=400))
def test_redacting_again_changes_nothing(text: str) -> None:
    assert redacted(redacted(text)) == redacted(text)


def test_a_hostile_log_takes_no_time() -> None:
    """As large as a kept file may be."""
    for piece in ("/a", "a/", "1.", "1:", "/home/", "0.0.0.0."):
        redacted(piece * (262_144 // len(piece)))
