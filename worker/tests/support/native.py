"""Compiles parts of the engines' programs, so that a test can call them directly."""

import subprocess
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "native"
OPTIONS = ("-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined")


def compile_part(name: str, sources: list[str], folder: Path) -> Path:
    """``native/tests/NAME.c`` with ``sources`` beside it; any invalid access or undefined behaviour ends it."""
    program = folder / name
    files = [str(SOURCES / "tests" / f"{name}.c"), *(str(SOURCES / source) for source in sources)]
    subprocess.run(["gcc", *OPTIONS, "-o", str(program), *files], check=True)
    return program


def ask(program: Path, *arguments: str, given: bytes = b"") -> str:
    answer = subprocess.run([program, *arguments], input=given, capture_output=True, check=False)
    assert answer.returncode == 0, answer.stderr.decode()
    return answer.stdout.decode()
