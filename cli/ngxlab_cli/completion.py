"""``ngxlab completion SHELL``: a script with which the shell completes commands, options and files."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from ngxlab_cli.errors import Exit

SHELLS = ("bash", "zsh", "fish")
HOW = """\
how to switch it on
  bash   ngxlab completion bash > ~/.local/share/bash-completion/completions/ngxlab
  zsh    ngxlab completion zsh > ~/.zfunc/_ngxlab      (a folder of $fpath, before compinit)
  fish   ngxlab completion fish > ~/.config/fish/completions/ngxlab.fish
"""


def completion(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Exit:
    """``parser``: that of ``ngxlab``."""
    import shtab  # noqa: PLC0415 (for this command only)

    for action in _actions(parser):
        if action.type is Path or (action.metavar or "") in {"FILE", "ACCESS_LOG", "FILE.csv"}:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # what shtab looks for
    sys.stdout.write(shtab.complete(parser, arguments.shell) + "\n")
    return Exit.OK


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _actions(one)
