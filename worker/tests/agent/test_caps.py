"""caps.toml, and the trials that it forbids."""

import re
from pathlib import Path

import pytest
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.hosts import HostCaps
from ngxlab_contracts.perturbations import Action, CpuPressure, DiskPressure, During, PerturbationSpec, Reload, Sync
from ngxlab_contracts.trials import ProfileSpec, TrialSpec, UpstreamServerSpec
from ngxlab_worker.agent import caps
from ngxlab_worker.agent.admission import beyond_caps
from tests.support.specs import trial_spec


def written(folder: Path, text: str) -> caps.OwnerFile:
    (folder / caps.FILE_NAME).write_text(text)
    return caps.load(folder)


def test_without_a_file_nothing_is_capped(tmp_path: Path) -> None:
    assert caps.load(tmp_path) == caps.OwnerFile()
    assert caps.load(tmp_path).caps == HostCaps()


def test_a_whole_file(tmp_path: Path) -> None:
    text = """
        roles = ["target", "upstream"]
        max_connections = 1_000
        max_trial_s = 60
        max_files_bytes = 5
        max_memory_bytes = 100_000_000
        max_processes = 99
        max_rate_per_s = 1_000
        allow_targets = ["192.0.2.0/24", "2001:db8::1"]
        allow_scripts = true
        allow_unsandboxed_nginx = true
        allow_pressure = false
        allow_profiles = false
        nginx = ["/opt/nginx"]
        nginx_modules = ["/usr/lib/nginx/modules/ndk_http_module.so", "/opt/x/a-1.0+b.so"]
        allow_directives = ["more_*", "content_by_lua_block"]
        code_files = ["/etc/ngxlab/code"]
        allow_unsandboxed_code = true
    """
    owner = written(tmp_path, text)
    assert owner.nginx == ["/opt/nginx"]
    assert owner.caps == HostCaps(
        roles=["target", "upstream"],
        max_connections=1000,
        max_trial_s=60.0,
        max_files_bytes=5,
        max_memory_bytes=100_000_000,
        max_processes=99,
        max_rate_per_s=1000,
        allow_targets=["192.0.2.0/24", "2001:db8::1/128"],
        allow_scripts=True,
        allow_unsandboxed_nginx=True,
        allow_pressure=False,
        allow_profiles=False,
        nginx_modules=["/usr/lib/nginx/modules/ndk_http_module.so", "/opt/x/a-1.0+b.so"],
        allow_directives=["more_*", "content_by_lua_block"],
        code_files=["/etc/ngxlab/code"],
        allow_unsandboxed_code=True,
    )


def test_the_template_allows_everything_until_its_lines_are_uncommented(tmp_path: Path) -> None:
    caps.write_template(tmp_path)
    assert caps.load(tmp_path) == caps.OwnerFile()
    examples = re.sub(r"^# (?=\w+ = )", "", (tmp_path / caps.FILE_NAME).read_text(), flags=re.MULTILINE)
    assert written(tmp_path, examples).model_fields_set == set(caps.OwnerFile.model_fields)


def test_an_owners_file_is_never_overwritten(tmp_path: Path) -> None:
    written(tmp_path, "max_connections = 7\n")
    caps.write_template(tmp_path)
    assert caps.load(tmp_path).max_connections == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\nmax_connections = \n", "line 2"),
        ("# hello\n\nmax_conections = 5\n", "line 3: max_conections: unknown key; the keys are roles, max_conn"),
        ('allow_scripts = true\nmax_connections = "5"\n', "line 2: max_connections: Input should be a valid integer"),
        ("max_connections = true\n", "line 1: max_connections: Input should be a valid integer"),
        ("max_connections = -1\n", "line 1: max_connections: Input should be greater than or equal to 0"),
        ("max_trial_s = nan\n", "line 1: max_trial_s: Input should be"),
        ("\n\nroles = ['target', 'king']\n", "line 3: roles: Input should be 'target', 'generator' or 'upstream'"),
        ("nginx = ['nginx']\n", "line 1: nginx: String should match"),
        ("allow_targets = ['10.0.0.1/8']\n", "line 1: allow_targets: Value error, 10.0.0.1/8 has host bits set"),
        ("allow_targets = ['example.org']\n", "line 1: allow_targets: Value error, 'example.org' does not appear"),
        ("max_memory_bytes = 1000\n", "line 1: max_memory_bytes: Input should be greater than or equal to"),
        ("nginx_modules = ['/tmp/x.so']\n", "line 1: nginx_modules: Value error, '/tmp/x.so' is not the whole path"),
        ("nginx_modules = ['/usr/lib/../../tmp/x.so']\n", "line 1: nginx_modules: Value error"),
        ("nginx_modules = ['/usr/lib/x']\n", "line 1: nginx_modules: Value error"),
        ("allow_directives = ['*']\n", "line 1: allow_directives: String should match"),
        ("allow_directives = ['more_*_headers']\n", "line 1: allow_directives: String should match"),
        ("code_files = ['code.lua']\n", "line 1: code_files: String should match"),
        ("[caps]\nmax_connections = 5\n", "line 1: caps: unknown key"),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_why(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(caps.CapsError, match=re.escape(reason)) as caught:
        written(tmp_path, text)
    assert str(tmp_path / caps.FILE_NAME) in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / caps.FILE_NAME).mkdir()
    with pytest.raises(caps.CapsError, match="Is a directory"):
        caps.load(tmp_path)


def with_files(count: int, size_bytes: int) -> TrialSpec:
    spec = trial_spec()
    assert spec.nginx is not None
    files = [FileSet(folder="files", count=count, size_bytes=size_bytes)]
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"files": files})})


def perturbed(action: Action) -> TrialSpec:
    perturbation = PerturbationSpec(key="p", when=During(), action=action)
    return trial_spec().model_copy(update={"perturbations": [perturbation]})


RAMP = {"engine": "open-loop", "open_loop": {"steps": [{"per_s": 1, "to_per_s": 100, "duration_s": 5}]}}
GENERATOR = trial_spec().model_copy(update={"nginx": None})
UPSTREAM = GENERATOR.model_copy(
    update={"streams": [], "upstream_servers": [UpstreamServerSpec(key="b", binary="/n", config="", instances=1)]}
)


@pytest.mark.parametrize(
    ("allowed", "spec", "reason"),
    [
        (HostCaps(), trial_spec(), None),
        (HostCaps(), with_files(100, 1 << 30), None),
        (HostCaps(max_files_bytes=256 << 20), perturbed(DiskPressure()), None),
        (HostCaps(max_files_bytes=(256 << 20) - 1), perturbed(DiskPressure()), "files of 268435456 bytes"),
        (HostCaps(max_connections=20), trial_spec(stream={"connections": 20}), None),
        (HostCaps(max_connections=19), trial_spec(stream={"connections": 20}), "at most 19"),
        (HostCaps(max_rate_per_s=99), trial_spec(), None),
        (HostCaps(max_rate_per_s=99), trial_spec(stream=RAMP), "a planned rate of 100 a second: .* at most 99"),
        (HostCaps(max_rate_per_s=100), trial_spec(stream=RAMP), None),
        (HostCaps(max_trial_s=1.6), trial_spec(), None),
        (HostCaps(max_trial_s=1.6), trial_spec(cooldown_s=0.1), "a trial of 1.7 s: .* at most 1.6 s"),
        (HostCaps(max_files_bytes=12), with_files(3, 4), None),
        (HostCaps(max_files_bytes=11), with_files(3, 4), "files of 12 bytes: .* at most 11 bytes"),
        (HostCaps(), trial_spec(stream={"script": "x = 1"}), "stream main has a Lua script"),
        (HostCaps(allow_scripts=True), trial_spec(stream={"script": "x = 1"}), None),
        (HostCaps(), perturbed(Sync()), None),
        (HostCaps(allow_profiles=False), trial_spec(), None),
        (HostCaps(allow_profiles=False), trial_spec().model_copy(update={"profile": ProfileSpec()}), "is a profile"),
        (HostCaps(allow_pressure=False), perturbed(Reload()), None),
        (HostCaps(allow_pressure=False), perturbed(Sync()), r"perturbation p \(sync\) acts on the whole host"),
        (HostCaps(allow_pressure=False), perturbed(CpuPressure()), "cpu-pressure"),
        (HostCaps(roles=["generator"]), trial_spec(), "the role target"),
        (HostCaps(roles=["target"]), trial_spec(), "the role generator"),
        (HostCaps(roles=["generator"]), GENERATOR, None),
        (HostCaps(roles=["upstream"]), UPSTREAM, None),
        (HostCaps(roles=["target", "generator"]), UPSTREAM, "the role upstream"),
    ],
)
def test_refusals(allowed: HostCaps, spec: TrialSpec, reason: str | None) -> None:
    found = beyond_caps(allowed, spec)
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert re.search(reason, found)
