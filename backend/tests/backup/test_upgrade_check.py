"""What an upgrade changes is said beforehand, from a backup that is tried in a database of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from analysis.run_results import by_margin
from backup.test_backup import execute, server
from finished_runs import finished_run
from ngxlab.analysis.method import METHOD
from ngxlab.core.config import Settings
from ngxlab.retention import upgrade_check
from ngxlab_contracts.protocol import CURRENT
from pydantic import SecretStr
from serving import own_database, serving

RATES = {"mutex-on": [1000, 1003, 1001], "mutex-off": [1002, 1001, 1004], "reuseport": [1300, 1308, 1304]}


class Installation(NamedTuple):
    """``file``: its backup. Two of its runs are of one experiment."""

    file: Path
    host: str
    runs: list[dict[str, Any]]


@pytest.fixture(scope="module")
def installation(postgresql_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    file = tmp_path_factory.mktemp("upgrade") / "lab.backup"
    with own_database(postgresql_url) as settings, serving(settings) as backend:
        person, agent = backend.person(), backend.agent()
        experiment = person.experiment(blocks=3)["id"]
        runs = [finished_run(backend, person, agent, experiment, RATES) for _ in range(2)]
        done = server(backend.settings, "backup", "--unnoted", str(file))
        assert done.returncode == 0, done.stderr
        assert execute(settings.database_url.get_secret_value(), "SELECT count(*) FROM backup") == 0
        yield Installation(file, agent.name, runs)


@pytest.fixture
def empty(settings: Settings, postgresql_url: str) -> Iterator[Settings]:
    """The settings of a server on a database without tables."""
    name = f"tried_{uuid4().hex}"
    execute(postgresql_url, f"CREATE DATABASE {name}")
    url = postgresql_url.rpartition("/")[0].replace("postgresql://", "postgresql+asyncpg://") + f"/{name}"
    yield settings.model_copy(update={"database_url": SecretStr(url), "migration_database_url": None})
    execute(postgresql_url, f"DROP DATABASE {name} WITH (FORCE)")


def _check(settings: Settings, file: Path, most_runs: int | None = None) -> tuple[list[str], str]:
    said = list[str]()
    return upgrade_check.check(settings, file, most_runs, said.append), "\n".join(said)


def test_the_version_that_runs_changes_nothing(installation: Installation, empty: Settings) -> None:
    changes, said = _check(empty, installation.file)
    assert changes == []
    assert "Migrations take" in said
    assert "All agents go on talking." in said
    assert f"An earlier version of the method has judged 0 runs; this one is version {METHOD}." in said


def test_another_method_names_the_runs_that_it_judges_otherwise(
    installation: Installation, empty: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab.runs.results.analysis.METHOD", METHOD + 1)
    monkeypatch.setattr("ngxlab.runs.results.analysis.analyse_run", by_margin(0.6))
    changes, said = _check(empty, installation.file)
    assert changes == ["2 of 2 runs are judged differently"]
    for run in installation.runs:
        assert f"{run['experiment_name']} #{run['number']} ({run['id']})" in said
    assert said.count("said:  More requests/s? Yes with reuseport: `accept_mutex off` +0.1 %, `reuseport` +30 %;") == 2
    assert said.count("says:  More requests/s? No difference: `accept_mutex off` +0.1 %, `reuseport` +30 %;") == 2
    assert "CPU spread" not in said  # which both judge alike
    url = empty.database_url.get_secret_value()
    assert execute(url, "SELECT count(*) FROM run WHERE method = " + str(METHOD)) == 2  # also there it is undone


def test_another_method_that_says_the_same_is_no_change(
    installation: Installation, empty: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab.runs.results.analysis.METHOD", METHOD + 1)
    changes, said = _check(empty, installation.file, 1)
    assert changes == []
    assert "The newest 1 of them are judged now; ALL=1 judges all." in said


def test_agents_that_stop_talking_are_named_with_the_way_out(
    installation: Installation, empty: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab.hosts.availability.CURRENT", CURRENT._replace(major=CURRENT.major + 1))
    changes, said = _check(empty, installation.file)
    assert changes == [f"agents stop talking: {installation.host}"]
    assert f"Host {installation.host} needs an upgrade of the host" in said
    assert "ngxlab_upgrade" in said


def test_the_command_says_that_all_stays(installation: Installation, empty: Settings) -> None:
    done = server(empty, "upgrade-check", str(installation.file))
    assert done.returncode == 0, done.stderr
    assert "keeps everything as it is." in done.stdout
    again = server(empty, "upgrade-check", str(installation.file))
    assert (again.returncode, "has experiments already" in again.stderr) == (1, True)
