"""Which host takes which slot."""

from uuid import uuid4

import pytest
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import HostSummary
from ngxlab_cli.start import assign, binaries


def host(name: str) -> HostSummary:
    return HostSummary(
        id=uuid4(),
        name=name,
        state="idle",
        state_detail="",
        cpu_logical=2,
        heartbeat_age_s=1.0,
        memory_bytes=1,
        nginx=[],
        wrk_version=None,
    )


WEB, LOAD = host("web"), host("load")
SLOTS = ["target", "generator"]


def test_without_a_choice_the_only_host_takes_all_slots() -> None:
    assignment = assign([WEB], [])
    assert assignment.all_others == WEB.id
    assert assignment.problems(SLOTS) == []


def test_several_hosts_have_to_be_chosen_from() -> None:
    assert [problem.field for problem in assign([WEB, LOAD], []).problems(SLOTS)] == [
        "--host target",
        "--host generator",
    ]


def test_a_host_by_slot_and_one_for_the_others() -> None:
    assignment = assign([WEB, LOAD], ["target=web", str(LOAD.id)])
    assert (assignment.by_slot, assignment.all_others) == ({"target": WEB.id}, LOAD.id)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["nobody"], "no host has this name; registered: load, web"),
        (["web", "load"], "two hosts for every slot"),
        (["target=web", "target=load"], "target has a host already"),
    ],
)
def test_choices_that_cannot_be_meant(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        assign([WEB, LOAD], texts)


def test_binaries_are_for_the_target_or_for_what_is_named() -> None:
    chosen = binaries(["/opt/nginx", "tengine=tengine-3.2.0", "upstream=/usr/sbin/nginx"])
    assert chosen == {"target": "/opt/nginx", "tengine": "tengine-3.2.0", "upstream": "/usr/sbin/nginx"}


@pytest.mark.parametrize("texts", [["=a"], ["a="], [""], ["a=b", "a=c"], ["x", "target=y"]])
def test_a_binary_that_is_said_badly_or_twice_is_refused(texts: list[str]) -> None:
    with pytest.raises(UsageError, match="--nginx"):
        binaries(texts)
