"""Forms of templates refuse nonsense by name, and their preview shows what would run."""

import pytest
from definition.sentences import unlisted
from harness import Backend
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.core.errors import Invalid
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.registry import template


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"workers": 1}, "parameters.workers"),
        ({"workers": "four"}, "parameters.workers"),
        ({"connections": 101, "threads": 2}, "parameters.connections"),
        ({"measure_s": 0}, "parameters.measure_s"),
        ({"connection_mode": "maybe"}, "parameters.connection_mode"),
        ({"blocks": 2.5}, "parameters.blocks"),
        ({"wrokers": 4}, "parameters.wrokers"),
    ],
)
def test_a_wrong_parameter_is_named(backend: Backend, parameters: dict[str, object], field: str) -> None:
    person = backend.person()
    preview = person.client.post("/templates/reuseport/preview", json={"parameters": parameters}).json()
    assert field in [problem["field"] for problem in preview["problems"]]
    body = {"name": "x", "template_key": "reuseport", "parameters": parameters}
    answer = person.client.post("/experiments", json=body)
    assert answer.status_code == 422
    assert field in [error["field"] for error in answer.json()["errors"]]


@given(
    st.dictionaries(
        st.sampled_from(["workers", "connections", "blocks", "measure_s", "baseline"]),
        st.one_of(st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.booleans()),
    )
)
def test_any_values_are_built_or_refused_by_field(values: dict[str, LevelValue]) -> None:
    chosen = template("reuseport")
    refused: set[str] = set()
    bare: list[str] = []
    seconds = 0.0
    try:
        seconds = chosen.build(chosen.complete(values)).total_seconds()
    except Invalid as error:
        refused = {problem.field.removeprefix("parameters.") for problem in error.errors}
        bare = [text for problem in error.errors for text in unlisted(problem.message)]
    assert seconds > 0 or refused
    assert refused <= set(values) | {"connections"}
    assert bare == []


def test_the_preview_shows_what_differs(backend: Backend) -> None:
    preview = backend.person().client.post("/templates/reuseport/preview", json={"parameters": {}}).json()
    configs = {arm["key"]: arm["config"] for arm in preview["arms"]}
    assert "accept_mutex on;" in configs["mutex-on"]
    assert "accept_mutex off;" in configs["mutex-off"]
    assert "@@http_port@@ reuseport;" in configs["reuseport"]
    assert preview["plan"]["trials"] == 15
