"""join.sh, past what `make two-machines` shows: it refuses what it should, says why, and leaves nothing behind."""

import hashlib
import shlex
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from scripts.paths import ROOT
from scripts.two_machines.walk import commands

SCRIPT = (ROOT / "backend" / "ngxlab" / "hosts" / "join.sh").read_text()
SHELLS = [shell for shell in ("dash", "bash") if shutil.which(shell)]


def rendered(server: str, sha256: str, folder: Path) -> str:
    """With folders of the test's own for those of the system."""
    text = SCRIPT.replace("@SERVER@", shlex.quote(server)).replace("@SHA256@", sha256)
    for path in ("/opt/ngxlab", "/var/lib/ngxlab-agent", "/etc/ngxlab", "/etc/systemd/system", "/usr/local/bin"):
        assert path in text
        text = text.replace(path, f"{folder}{path}")
    return text


def run(script: str, *lines: str, shell: str = "sh") -> "subprocess.CompletedProcess[str]":
    typed = "\n".join([script, *lines, ""])
    return subprocess.run([shell], input=typed, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("shell", SHELLS)
def test_by_itself_it_does_nothing(shell: str, tmp_path: Path) -> None:
    done = run(rendered("http://lab", "0" * 64, tmp_path), shell=shell)
    assert (done.returncode, done.stdout, done.stderr, list(tmp_path.iterdir())) == (0, "", "", [])


def test_half_of_it_does_nothing_either(tmp_path: Path) -> None:
    """A connection that breaks leaves functions that nobody calls."""
    whole = rendered("http://lab", "0" * 64, tmp_path).splitlines()
    for part in range(10, len(whole), 25):
        run("\n".join(whole[:part]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("stand_in", "complaint"),
    [
        ("id() { echo 1000; }", "this needs root"),
        ("uname() { echo Linux; }", "not made for this architecture (Linux)"),
        ("uname() { echo Darwin; }", "an agent needs Linux; this is Darwin"),
        ("NGXLAB_CA=lab.pem", "NGXLAB_CA=lab.pem is no absolute path"),
        ("NGXLAB_CA=/nowhere.pem", "NGXLAB_CA=/nowhere.pem cannot be read"),
    ],
)
def test_it_refuses_what_cannot_work_and_says_why(stand_in: str, complaint: str, tmp_path: Path) -> None:
    root = "" if stand_in.startswith("id") else "id() { echo 0; }"
    done = run(rendered("http://lab", "0" * 64, tmp_path), root, stand_in, "ngxlab_join nge_secret")
    assert done.returncode == 1
    assert complaint in done.stderr
    assert "nge_secret" not in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_not_what_the_script_names_are_not_unpacked(tmp_path: Path) -> None:
    content = tmp_path / "content"
    content.write_text("not an agent")
    archive = tmp_path / "served.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(content, "content")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    for named, complaint in (("0" * 64, "the SHA-256 is another one"), (digest, "ensurepip")):
        script = rendered("http://lab", named, tmp_path)
        served = f'fetch() {{ cp {archive} "$2"; }}'
        python = "python3() { echo ensurepip >&2; return 1; }"
        done = run(script, served, python, 'work=$(mktemp -d); log=$work/log; set -eu; made_policy=; trap clean EXIT',
                   'echo "$work"; install_agent')  # fmt: skip
        assert complaint in done.stderr
        assert not Path(done.stdout.split()[0]).exists()
        assert not list(tmp_path.glob("opt/ngxlab/*/complete"))


def test_settings_that_are_there_stay_unless_an_authority_is_named(tmp_path: Path) -> None:
    script = rendered("http://lab", "0" * 64, tmp_path)
    settings = tmp_path / "etc" / "ngxlab" / "agent.env"
    authority = tmp_path / "lab.pem"
    authority.touch()
    assert run(script, "set -eu", "write_settings").returncode == 0
    assert f"NGXLAB_AGENT_DIR={tmp_path}/var/lib/ngxlab-agent\nNGXLAB_RUN_AS=ngxlab\n" in settings.read_text()
    settings.write_text("# mine\n")
    run(script, "set -eu", "write_settings")
    assert settings.read_text() == "# mine\n"
    run(script, "set -eu", f"NGXLAB_CA={authority} write_settings")
    run(script, "set -eu", f"NGXLAB_CA={authority} write_settings")
    assert settings.read_text() == f"# mine\nSSL_CERT_FILE={authority}\nNGXLAB_BROKER_CA={authority}\n"


def test_without_systemd_it_says_what_to_run(tmp_path: Path) -> None:
    done = run(rendered("http://lab", "0" * 64, tmp_path), "has_systemd() { false; }", "set -eu", "start_agent")
    assert "no systemd" in done.stdout
    assert f"exec {tmp_path}/opt/ngxlab/current/bin/ngxlab-worker agent" in done.stdout


def test_the_walk_finds_the_commands_of_its_page() -> None:
    assert commands("Before") == ["apt-get -q update", "apt-get -q install -y curl"]
    told = [commands(section) for section in ("See how it is", "Upgrade", "Leave")]
    assert told == [["ngxlab host status"], ["ngxlab host upgrade"], ["ngxlab host leave"]]
