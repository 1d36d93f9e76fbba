"""A definition and the message made of it agree on what a field is when nobody gives it."""

import pytest
from ngxlab.definition.schema.base import DefinitionModel
from ngxlab.definition.schema.streams import IdleHold, OpenLoop, Stream
from ngxlab_contracts.base import Message
from ngxlab_contracts.streams import IdleHoldSpec, OpenLoopSpec, StreamSpec


@pytest.mark.parametrize(
    ("written", "sent"), [(Stream, StreamSpec), (OpenLoop, OpenLoopSpec), (IdleHold, IdleHoldSpec)]
)
def test_shared_fields_have_the_same_default(written: type[DefinitionModel], sent: type[Message]) -> None:
    def defaults(model: type[DefinitionModel] | type[Message]) -> dict[str, object]:
        fields = {name: field for name, field in model.model_fields.items() if not field.is_required()}
        return {name: field.get_default(call_default_factory=True) for name, field in fields.items()}

    ours, theirs = defaults(written), defaults(sent)
    shared = ours.keys() & theirs.keys()
    assert shared
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}
