"""A host runs its own nginx and no other program, whatever the backend asks for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.admission import refuse_config_test, refuse_first_answers, refuse_trial
from ngxlab_worker.agent.caps import FILE_NAME
from ngxlab_worker.sandbox import Isolation
from tests.support.hosts import settings
from tests.support.specs import CONFIG, UPSTREAM_CONFIG, fleet_trial, trial_spec

NAMESPACE = Isolation.NAMESPACE


def with_binary(spec: TrialSpec, binary: str) -> TrialSpec:
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"binary": binary})})


def config_test_of(spec: TrialSpec) -> ConfigTestSpec:
    assert spec.nginx is not None
    return ConfigTestSpec(test_id=spec.trial_id, arms=[ArmConfig(arm="a", nginx=spec.nginx)])


@pytest.fixture
def another_nginx(tmp_path: Path) -> Path:
    path = tmp_path / "nginx"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_hosts_own_nginx_is_run(tmp_path: Path) -> None:
    assert refuse_trial(settings(tmp_path, None), trial_spec(), NAMESPACE) is None
    assert refuse_config_test(settings(tmp_path, None), config_test_of(trial_spec()), NAMESPACE) is None


@pytest.mark.parametrize("binary", ["/bin/sh", "/nowhere/nginx", "nginx", "/usr/sbin/../sbin/nginx"])
def test_another_program_is_refused(tmp_path: Path, binary: str) -> None:
    spec = with_binary(trial_spec(), binary)
    outcome = refuse_trial(settings(tmp_path, None), spec, NAMESPACE)
    assert outcome is not None
    assert (outcome.outcome, outcome.code) == ("failed", "unknown-binary")
    assert outcome.reason.startswith(f"{binary} is not an nginx that this host offers")
    assert refuse_config_test(settings(tmp_path, None), config_test_of(spec), NAMESPACE) == outcome.reason


def test_the_program_of_an_upstream_server_is_looked_at_too(tmp_path: Path) -> None:
    spec = fleet_trial("127.0.0.1", "127.0.0.1")["upstream"]
    strange = spec.upstream_servers[0].model_copy(update={"binary": "/bin/sh"})
    outcome = refuse_trial(settings(tmp_path, None), spec.model_copy(update={"upstream_servers": [strange]}), NAMESPACE)
    assert outcome is not None
    assert outcome.code == "unknown-binary"


def test_what_the_owner_names_is_run(tmp_path: Path, another_nginx: Path) -> None:
    spec = with_binary(trial_spec(), str(another_nginx))
    assert refuse_trial(settings(tmp_path, None), spec, NAMESPACE) is not None
    (tmp_path / FILE_NAME).write_text(f'nginx = ["{another_nginx}"]\n')
    assert refuse_trial(settings(tmp_path, None), spec, NAMESPACE) is None


def test_a_host_that_may_not_be_a_target_tests_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('roles = ["generator"]\n')
    assert "target" in str(refuse_config_test(settings(tmp_path, None), config_test_of(trial_spec()), NAMESPACE))


def test_caps_that_cannot_be_read_refuse_everything(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("nonsense")
    outcome = refuse_trial(settings(tmp_path, None), trial_spec(), NAMESPACE)
    assert outcome is not None
    assert outcome.code == "beyond-caps"
    assert refuse_config_test(settings(tmp_path, None), config_test_of(trial_spec()), NAMESPACE) == outcome.reason


def test_an_nginx_without_namespaces_needs_the_owners_word(tmp_path: Path) -> None:
    spec = trial_spec()
    outcome = refuse_trial(settings(tmp_path, None), spec, Isolation.GUARDIAN)
    assert outcome is not None
    assert outcome.code == "unsandboxed"
    assert outcome.reason.endswith("(allow_unsandboxed_nginx)")
    assert refuse_config_test(settings(tmp_path, None), config_test_of(spec), Isolation.GUARDIAN) == outcome.reason
    upstream = fleet_trial("127.0.0.1", "127.0.0.1")["upstream"]
    assert refuse_trial(settings(tmp_path, None), upstream, Isolation.GUARDIAN) is not None
    generator = spec.model_copy(update={"nginx": None})
    assert refuse_trial(settings(tmp_path, None), generator, Isolation.GUARDIAN) is None
    (tmp_path / FILE_NAME).write_text("allow_unsandboxed_nginx = true\n")
    assert refuse_trial(settings(tmp_path, None), spec, Isolation.GUARDIAN) is None


@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.9", "127.0.0.1; include /etc/passwd;"])
def test_a_server_listens_at_this_hosts_addresses_only(tmp_path: Path, address: str) -> None:
    spec = trial_spec()
    assert spec.nginx is not None
    elsewhere = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"address": address})})
    outcome = refuse_trial(settings(tmp_path, None), elsewhere, NAMESPACE)
    assert outcome is not None
    assert (outcome.code, outcome.reason) == ("foreign-address", f"{address} is not an address of this host")


@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.9", "127.0.0.1; include /etc/passwd;"])
def test_a_configuration_test_stays_on_loopback(tmp_path: Path, address: str) -> None:
    spec = trial_spec()
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"address": address})
    test = ConfigTestSpec(test_id=spec.trial_id, arms=[ArmConfig(arm="a", nginx=nginx)])
    assert str(refuse_config_test(settings(tmp_path, None), test, NAMESPACE)).startswith(address)
    assert str(refuse_first_answers(settings(tmp_path, None), with_upstream(address=address))).startswith(address)


def with_upstream(**changes: object) -> ConfigTestSpec:
    """A test that asks, with an upstream server."""
    server = fleet_trial("127.0.0.1", "127.0.0.1")["upstream"].upstream_servers[0].model_copy(update=changes)
    spec = trial_spec()
    assert spec.nginx is not None
    arm = ArmConfig(arm="a", nginx=spec.nginx, upstream_servers=[server], streams=spec.streams)
    return ConfigTestSpec(test_id=spec.trial_id, arms=[arm])


def test_what_is_asked_of_is_admitted_as_in_a_trial(tmp_path: Path) -> None:
    assert refuse_first_answers(settings(tmp_path, None), with_upstream()) is None
    assert "/bin/sh is not an nginx" in str(
        refuse_first_answers(settings(tmp_path, None), with_upstream(binary="/bin/sh"))
    )
    forbidden = UPSTREAM_CONFIG.replace("access_log off;", "access_log off; include /etc/passwd;", 1)
    said = refuse_first_answers(settings(tmp_path, None), with_upstream(config=forbidden))
    assert "does not accept the configuration" in str(said)
    (tmp_path / FILE_NAME).write_text('roles = ["target"]\n')
    assert "role upstream" in str(refuse_first_answers(settings(tmp_path, None), with_upstream()))


def test_files_beyond_the_cap_are_not_made_for_a_question(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("max_files_bytes = 1000\n")
    spec = trial_spec()
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"files": [FileSet(folder="data", count=2, size_bytes=1000)]})
    test = ConfigTestSpec(test_id=spec.trial_id, arms=[ArmConfig(arm="a", nginx=nginx, streams=spec.streams)])
    assert refuse_config_test(settings(tmp_path, None), test, NAMESPACE) is None
    assert "max_files_bytes" in str(refuse_first_answers(settings(tmp_path, None), test))


def test_a_configuration_that_no_experiment_may_have_is_not_run(tmp_path: Path) -> None:
    lua = "location / { content_by_lua_block { os.execute('id') } }"
    spec = trial_spec(config=CONFIG.replace('location / { return 200 "OK\\n"; }', lua))
    outcome = refuse_trial(settings(tmp_path, None), spec, NAMESPACE)
    assert outcome is not None
    assert outcome.code == "config-forbidden"
    assert "only built-in parts may run Lua" in outcome.reason
    assert refuse_config_test(settings(tmp_path, None), config_test_of(spec), NAMESPACE) == outcome.reason


NDK = "/usr/lib/nginx/modules/ndk_http_module.so"
LUA = "/usr/lib/nginx/modules/ngx_http_lua_module.so"


STRANGE = [
    LUA,
    f"{NDK}.so",
    NDK.upper(),
    "/usr/lib//nginx/modules/ndk_http_module.so",
    "/usr/lib/nginx/../nginx/modules/ndk_http_module.so",
    "ndk_http_module.so",
]


@pytest.mark.parametrize("module", STRANGE)
def test_only_modules_that_the_owner_names_are_loaded(tmp_path: Path, module: str) -> None:
    (tmp_path / FILE_NAME).write_text(f'nginx_modules = ["{NDK}"]\n')
    allowed = trial_spec(config=f"load_module {NDK};\n{CONFIG}")
    assert refuse_trial(settings(tmp_path, None), allowed, NAMESPACE) is None
    assert refuse_config_test(settings(tmp_path, None), config_test_of(allowed), NAMESPACE) is None
    spec = trial_spec(config=f"load_module {NDK};\nload_module {module};\n{CONFIG}")
    outcome = refuse_trial(settings(tmp_path, None), spec, NAMESPACE)
    assert outcome is not None
    assert outcome.code == "config-forbidden"
    assert "nginx_modules in" in outcome.reason
    assert "caps.toml" in outcome.reason
    assert refuse_config_test(settings(tmp_path, None), config_test_of(spec), NAMESPACE) == outcome.reason


def test_an_upstream_server_loads_no_module_that_people_name(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(f'nginx_modules = ["{NDK}"]\n')
    spec = fleet_trial("127.0.0.1", "127.0.0.1")["upstream"]
    strange = spec.upstream_servers[0].model_copy(update={"config": f"load_module {NDK};\n{UPSTREAM_CONFIG}"})
    outcome = refuse_trial(settings(tmp_path, None), spec.model_copy(update={"upstream_servers": [strange]}), NAMESPACE)
    assert outcome is not None
    assert "the owner of this host does not allow" in outcome.reason


def test_the_configuration_of_an_upstream_server_is_judged_too(tmp_path: Path) -> None:
    spec = fleet_trial("127.0.0.1", "127.0.0.1")["upstream"]
    config = UPSTREAM_CONFIG.replace("location / {", "location / { root /etc; ")
    strange = spec.upstream_servers[0].model_copy(update={"config": config})
    outcome = refuse_trial(settings(tmp_path, None), spec.model_copy(update={"upstream_servers": [strange]}), NAMESPACE)
    assert outcome is not None
    assert outcome.code == "config-forbidden"
    assert "root: must be" in outcome.reason


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Says which walls this host lacks; it has the others."""

    def lacks(*names: str) -> None:
        for name in ("probe_network", "probe_fence"):
            wall = Capability(name=name, available=name not in names, detail="a test")
            monkeypatch.setattr(f"ngxlab_worker.agent.admission.{name}", lambda wall=wall: wall)

    lacks()
    return lacks


OWN_LUA = CONFIG.replace('return 200 "OK\\n";', "content_by_lua_block { ngx.say('}') }")
LUA_FILE = CONFIG.replace('return 200 "OK\\n";', "content_by_lua_file /etc/ngxlab/code/x.lua;")
HEADERS = CONFIG.replace("access_log off;", "access_log off; more_set_headers 'Server: mine';")
PASSWD = CONFIG.replace("access_log off;", "access_log off; more_set_headers /etc/passwd;")
DOTS = LUA_FILE.replace("code/x.lua", "code/../../shadow")
INCLUDE = CONFIG.replace("access_log off;", "access_log off; include /etc/ngxlab/code/x;")
ROOT = CONFIG.replace('return 200 "OK\\n";', "root /etc/ngxlab/code;")


@pytest.mark.parametrize(
    ("owner", "config", "is_taken"),
    [
        ("", OWN_LUA, False),
        ("", LUA_FILE, False),
        ("", HEADERS, False),
        ('allow_directives = ["more_*"]', HEADERS, True),
        ('allow_directives = ["more_*"]', OWN_LUA, False),
        ('allow_directives = ["more_*"]', LUA_FILE, False),
        ('allow_directives = ["content_by_lua_block"]', OWN_LUA, True),
        ('allow_directives = ["content_by_*"]', OWN_LUA, False),
        ('allow_directives = ["content_by_*"]', LUA_FILE, False),
        ('allow_directives = ["content_by_*"]\ncode_files = ["/etc/ngxlab/code"]', LUA_FILE, True),
        ('allow_directives = ["content_by_*"]\ncode_files = ["/etc/ngxlab/code/x.lua"]', LUA_FILE, True),
        ('allow_directives = ["content_by_*"]\ncode_files = ["/etc/ngxlab/cod"]', LUA_FILE, False),
        ('allow_directives = ["content_by_*"]\ncode_files = ["/etc/ngxlab/code"]', DOTS, False),
        ('allow_directives = ["more_*"]\ncode_files = ["/etc/ngxlab/code"]', PASSWD, False),
        ('allow_directives = ["include", "in*"]\ncode_files = ["/etc/ngxlab/code"]', INCLUDE, False),
        ('allow_directives = ["root", "ro*"]\ncode_files = ["/etc/ngxlab/code"]', ROOT, False),
    ],
)
@pytest.mark.usefixtures("missing")
def test_directives_beyond_the_list_are_the_owners_to_allow(
    tmp_path: Path, owner: str, config: str, *, is_taken: bool
) -> None:
    (tmp_path / FILE_NAME).write_text(f"{owner}\n")
    spec = trial_spec(config=config)
    outcome = refuse_trial(settings(tmp_path, None), spec, NAMESPACE)
    assert (outcome is None) == is_taken
    assert outcome is None or outcome.code == "config-forbidden"
    assert (refuse_config_test(settings(tmp_path, None), config_test_of(spec), NAMESPACE) is None) == is_taken


ALLOWED = (
    'allow_directives = ["content_by_*", "content_by_lua_block", "more_*"]\ncode_files = ["/etc/ngxlab/code"]\n'
    "allow_unsandboxed_nginx = true\n"
)


@pytest.mark.parametrize("config", [OWN_LUA, LUA_FILE])
@pytest.mark.parametrize(
    ("host", "said"),
    [
        ((Isolation.GUARDIAN,), "without namespaces (see the capability isolation)"),
        ((NAMESPACE, "probe_network", "probe_fence"), "without a network of the trial's own or a fence"),
        ((NAMESPACE, "probe_network"), None),
        ((NAMESPACE, "probe_fence"), None),
    ],
)
def test_code_runs_behind_all_walls_unless_the_owner_says_otherwise(
    tmp_path: Path, missing: Callable[..., None], config: str, host: tuple[Any, ...], said: str | None
) -> None:
    isolation, *walls = host
    missing(*walls)
    spec = trial_spec(config=config)
    (tmp_path / FILE_NAME).write_text(ALLOWED)
    outcome = refuse_trial(settings(tmp_path, None), spec, isolation)
    tested = refuse_config_test(settings(tmp_path, None), config_test_of(spec), isolation)
    if said is None:
        assert outcome is None
        assert tested is None
    else:
        assert outcome is not None
        assert outcome.code == "unwalled-code"
        assert outcome.reason == tested
        assert said in outcome.reason
    (tmp_path / FILE_NAME).write_text(f"{ALLOWED}allow_unsandboxed_code = true\n")
    assert refuse_trial(settings(tmp_path, None), spec, isolation) is None


def test_a_target_of_other_hosts_needs_a_fence_for_code(tmp_path: Path, missing: Callable[..., None]) -> None:
    missing("probe_fence")
    (tmp_path / FILE_NAME).write_text(ALLOWED)
    spec = trial_spec(config=LUA_FILE)
    assert refuse_trial(settings(tmp_path, None), spec, NAMESPACE) is None
    elsewhere = spec.model_copy(update={"remote_streams": True, "streams": []})
    outcome = refuse_trial(settings(tmp_path, None), elsewhere, NAMESPACE)
    assert outcome is not None
    assert outcome.code == "unwalled-code"


def test_what_is_no_code_needs_no_wall(tmp_path: Path, missing: Callable[..., None]) -> None:
    missing("probe_network", "probe_fence")
    (tmp_path / FILE_NAME).write_text(ALLOWED)
    for config in (CONFIG, HEADERS):
        assert refuse_trial(settings(tmp_path, None), trial_spec(config=config), Isolation.GUARDIAN) is None
