"""Jobs for processes apart: sound ones, and ones that would stop everything else."""

import os
import re

from ngxlab.core.errors import FieldProblem, Invalid


def echo(text: str) -> str:
    return text


def environment(_: str) -> str:
    return "\n".join(os.environ)


def who(_: str) -> str:
    return str(os.getpid())


def refuse(_: str) -> str:
    raise Invalid("Not like this.", code="wrong", errors=[FieldProblem(field="a.b", message="is wrong")])


def never_ends(_: str) -> str:
    while True:
        pass


def never_leaves_c(_: str) -> str:
    return str(re.fullmatch(r"(a+)+b", "a" * 64))


def takes_all_memory(_: str) -> str:
    return str(len(bytearray(8 << 30)))


def dies(_: str) -> str:
    os._exit(3)


def breaks(_: str) -> str:
    raise ZeroDivisionError
