"""Which binary a build means, and what is said where none or several are meant."""

from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.definition.builds import BuildError, find, name_of
from ngxlab.definition.identical import identical_arms
from ngxlab.definition.validation import require, validate
from ngxlab_contracts.hosts import NginxBinary


def binary(path: str, version: str, sha256: str) -> NginxBinary:
    return NginxBinary(path=path, version=version, configure_arguments=[], modules=[], sha256=sha256 * 32)


STOCK = binary("/usr/sbin/nginx", "nginx/1.22.1", "01")
NEWER = binary("/opt/new/sbin/nginx", "nginx/1.31.5", "02")
TENGINE = binary("/opt/tengine/sbin/tengine", "Tengine/3.2.0 (nginx/1.24.0)", "03")
OTHER_1_22 = binary("/opt/plain/sbin/nginx-plain", "nginx/1.22.1", "04")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("tengine", TENGINE),
        ("tengine-3.2.0", TENGINE),
        ("nginx-1.31.5", NEWER),
        ("nginx-1.22.1", STOCK),
        ("nginx-1.22.1-01010101", STOCK),
        ("/opt/new/sbin/nginx", NEWER),
    ],
)
def test_a_build_is_meant_by_product_version_checksum_or_path(wanted: str, meant: NginxBinary) -> None:
    assert find(wanted, [STOCK, NEWER, TENGINE]) == meant


def test_what_no_binary_or_several_answer_to_is_not_guessed() -> None:
    with pytest.raises(BuildError, match=r"no nginx called angie; it has nginx-1.22.1 \(/usr/sbin/nginx\), nginx-1.31"):
        find("angie", [STOCK, NEWER])
    with pytest.raises(BuildError, match="several nginx called nginx: "):
        find("nginx", [STOCK, NEWER, TENGINE])
    with pytest.raises(BuildError, match="it has none"):
        find("nginx", [])


def test_each_binary_has_a_name_that_means_it_alone() -> None:
    registered = [STOCK, NEWER, TENGINE, OTHER_1_22]
    given = [name_of(one, registered) for one in registered]
    assert given == ["nginx-1.22.1-01010101", "nginx-1.31.5", "tengine-3.2.0", "nginx-plain"]
    assert [find(name, registered) for name in given] == registered
    copy = STOCK.model_copy(update={"path": "/opt/copy/nginx"})
    assert name_of(copy, [STOCK, copy]) == "/opt/copy/nginx"
    assert find("nginx-1.22.1", [STOCK, copy]) == STOCK  # equal files are one build


def with_builds(*builds: str | None, **nginx: Any) -> dict[str, Any]:
    levels = [{"key": f"l{i}", "label": f"L{i}", "build": build} for i, build in enumerate(builds)]
    raw = sound()
    raw["factors"].append({"key": "build", "label": "Build", "levels": levels})
    raw |= {"baseline": "off.low.l0", "nginx": raw["nginx"] | nginx, "design": {"kind": "matrix"}, "thresholds": []}
    return raw


def test_arms_run_the_build_of_their_level_or_of_the_definition() -> None:
    definition = require(with_builds("tengine", None, build="nginx-1.22.1"))
    assert definition.builds == ["tengine", "nginx-1.22.1"]
    assert [definition.build(arm) for arm in definition.arms][:2] == ["tengine", "nginx-1.22.1"]
    assert require(sound()).builds == []


def test_arms_of_two_builds_are_not_identical() -> None:
    assert identical_arms(require(with_builds("tengine", "nginx"))) == []
    assert len(identical_arms(require(with_builds("tengine", "tengine")))) > 1


def test_two_factors_cannot_name_builds_and_a_build_is_no_slot() -> None:
    raw = with_builds("tengine", "target")
    raw["factors"][0]["levels"][0]["build"] = "nginx"
    problems = {problem.field: problem.message for problem in validate(raw).problems}
    assert "already says which nginx" in problems["factors.2.levels.0.build"]
    assert "the name of a slot" in problems["factors.2.levels.1.build"]
    path = with_builds("/usr/sbin/nginx", "nginx")
    assert [problem.field for problem in validate(path).problems] == ["factors.2.levels.0.build"]
