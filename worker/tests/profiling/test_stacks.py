"""What perf script prints becomes a tree of calls."""

from pathlib import Path

import pytest
from ngxlab_contracts import profiles
from ngxlab_contracts.profiles import Profile
from ngxlab_worker.profiling import stacks
from ngxlab_worker.profiling.stacks import CallTree, call_tree

GOLDEN = (Path(__file__).parent / "golden/nginx-gzip.txt").read_text()


def folded(tree: CallTree) -> dict[str, int]:
    """Samples by stack, the outermost function first."""
    paths: list[str] = []
    for parent, call in zip(tree.parents, tree.calls, strict=True):
        name = tree.frames[call][0]
        paths.append(f"{paths[parent]};{name}" if parent >= 0 else name)
    return {path: count for path, count in zip(paths, tree.samples, strict=True) if count}


def sample(*frames: str) -> list[str]:
    """Innermost first, as ``name (module)``."""
    return [" 1234 \n", *(f"\t    7f0c1d2e3a4b {frame}\n" for frame in frames), "\n"]


def profile_of(tree: CallTree, hz: int = 99) -> Profile:
    return Profile(
        t_us=1, hz=hz, seconds=1.0, unwinding="fp", kernel=True, lost=tree.lost, unresolved=tree.unresolved,
        frames=[name for name, _ in tree.frames], modules=[module for _, module in tree.frames],
        parents=tree.parents, calls=tree.calls, samples=tree.samples,
    )  # fmt: skip


def test_samples_of_one_stack_are_one_leaf() -> None:
    inner = ("deflate (/usr/lib/libz.so.1)", "ngx_http_gzip_body_filter (/usr/sbin/nginx)", "main (/usr/sbin/nginx)")
    tree = call_tree([*sample(*inner), *sample(*inner), *sample(*inner[1:])])
    assert folded(tree) == {
        "main;ngx_http_gzip_body_filter;deflate": 2,
        "main;ngx_http_gzip_body_filter": 1,
    }
    assert tree.frames == [("main", "nginx"), ("ngx_http_gzip_body_filter", "nginx"), ("deflate", "libz.so.1")]
    assert (tree.unresolved, tree.lost) == (0, 0)


def test_what_has_no_name_is_named_by_its_module_and_counted() -> None:
    lines = sample("[unknown] (/usr/lib/libz.so.1 (deleted))", "main (/usr/sbin/nginx)")
    lines += sample("[unknown] ([unknown])") + sample("memcpy (/usr/lib/libc.so.6)", "[unknown] (/usr/sbin/nginx)")
    tree = call_tree(lines)
    assert folded(tree) == {"main;[libz.so.1]": 1, "[unknown]": 1, "[nginx];memcpy": 1}
    assert tree.unresolved == 2


def test_functions_of_the_kernel_and_parts_of_functions() -> None:
    lines = sample("tcp_sendmsg_locked ([kernel.kallsyms])", "nf_hook ([nf_tables])", "deflate_fast.part.0.cold (/z)")
    tree = call_tree(lines)
    assert tree.frames == [("deflate_fast", "z"), ("nf_hook", "kernel"), ("tcp_sendmsg_locked", "kernel")]


def test_lost_samples_are_counted() -> None:
    tree = call_tree([*sample("a (/b)"), "1234 PERF_RECORD_LOST lost 7\n", *sample("a (/b)")])
    assert (tree.lost, folded(tree)) == (7, {"a": 2})


def test_a_sample_without_room_counts_for_the_innermost_call_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "MOST_CALLS", 2)
    tree = call_tree([*sample("a (/b)", "main (/b)"), *sample("c (/b)", "main (/b)")])
    assert folded(tree) == {"main;a": 1, "main": 1}


def test_of_a_very_deep_stack_the_outermost_calls_are_told() -> None:
    names = [f"f{depth}" for depth in range(profiles.DEEPEST_CALL + 2)]
    tree = call_tree(
        [
            *sample(*(f"{name} (/b)" for name in reversed(names[:-2]))),
            *sample(*(f"{name} (/b)" for name in reversed(names))),
        ]
    )
    assert folded(tree) == {";".join(names[:-2]): 2}
    assert tree.unresolved == 1
    profile_of(tree)


def test_a_module_with_a_long_name_is_told() -> None:
    tree = call_tree(sample(f"[unknown] (/lib/{'x' * 255})"))
    assert [len(name) for name, _ in tree.frames] == [profiles.LONGEST_FRAME]
    assert tree.frames[0][0].endswith("]")
    profile_of(tree)


def test_a_real_recording() -> None:
    """Of a worker that compresses, by ``perf script`` of Linux 6.1: as many samples as it has, each within nginx."""
    tree = call_tree(GOLDEN.splitlines(keepends=True))
    assert sum(tree.samples) == sum(line.strip().isdigit() for line in GOLDEN.splitlines())
    inside = [path for path in folded(tree) if "deflate" in path.split(";")]
    assert sum(folded(tree)[path] for path in inside) > 0.5 * sum(tree.samples)
    assert any(module == stacks.KERNEL for _, module in tree.frames)


def test_a_tree_is_a_message() -> None:
    tree = call_tree(GOLDEN.splitlines(keepends=True))
    told = profile_of(tree)
    assert Profile.model_validate_json(told.model_dump_json()) == told
    for wrong in (
        {"parents": tree.parents[:-1]},
        {"parents": [5, *tree.parents[1:]]},
        {"calls": [profiles.MOST_FRAMES] * len(tree.calls)},
        {"modules": ["/usr/lib/libz.so.1", *told.modules[1:]]},
        chain(profiles.DEEPEST_CALL + 1),
    ):
        with pytest.raises(ValueError, match=r"lists|caller|function|path|deeply"):
            Profile.model_validate(told.model_dump() | wrong)
    Profile.model_validate(told.model_dump() | chain(profiles.DEEPEST_CALL))


def chain(depth: int) -> dict[str, list[int]]:
    """Calls of the first function by itself."""
    return {"parents": list(range(-1, depth - 1)), "calls": [0] * depth, "samples": [1] * depth}
