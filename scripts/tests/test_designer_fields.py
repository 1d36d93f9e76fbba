"""The designer's fields, written from the schema of a definition."""

from ngxlab.definition.schema.plan import Plan

from scripts.generate_clients import designer


def written() -> str:
    return designer.generate()[designer.DECLARED]


def test_a_field_says_what_its_declaration_says() -> None:
    lines = written().splitlines()
    assert (
        "  'Plan.measure_s': { kind: 'number', label: msg({ message: 'Measure', context: 'phase' }), unit: 's' },"
        in lines
    )
    assert "  'NginxTemplate.workers': { kind: 'number', label: msg`Workers`, templated: true }," in lines
    (arrivals,) = (line for line in lines if line.startswith("  'OpenLoop.arrivals'"))
    assert "options: [['constant', msg`Evenly spaced`], ['poisson', msg`Poisson`]]" in arrivals
    (until,) = (line for line in lines if line.startswith("  'Every.until_s'"))
    assert "optional: true" in until


def test_the_fields_of_a_section_stand_in_the_schemas_order() -> None:
    fields = [
        line.split("'")[1].removeprefix("Plan.") for line in written().splitlines() if line.startswith("  'Plan.")
    ]
    assert {"blocks", "warmup_s", "measure_s"} <= set(fields)
    assert fields == [name for name in Plan.model_fields if name in fields]


def test_defaults_are_the_schemas() -> None:
    plan, parts = (line for line in written().splitlines() if line.startswith("  Plan: "))
    assert "cooldown_s: 1, interval_ms: 1000" in plan
    assert "blocks" not in plan, "it has none"
    assert parts == '  Plan: { stop: ["UntilDecided", "FixedBlocks", "UntilPrecise"], selection: ["Selection"] },'
