"""Does a definition still do what the template it names would do?"""

from ngxlab.errors import Invalid, NotFound
from ngxlab.experiments.definition import Definition
from ngxlab.templates.registry import template


def with_true_origin(definition: Definition) -> Definition:
    """The definition; without its ``template`` where that, with its parameters, would build something else.

    A template's conclusion may only speak about what the template built.
    """
    if definition.template is None:
        return definition
    try:
        origin = template(definition.template.key)
        built = origin.build(origin.complete(definition.template.parameters))
    except (NotFound, Invalid):
        built = None
    return definition if built == definition else definition.model_copy(update={"template": None})
