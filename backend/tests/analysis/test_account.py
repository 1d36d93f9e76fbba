"""Which functions are named for a difference in CPU time, in profiles whose difference was put in."""

from collections.abc import Mapping

import numpy as np
from ngxlab.analysis.profiles import Account, ArmProfile, TrialProfile, account, compare, sentence
from ngxlab_contracts.profiles import Profile

HZ, REQUESTS = 99, 20_000.0
BASE = {
    "main;parse": 40.0,
    "main;send;[k]entry;[k]sys_writev": 60.0,
    "main;read;[k]entry;[k]sys_recv": 30.0,
}
"""Microseconds a request by stack; ``[k]`` marks functions of the kernel."""


def profile(random: np.random.Generator, us: Mapping[str, float]) -> TrialProfile:
    """A trial whose stacks cost so much a request, and 1 % more or less."""
    level = REQUESTS * HZ / 1e6 * (1 + 0.01 * random.standard_normal())
    names = list(dict.fromkeys(name for stack in us for name in stack.split(";")))
    nodes: dict[tuple[str, ...], int] = {}
    for stack in us:
        path = tuple(stack.split(";"))
        for depth in range(1, len(path) + 1):
            nodes.setdefault(path[:depth], len(nodes))
    samples = [0] * len(nodes)
    for stack, cost in us.items():
        samples[nodes[tuple(stack.split(";"))]] = int(random.poisson(level * cost))
    return TrialProfile(
        Profile(
            t_us=1_000_000, hz=HZ, seconds=20, unwinding="fp", kernel=True, lost=0, unresolved=0,
            frames=[name.removeprefix("[k]") for name in names],
            modules=["kernel" if name.startswith("[k]") else "nginx" for name in names],
            parents=[nodes[path[:-1]] if len(path) > 1 else -1 for path in nodes],
            calls=[names.index(path[-1]) for path in nodes], samples=samples,
        ),
        REQUESTS, None,
    )  # fmt: skip


def between(own: Mapping[str, float], base: Mapping[str, float], seed: int = 1) -> Account | None:
    random = np.random.default_rng(seed)
    arm, other = (ArmProfile([profile(random, us) for _ in range(3)]) for us in (own, base))
    return account(arm, other, compare(arm, other))


def test_a_function_of_the_kernel_is_named_with_what_it_is_done_for() -> None:
    logged = BASE | {"main;log_handler;[k]entry;[k]sys_write;[k]ext4_write": 90.0}
    for found in (between(logged, BASE), between(BASE, logged)):
        assert found is not None
        assert str(found.text) == "ext4_write, below log_handler"


def test_functions_that_make_a_difference_up_together_are_named_each() -> None:
    """A temporary file is opened, written and removed: all that they share is the way into the kernel."""
    file = {
        "main;[k]entry;[k]sys_openat": 40.0,
        "main;[k]entry;[k]sys_pwrite64": 10.0,
        "main;[k]entry;[k]sys_pwrite64;[k]ext4_write": 40.0,
        "main;[k]entry;[k]sys_unlink": 45.0,
    }
    found = between(BASE | file, BASE)
    assert found is not None
    assert {one.frame.name for one in found.claims} == {"sys_pwrite64", "sys_unlink", "sys_openat"}
    assert 90 < found.low < found.difference < found.high < 180
    assert "sys_pwrite64 (+" in found.text


def test_what_one_arm_does_in_place_of_the_other_is_named_with_both_signs() -> None:
    """Read and written against sent by the kernel."""
    copied = BASE | {"main;[k]entry;[k]sys_pread64": 180.0, "main;[k]entry;[k]sys_copy": 170.0}
    sent = BASE | {"main;[k]entry;[k]sys_sendfile64": 100.0}
    found = between(sent, copied)
    assert found is not None
    assert {one.frame.name: one.difference < 0 for one in found.claims} == {
        "sys_pread64": True,
        "sys_copy": True,
        "sys_sendfile64": False,
    }


def test_what_calls_everything_is_not_what_it_is_done_for() -> None:
    """Nearly all of what an arm costs is below ``main``, and little in the other arm."""
    small = {stack: us / 10 for stack, us in BASE.items()}
    found = between(small | {"main;body_handler": 20.0, "main;body_handler;[k]entry;[k]sys_write": 300.0}, small)
    assert found is not None
    assert found.below is not None
    assert found.below.name == "body_handler"


def test_of_a_difference_in_everything_alike_no_function_is_picked() -> None:
    """Half as much again of each function."""
    found = between({stack: 1.5 * us for stack, us in BASE.items()}, BASE)
    assert found is not None
    assert [one.frame.name for one in found.claims] == ["main"]


def test_the_line_below_the_graph_names_the_same() -> None:
    random = np.random.default_rng(2)
    gzip = BASE | {"main;gzip_filter;deflate": 400.0}
    own, base = (ArmProfile([profile(random, us) for _ in range(3)]) for us in (gzip, BASE))
    said = sentence(own, base, compare(own, base), "gzip 6")
    assert said is not None
    assert said.endswith("of it in deflate, below gzip_filter.")
