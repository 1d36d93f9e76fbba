"""Which server and which token; and that the token stays secret."""

import subprocess
from pathlib import Path

import pytest
from harness import Backend
from ngxlab_cli.access import Access, config_file, find_access, normal_url, save
from ngxlab_cli.errors import NotSignedInError, UnreachableError, UsageError
from services import free_port
from tests.support.caller import Caller


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("NGXLAB_URL", "NGXLAB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_options_go_before_the_environment_and_that_before_what_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    save(Access("http://kept", "kept-token"))
    assert find_access(None, None) == Access("http://kept", "kept-token")
    monkeypatch.setenv("NGXLAB_TOKEN", "environment-token")
    assert find_access(None, None) == Access("http://kept", "environment-token")
    monkeypatch.setenv("NGXLAB_URL", "http://environment/")
    assert find_access(None, None) == Access("http://environment", "environment-token")
    assert find_access("http://option", "option-token") == Access("http://option", "option-token")


def test_a_kept_token_goes_to_no_other_server() -> None:
    save(Access("http://kept", "kept-token"))
    with pytest.raises(NotSignedInError, match="not signed in at http://other"):
        find_access("http://other", None)


def test_what_is_kept_is_for_its_owner_only() -> None:
    path = save(Access("http://kept", "kept-token"))
    path.chmod(0o644)
    assert save(Access("http://kept", "next-token")) == path
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_damaged_file_is_named_and_not_shown() -> None:
    path = save(Access("http://kept", "kept-token"))
    path.write_text("url = 'http://kept'\ntoken = ['kept-token']\n")
    with pytest.raises(UsageError) as caught:
        find_access(None, None)
    assert str(config_file()) in str(caught.value)
    assert "kept-token" not in str(caught.value)


def test_a_token_does_not_show_itself() -> None:
    assert "secret" not in repr(Access("http://kept", "secret"))


def test_without_any_server_one_of_this_machine_is_found_or_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    checkout = checkout_at(tmp_path / "checkout")
    monkeypatch.setattr("sys.prefix", str(checkout / ".venv"))
    with pytest.raises(NotSignedInError, match="`make up` in a checkout"):
        find_access(None, None)
    assert find_access(None, None, starts=True) == Access("http://localhost:8400", "of-this-machine")
    out, err = capfd.readouterr()
    assert (out, "one-time password" in err, "of-this-machine" in err) == ("", True, False)
    assert find_access(None, None) == Access("http://localhost:8400", "of-this-machine")
    with pytest.raises(NotSignedInError, match="not signed in at http://other"):
        find_access("http://other", None)
    save(Access("http://kept", "kept-token"))
    assert find_access(None, None, starts=True).url == "http://kept"


def test_the_server_of_another_user_here_gets_only_a_token_that_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    checkout = checkout_at(tmp_path / "checkout")
    monkeypatch.setattr("sys.prefix", str(checkout / ".venv"))
    (checkout / "runs.json").write_text('{"url": "http://localhost:8400", "token": ""}')
    with pytest.raises(NotSignedInError, match="not signed in at http://localhost:8400"):
        find_access(None, None, starts=True)
    assert find_access(None, "given").token == "given"


def test_a_server_that_does_not_start_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checkout = checkout_at(tmp_path / "checkout")
    monkeypatch.setattr("sys.prefix", str(checkout / ".venv"))
    (checkout / "Makefile").write_text("up:\n\t@exit 1\n")
    with pytest.raises(UnreachableError, match=f"make up` in {checkout}"):
        find_access(None, None, starts=True)


def checkout_at(folder: Path) -> Path:
    """A checkout whose stack answers once `make up` was called; `scripts/tests/test_stack.py` asks a real one."""
    (folder / "scripts" / "stack").mkdir(parents=True)
    (folder / "scripts" / "stack" / "__main__.py").write_text(
        "import pathlib, sys\nruns = pathlib.Path('runs.json')\n"
        "sys.exit(1) if sys.argv[1:] != ['access'] or not runs.exists() else print(runs.read_text())\n"
    )
    stack = '{"url": "http://localhost:8400", "token": "of-this-machine"}'
    (folder / "Makefile").write_text(f"up:\n\t@echo one-time password; echo '{stack}' > runs.json\n")
    return folder


@pytest.mark.parametrize("text", ["lab:8400", "ftp://lab", "http://", "nonsense", "http://[::1"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="--url"):
        normal_url(text)


def login(caller: Caller, token: str) -> "subprocess.CompletedProcess[str]":
    environment = {key: value for key, value in caller.environment.items() if not key.startswith("NGXLAB_")}
    command = [*caller.command, "login", "--url", caller.environment["NGXLAB_URL"]]
    return subprocess.run(
        command, env=environment, input=f"{token}\n", capture_output=True, text=True, timeout=60, check=False
    )


def test_signing_in_keeps_the_token_and_never_prints_it(caller: Caller) -> None:
    token = caller.environment.pop("NGXLAB_TOKEN")
    caller.environment["XDG_CONFIG_HOME"] += "/home"
    answer = login(caller, token)
    assert answer.returncode == 0, answer.stderr
    assert caller.person.email in answer.stdout
    assert "(administrator), to administer until 20" in answer.stdout
    assert token not in answer.stdout + answer.stderr
    caller.environment.pop("NGXLAB_URL")
    assert caller.ngxlab("hosts").returncode == 0


def test_a_token_that_only_reads_says_so_when_it_is_used_for_more(caller: Caller) -> None:
    made = caller.person.client.post("/auth/tokens", json={"name": "look", "scope": "read"}).json()
    caller.environment["NGXLAB_TOKEN"] = made["token"]
    assert caller.ngxlab("runs").returncode == 0
    refused = caller.ngxlab("cancel", "00000000-0000-0000-0000-000000000000")
    assert refused.returncode == 4
    assert "needs a token with the scope operate; this one's is read" in refused.stderr


@pytest.mark.parametrize("token", ["wrong", "", "two words"])
def test_a_token_that_is_not_valid_is_not_kept(caller: Caller, token: str) -> None:
    answer = login(caller, token)
    assert answer.returncode == (6 if token == "wrong" else 4)
    assert token not in answer.stderr or not token
    assert not Path(caller.environment["XDG_CONFIG_HOME"], "ngxlab", "config.toml").exists()


def test_without_a_token_or_a_server(caller: Caller, lab: Backend) -> None:
    wrong = caller.ngxlab("hosts", "--token", "wrong-token")
    assert (wrong.returncode, "wrong-token" in wrong.stderr) == (6, False)
    gone = caller.ngxlab("hosts", NGXLAB_URL=f"http://127.0.0.1:{free_port()}")
    assert gone.returncode == 6
    assert "does not answer" in gone.stderr
    del caller.environment["NGXLAB_TOKEN"]
    nobody = caller.ngxlab("hosts")
    assert nobody.returncode == 6
    assert f"not signed in at {lab.url}" in nobody.stderr


def test_a_server_that_is_something_else(caller: Caller, lab: Backend) -> None:
    answer = caller.ngxlab("hosts", NGXLAB_URL=f"{lab.url}/somewhere")
    assert answer.returncode != 0
    assert "Traceback" not in answer.stderr
