"""The certificate of an experiment: the same in all arms, or what they differ in."""

from typing import Any

from ngxlab.definition.identical import groups_of_identical_arms
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require, validate


def by_key(*keys: str, **nginx: Any) -> dict[str, Any]:
    """One factor, the key of the certificate."""
    levels = [{"key": key, "label": key, "variables": {"kind": key}} for key in keys]
    return {
        "question": "What does the certificate cost?",
        "factors": [{"key": "key", "label": "Key", "levels": levels}],
        "baseline": keys[0],
        "nginx": {"workers": 1, "worker_connections": 512, "server": "return 200;", "tls": True, **nginx},
        "streams": [{"key": "main", "connections": 2, "keep_alive": False}],
        "plan": {"blocks": 2, "warmup_s": 0, "measure_s": 1},
    }


def keys_of(definition: Definition) -> list[str]:
    return [resolve(definition, arm).certificate_key for arm in definition.arms]


def test_each_arm_has_its_key() -> None:
    raw = by_key("p256", "rsa2048", "rsa4096", certificate_key="{{ kind }}")
    definition = require(raw)
    assert keys_of(definition) == ["p256", "rsa2048", "rsa4096"]
    assert groups_of_identical_arms(definition) == []
    assert validate(raw).warnings == []


def test_a_key_that_does_not_exist_is_named_with_its_arm() -> None:
    (problem,) = validate(by_key("p256", "ed25519", certificate_key="{{ kind }}")).problems
    assert (problem.field, problem.arms) == ("nginx.certificate_key", ["ed25519"])


def test_arms_whose_key_is_the_same_are_the_same() -> None:
    definition = require(by_key("p256", "rsa2048", certificate_key='{{ "rsa2048" if kind else "" }}'))
    assert keys_of(definition) == ["rsa2048", "rsa2048"]
    assert groups_of_identical_arms(definition) == [["p256", "rsa2048"]]


def test_the_length_of_the_chain_is_a_number_of_the_arm() -> None:
    definition = require(by_key("p256", "rsa2048", certificate_chain='{{ 3 if kind == "rsa2048" else 1 }}'))
    assert [resolve(definition, arm).nginx.certificate_chain for arm in definition.arms] == [1, 3]
    assert groups_of_identical_arms(definition) == []
