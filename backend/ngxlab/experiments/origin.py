"""Whether a definition still measures what its template does."""

from ngxlab.core.errors import Invalid, NotFound
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import Factor
from ngxlab.templates.registry import template

_SUBJECT = ("nginx", "upstream_servers", "streams", "perturbations")


def with_true_origin(definition: Definition) -> Definition:
    """The definition, without its ``template`` if that, with its parameters, would now measure something else.

    A template's conclusion may only speak about what the template built. It still holds if the plan, the thresholds or
    the placement changed, and if levels were removed or added.
    """
    if definition.template is None:
        return definition
    try:
        origin = template(definition.template.key)
        built = origin.build(origin.complete(definition.template.parameters))
    except (NotFound, Invalid):
        built = None
    if built is not None and _same_subject(definition, built):
        return definition
    return definition.model_copy(update={"template": None})


def _same_subject(definition: Definition, built: Definition) -> bool:
    if any(getattr(definition, name) != getattr(built, name) for name in _SUBJECT):
        return False
    if [factor.key for factor in definition.factors] != [factor.key for factor in built.factors]:
        return False
    pairs = zip(definition.factors, built.factors, strict=True)
    return all(_same_levels(factor, original) for factor, original in pairs)


def _same_levels(factor: Factor, original: Factor) -> bool:
    """Levels may be missing or new, but each level that both factors have must mean the same."""
    by_key = {level.key: level for level in original.levels}
    return all(by_key.get(level.key, level) == level for level in factor.levels)
