"""Real trials of a real nginx in which the answer is known: a loop with a tenth of its CPU time, and gzip."""

import base64
import gzip
import json
import re
import subprocess
from pathlib import Path
from random import Random

import pytest
from ngxlab.analysis.profiles import ArmProfile, FrameClaim, TrialProfile, compare, sentence
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.profiles import Profile
from ngxlab_contracts.trials import ProfileSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.profiling import probe_profiling
from ngxlab_worker.profiling.stacks import CallTree
from tests.checks.bench import Bench
from tests.profiling.test_stacks import profile_of
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import own_caps
from tests.support.specs import CONFIG, NGINX, trial_spec

pytestmark = pytest.mark.skipif(not probe_profiling().available, reason=probe_profiling().detail)

SHARE = 0.1
PAGE = FileSet(folder="pages", count=1, size_bytes=20_000, content="html")
CONFIG_OF_PAGE = CONFIG.replace("worker_processes 2", "worker_processes 1").replace(
    'location / { return 200 "OK\\n"; }',
    "root @@folder@@/files; default_type text/html; gzip off; gzip_comp_level 6; location / { }",
)
STREAM = {"path": "/pages/0", "headers": {"Accept-Encoding": "gzip"}}


STARTED = """\
#!/bin/sh
[ "$1" = -V ] && exec {nginx} -V
base64 -d > planted.so <<END
{library}
END
LD_PRELOAD=$PWD/planted.so exec {nginx} "$@"
"""
"""In the trial's folder, which is all that its nginx sees of the host besides its own program."""


@pytest.fixture
def planted(agent_folder: Path, namespaced: Agent) -> str:
    """An nginx with a loop that has a tenth of its CPU time, offered by this host's owner."""
    library, program = agent_folder / "planted.so", agent_folder / "nginx-with-a-loop"
    source = Path(__file__).with_name("planted.c")
    options = ["-O2", "-fno-omit-frame-pointer", "-shared", "-fPIC", f"-DSHARE={SHARE}"]
    subprocess.run(["gcc", *options, "-o", library, source, "-ldl"], check=True)
    program.write_text(STARTED.format(library=base64.encodebytes(library.read_bytes()).decode(), nginx=NGINX))
    program.chmod(0o755)
    own_caps(namespaced.settings.folder, f'nginx = ["{program}"]\n')
    return str(program)


MOST_TRIALS = 6


def profiles(bench: Bench, config: str, binary: str = NGINX, samples: int = 0) -> ArmProfile:
    """Two profiles of an arm; more where a busy machine has given them fewer ``samples``."""
    found = list[TrialProfile]()
    while len(found) < 2 or (sum(one.samples for one in found) < samples and len(found) < MOST_TRIALS):
        spec = trial_spec(config=config, stream=STREAM, measure_s=1.2).model_copy(
            update={"profile": ProfileSpec(hz=999)}
        )
        assert spec.nginx is not None
        changes = {"binary": binary, "workers": 1, "files": [PAGE]}
        spec = spec.model_copy(update={"nginx": spec.nginx.model_copy(update=changes)})
        summary = bench.run(spec).summary
        events = bench.backend.trials[spec.trial_id].events
        (told,) = [event for event in events if isinstance(event, Profile)]
        assert summary.window_s
        share = told.seconds / summary.window_s
        requests, cost = share * (summary.requests or 0), summary.nginx_cpu_s_per_1000_requests
        found.append(TrialProfile(told, requests, cost * requests / 1000 if cost is not None else None))
    return ArmProfile(found)


def percent_of(arm: ArmProfile, function: str) -> float:
    """Of all samples: of a function with what it calls."""
    inside = sum(samples for stack, samples in arm.stacks.items() if function in {frame.name for frame in stack})
    return 100 * inside / arm.samples


def first(claims: list[FrameClaim]) -> FrameClaim:
    """Of the functions by themselves: callers have the same difference, and what others add."""
    return next(claim for claim in claims if claim.kind == "self")


def claimed(claims: list[FrameClaim], sign: int = 1) -> set[tuple[str, str, float]]:
    return {(one.frame.name, one.kind, sign * one.difference) for one in claims if one.claimed}


def test_a_loop_and_gzip_are_found_with_their_shares_named_and_first(
    namespaced: Agent, backend: FakeBackend, planted: str
) -> None:
    bench = Bench(namespaced, backend)
    plain, looping = profiles(bench, CONFIG_OF_PAGE), profiles(bench, CONFIG_OF_PAGE, planted, 2_500)
    assert percent_of(looping, "planted_loop") == pytest.approx(100 * SHARE, abs=2)
    assert percent_of(plain, "planted_loop") == 0
    claims = compare(looping, plain)
    assert first(claims).frame.name == "planted_loop"
    assert 0 < first(claims).low < first(claims).difference
    assert claimed(compare(plain, looping)) == claimed(claims, sign=-1)
    packing = profiles(bench, CONFIG_OF_PAGE.replace("gzip off", "gzip on"))
    claims = compare(packing, plain)
    whole = (packing.cpu_us_per_request or 0) - (plain.cpu_us_per_request or 0)
    (deflate,) = (claim for claim in claims if (claim.frame.name, claim.kind) == ("deflate", "total"))
    assert deflate.claimed
    assert deflate.difference / whole >= 0.8
    assert re.fullmatch(
        r"gzip 6: .+ % of it in deflate(, below ngx_\w+)?\.", str(sentence(packing, plain, claims, "gzip 6"))
    )
    arms = (plain, looping, packing)
    assert sum(arm.cpu_s for arm in arms) == pytest.approx(sum(arm.worker_cpu_s or 0 for arm in arms), rel=0.02)


def test_of_real_profiles_of_one_arm_nothing_is_said() -> None:
    """Sixteen trials of one arm, measured one after the other on a busy machine, drawn as two arms of two each."""
    measured = json.loads(gzip.decompress((Path(__file__).parent / "golden/same-arm.json.gz").read_bytes()))
    trees = [CallTree() for _ in measured["requests"]]
    for stack, counts in measured["stacks"].items():
        frames = [(name, "") for name in reversed(stack.split(";"))]
        for tree, samples in zip(trees, counts, strict=True):
            for _ in range(samples):
                tree.add(frames, named=True)
    trials = [
        TrialProfile(profile_of(tree, hz=measured["hz"]), requests, None)
        for tree, requests in zip(trees, measured["requests"], strict=True)
    ]
    random, repeats, alarms = Random(29), 200, 0
    for _ in range(repeats):
        drawn = random.sample(trials, 4)
        alarms += bool(claimed(compare(ArmProfile(drawn[:2]), ArmProfile(drawn[2:]))))
    assert alarms <= 0.05 * repeats
