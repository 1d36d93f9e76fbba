"""The owner's caps bind what a trial runs, whatever it does; the trial says which cap it hit."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker import config_test
from ngxlab_worker.agent.admission import allowance
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.config_test import ConfigTestContext, run_config_test
from ngxlab_worker.core import cgroups
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import own_caps
from tests.support.specs import CONFIG, PROXY_CONFIG, app_server, trial_spec
from tests.support.trials import assert_completed, assert_nothing_left

MEGABYTE = 1_000_000
LOGGING = CONFIG.replace(
    "    access_log off;\n",
    f"    log_format fat '{'x' * 4000}';\n    access_log @@folder@@/access.log fat buffer=64k;\n",
)
POOLS = CONFIG.replace(
    "events {", "".join(f"thread_pool p{number} threads=1024;\n" for number in range(5)) + "events {"
).replace('return 200 "OK\\n";', "root @@folder@@/files; aio threads=p0;")
HUNGRY = CONFIG.replace(
    'location / { return 200 "OK\n"; }',
    "client_body_buffer_size 512m; client_max_body_size 0; "
    "location / { mirror /ngxlab-drain; root @@folder@@/nothing; } location = /ngxlab-drain { internal; return 204; }",
)
REMOVED = PROXY_CONFIG.replace("location / {", "client_max_body_size 0; client_body_buffer_size 1k; location / {")


@pytest.fixture(params=["group", "limits"])
def enforcement(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With control groups, and on a host that has none."""
    if request.param == "limits":
        monkeypatch.setattr("ngxlab_worker.core.cgroups.hierarchy", lambda *_: None)
    elif cgroups.hierarchy("memory", "memory") is None or cgroups.hierarchy("pids", "pids") is None:
        pytest.skip("this host has no control groups with the controllers memory and pids")
    found: str = request.param
    return found


def capped(agent: Agent, text: str) -> None:
    own_caps(agent.settings.folder, text)


def groups_left(spec: TrialSpec) -> list[Path]:
    trees = (cgroups.hierarchy("memory", "memory"), cgroups.hierarchy("pids", "pids"))
    return [path for tree in trees if tree for path in tree.mount.rglob(f"{cgroups.PREFIX}{spec.trial_id}*")]


def upload(size: int, connections: int) -> dict[str, object]:
    return {"method": "POST", "body_bytes": size, "connections": connections}


CASES: dict[str, tuple[str, Callable[[], TrialSpec], str]] = {
    "log": (
        f"max_files_bytes = {MEGABYTE}\n",
        lambda: trial_spec(config=LOGGING, measure_s=20),
        "file bytes over the owner's cap of 1,000,000 bytes (max_files_bytes)",
    ),
    "thread pools": (
        "max_processes = 200\n",
        lambda: trial_spec(config=POOLS, measure_s=20),
        "processes and threads over the owner's cap of 200 (max_processes)",
    ),
    "bodies in memory": (
        f"max_memory_bytes = {256 << 20}\n",
        lambda: trial_spec(config=HUNGRY, stream=upload(60 << 20, 16), measure_s=20),
        "memory over the owner's cap of 268,435,456 bytes (max_memory_bytes)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_trial_that_hits_a_cap_ends_and_names_it(
    agent: Agent, backend: FakeBackend, enforcement: str, case: str
) -> None:
    text, spec, reason = CASES[case]
    capped(agent, text)
    record = backend.add(spec())
    agent.execute(record.spec.trial_id)
    assert record.end is not None
    assert (record.end.outcome, record.end.code, record.end.reason) == ("failed", "beyond-caps", reason), enforcement
    assert_nothing_left(agent)
    assert groups_left(record.spec) == []


def test_temporary_files_that_nginx_has_removed_count(namespaced: Agent, backend: FakeBackend) -> None:
    capped(namespaced, f"max_files_bytes = {100 * MEGABYTE}\n")
    spec = trial_spec(config=REMOVED, stream=upload(40 << 20, 16), measure_s=60)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    record = backend.add(spec.model_copy(update={"nginx": nginx, "upstream_servers": [app_server()]}))
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.reason == "file bytes over the owner's cap of 100,000,000 bytes (max_files_bytes)"
    assert_nothing_left(namespaced)


def test_a_trial_within_its_caps_runs(agent: Agent, backend: FakeBackend, enforcement: str) -> None:
    capped(agent, f"max_files_bytes = {3 * MEGABYTE}\nmax_memory_bytes = {256 << 20}\nmax_processes = 64\n")
    spec = trial_spec()
    assert spec.nginx is not None
    files = [FileSet(folder="x", count=2, size_bytes=MEGABYTE)]
    record = backend.add(spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"files": files})}))
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    assert groups_left(record.spec) == [], enforcement


def test_a_configuration_test_is_bound_too(agent: Agent, enforcement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_test, "TIME_LIMIT_S", 200.0)  # this machine may be slow: another bound is asked about
    capped(agent, f"max_memory_bytes = {64 << 20}\n")
    # Of a range of nearly all addresses nginx keeps 2 MB, and needs 64 MB while it reads it.
    large = " ".join(f"geo $g{number} {{ ranges; 0.0.0.0-254.255.255.255 1; }}" for number in range(40))
    # Words of one hash value fit no table: nginx tries all sizes, for longer than it takes to see how large it is.
    equal = " ".join(f'"{"".join(pairs)}" 1;' for pairs in product(("az", "b["), repeat=9))
    slow = f"map_hash_bucket_size 8192; map_hash_max_size 1000000; map $uri $z {{ {equal} }}"
    config = CONFIG.replace("    access_log off;\n", f"    access_log off;\n    {large}\n    {slow}\n")
    spec = trial_spec(config=config)
    assert spec.nginx is not None
    test = ConfigTestSpec(test_id=uuid4(), arms=[ArmConfig(arm="a", nginx=spec.nginx)])
    context = ConfigTestContext(
        agent.settings.config_tests_root, agent.sandbox, allowance(agent.settings).bounds, lambda: False
    )
    result = run_config_test(test, context)
    assert result.failure is not None
    assert "memory over the owner's cap of 67,108,864 bytes (max_memory_bytes)" in result.failure, enforcement
