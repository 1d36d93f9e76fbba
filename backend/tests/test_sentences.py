"""Sentences: English as text; template and values where they are stored or sent."""

import copy
import pickle

import pytest
from ngxlab_contracts.sentences import Figure, Sentence, fixed, listed, say
from pydantic import BaseModel, ValidationError


class Message(BaseModel):
    text: Sentence


def test_a_sentence_is_its_english() -> None:
    sentence = say("{count:,} of {whose} were {share:.1f} % late", count=1200, whose="`a`", share=12.34)
    assert sentence == "1,200 of `a` were 12.3 % late"
    assert f"{sentence}." == "1,200 of `a` were 12.3 % late."
    assert sentence.template == "{count} of {whose} were {share} % late"


def test_it_keeps_the_kind_of_each_value() -> None:
    sentence = say(
        "{count} on {host}: {why} ({took})", count=3, host="web-1", why=fixed("no limit"), took=Figure("2 ms", 2, "ms")
    )
    assert Message(text=sentence).model_dump(mode="json") == {
        "text": {
            "text": "3 on web-1: no limit (2 ms)",
            "template": "{count} on {host}: {why} ({took})",
            "values": {
                "count": {"text": "3", "number": 3, "unit": ""},
                "host": "web-1",
                "why": {"text": "no limit", "template": "no limit", "values": {}},
                "took": {"text": "2 ms", "number": 2, "unit": "ms"},
            },
        }
    }


def test_it_is_stored_and_read_without_a_loss() -> None:
    sentence = say("{part}{none}", part=listed(["a", say("{n:.0f} b", n=2.0)], "; "), none="")
    message = Message(text=sentence)
    for found in (
        Message.model_validate_json(message.model_dump_json()),
        Message.model_validate(message.model_dump()),
        pickle.loads(pickle.dumps(message)),
        copy.deepcopy(message),
    ):
        assert found.text == "a; 2 b"
        assert found.model_dump(mode="json") == message.model_dump(mode="json")


@pytest.mark.parametrize("stored", ["12 of 40 trials were late", "{not} a template", ""])
def test_a_text_that_was_stored_without_a_template_stays_a_text(stored: str) -> None:
    assert Message.model_validate({"text": stored}).model_dump(mode="json") == {"text": stored}


def test_fixed_words_are_stored_as_they_are() -> None:
    assert Message(text=say("no request timed out")).model_dump(mode="json") == {"text": "no request timed out"}


def test_a_sentence_that_is_said_again_stays_as_it_is() -> None:
    sentence = say("{n} pairs", n=5)
    assert say(sentence) is sentence


def test_what_has_no_number_is_written_as_text() -> None:
    assert say("{n:.1f}", n=float("inf")).values == {"n": "inf"}
    assert not isinstance(say("{n:.1f}", n=float("inf")).values["n"], Figure)


def test_lists_are_joined_by_words_that_have_translations() -> None:
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(["a"], " and ") == "a"
    assert listed([say("{n} b", n=1), "c"], " and ") == "1 b and c"


def test_other_parts_are_refused() -> None:
    with pytest.raises(ValidationError):
        Message.model_validate({"text": {"text": "a", "template": "a"}})
