"""Needs held against hosts, over HTTP."""

from typing import Any

import pytest
from harness import Backend, inventory
from ngxlab_contracts.hosts import HostCaps, NginxBinary


def binary(path: str, *arguments: str) -> NginxBinary:
    return NginxBinary(path=path, version="1.22.1", configure_arguments=list(arguments), modules=[], sha256="0" * 64)


def fit(backend: Backend, template: str = "thread-pools", *, body: dict[str, Any] | None = None, **host: Any) -> Any:
    agent = backend.agent(**host)
    request = {"host_id": str(agent.host_id)} | (body or {})
    return backend.person().client.post(f"/templates/{template}/fit", json=request)


def needs(answer: Any) -> dict[str, Any]:
    return {need["what"]: need for need in answer.raise_for_status().json()["needs"]}


def test_a_host_that_has_everything_fits(backend: Backend) -> None:
    answer = fit(backend, nginx=[binary("/usr/sbin/nginx", "--with-threads")])
    assert answer.json()["fits"] is True
    assert needs(answer)["an nginx built --with-threads"]["ok"]


def test_a_missing_must_does_not_fit_and_says_how_to_mend_it(backend: Backend) -> None:
    answer = fit(backend, nginx=[binary("/usr/sbin/nginx")])
    assert answer.json()["fits"] is False
    need = needs(answer)["an nginx built --with-threads"]
    assert need["detail"] == "nginx 1.22.1 lacks it"
    assert "register one that was built with threads" in need["remedy"]


def test_another_registered_nginx_that_would_do_is_named(backend: Backend) -> None:
    both = [binary("/usr/sbin/nginx"), binary("/opt/nginx", "--with-threads")]
    assert "/opt/nginx has it: choose it" in needs(fit(backend, nginx=both))["an nginx built --with-threads"]["detail"]
    chosen = fit(backend, body={"nginx": {"target": "/opt/nginx"}}, nginx=both)
    assert chosen.json()["fits"] is True


def test_what_is_only_better_to_have_does_not_hinder(backend: Backend) -> None:
    answer = fit(backend, nginx=[binary("/usr/sbin/nginx", "--with-threads")])
    need = needs(answer)["generator on another host than target"]
    assert (need["ok"], need["must"], need["detail"]) == (False, False, "both on one host")


def test_a_run_that_would_be_refused_does_not_fit(backend: Backend) -> None:
    answer = fit(backend, "reuseport", caps=HostCaps(max_connections=10))
    assert answer.json()["fits"] is False
    refusal = needs(answer)["limits and permissions that allow this load"]
    assert "allows at most 10" in refusal["detail"]


def test_needs_follow_the_parameters(backend: Backend) -> None:
    parameters = {"cold": "no", "files": 1, "file_kib": 1024}
    answer = fit(backend, body={"parameters": parameters}, nginx=[binary("/usr/sbin/nginx", "--with-threads")])
    assert needs(answer)["less memory than the 1 MiB of data"]["ok"] is False


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"parameters": {"files": 0}}, "parameters.files"),
        ({"hosts": {"moon": "00000000-0000-0000-0000-000000000001"}}, "hosts.moon"),
    ],
)
def test_nonsense_is_named(backend: Backend, body: dict[str, Any], field: str) -> None:
    answer = fit(backend, body=body)
    assert answer.status_code == 422
    assert field in [error["field"] for error in answer.json()["errors"]]


def test_an_old_agents_silence_is_no_capability(backend: Backend) -> None:
    assert inventory().capabilities[0].name == "isolation"
    need = needs(fit(backend, nginx=[binary("/usr/sbin/nginx", "--with-threads")]))["pressure stall information"]
    assert (need["ok"], need["must"]) == (False, False)
    assert "does not report it" in need["detail"]
