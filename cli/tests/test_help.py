"""Each command says what it does."""

import argparse
from collections.abc import Iterator

import pytest
from ngxlab_cli.main import _parser


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from parsers(one)


@pytest.mark.parametrize("parser", list(parsers(_parser())), ids=lambda parser: parser.prog)
def test_help_can_be_written(parser: argparse.ArgumentParser) -> None:
    assert f"usage: {parser.prog}" in parser.format_help()
