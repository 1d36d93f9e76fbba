"""Control groups of both versions, on a made-up tree laid out as the kernel's documentation says."""

from pathlib import Path

import pytest
from ngxlab_worker.confinement import Bounds
from ngxlab_worker.confinement.group import Group, enter

BOUNDS = Bounds(memory_bytes=300_000_000, processes=50, file_bytes=1)


def tree(root: Path, version: int) -> Path:
    """A folder like /proc whose mounts are below ``root``; our own group in version 1 is /agent."""
    proc = root / "proc"
    (proc / "self").mkdir(parents=True)
    if version == 1:
        mounts = [f"cgroup {root}/{name} cgroup rw,relatime,{name} 0 0\n" for name in ("memory", "pids", "cpu")]
        (proc / "self" / "cgroup").write_text("3:cpu:/\n2:memory:/agent\n1:pids:/elsewhere\n0::/\n")
        for name in ("memory/agent", "pids"):
            (root / name).mkdir(parents=True)
    else:
        mounts = [f"cgroup2 {root}/two cgroup2 rw,nosuid 0 0\n"]
        (proc / "self" / "cgroup").write_text("0::/system.slice/ngxlab.service\n")
        (root / "two").mkdir()
        (root / "two" / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (proc / "mounts").write_text("".join(["proc /proc proc rw 0 0\n", *mounts]))
    return proc


def test_version_1_has_a_group_in_each_controllers_tree(tmp_path: Path) -> None:
    group = Group.create("t1", BOUNDS, tree(tmp_path, 1))
    assert group.folders == (tmp_path / "memory/agent/ngxlab-t1", tmp_path / "pids/ngxlab-t1")
    assert (group.memory / "memory.limit_in_bytes").read_text() == "300000000"
    assert (group.pids / "pids.max").read_text() == "50"
    assert [word for word in enter(group.folders) if word.endswith("cgroup.procs")] == [
        f"{group.memory}/cgroup.procs",
        f"{group.pids}/cgroup.procs",
    ]


def test_version_2_has_one_group_for_both(tmp_path: Path) -> None:
    group = Group.create("t1", BOUNDS, tree(tmp_path, 2))
    assert group.folders == (tmp_path / "two/ngxlab-t1",)
    assert (tmp_path / "two/cgroup.subtree_control").read_text() == "+memory +pids"
    read = {name: (group.memory / name).read_text() for name in ("memory.max", "memory.swap.max", "pids.max")}
    assert read == {"memory.max": "300000000", "memory.swap.max": "0", "pids.max": "50"}


@pytest.mark.parametrize(
    ("version", "file", "content", "cap"),
    [
        (1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", "max_memory_bytes"),
        (2, "memory.events", "low 0\nhigh 0\nmax 93\noom 4\noom_kill 2\noom_group_kill 0\n", "max_memory_bytes"),
        (1, "pids.events", "max 3\n", "max_processes"),
        (2, "pids.events", "max 1\n", "max_processes"),
        (1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 1\noom_kill 0\n", None),
        (2, "memory.events", "max 93\noom 4\noom_kill 0\n", None),  # reclaiming pages was enough
    ],
)
def test_what_the_kernel_counts_names_the_cap(
    tmp_path: Path, version: int, file: str, content: str, cap: str | None
) -> None:
    group = Group.create("t1", BOUNDS, tree(tmp_path, version))
    assert group.exceeded(BOUNDS) is None
    folder = group.memory if file.startswith("memory") else group.pids
    (folder / file).write_text(content)
    assert (group.exceeded(BOUNDS) or "None").endswith(f"({cap})" if cap else "None")


def test_a_group_inside_replaces_the_one_around_it(tmp_path: Path) -> None:
    group = Group.create("t1", BOUNDS, tree(tmp_path, 2))
    inside = group.pids / "script"
    assert [word for word in enter(group.folders, inside) if word.endswith("procs")] == [f"{inside}/cgroup.procs"]


@pytest.mark.parametrize("missing", ["memory", "pids"])
def test_a_host_without_a_controller_says_which(tmp_path: Path, missing: str) -> None:
    proc = tree(tmp_path, 2)
    (tmp_path / "two/cgroup.controllers").write_text("cpu memory pids\n".replace(missing, ""))
    with pytest.raises(OSError, match=f"controller {missing}"):
        Group.create("t1", BOUNDS, proc)
