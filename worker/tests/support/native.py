"""Compiles parts of the engines' programs, so that a test can call them directly."""

import os
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "native"
OPTIONS = ("-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror")
SANITIZED = ("-fsanitize=address,undefined",)

COMPILER = os.environ.get("NGXLAB_TEST_CC")
"""A compiler for another processor, whose programs ``NGXLAB_TEST_EMULATOR`` runs (``make arm64``)."""
EMULATOR = os.environ.get("NGXLAB_TEST_EMULATOR")


def compile_part(name: str, sources: list[str], folder: Path) -> Path:
    """``native/tests/NAME.c`` with ``sources`` beside it; any invalid access or undefined behaviour ends it.

    Not under an emulator, where sanitizers do not work.
    """
    program = folder / name
    files = [str(SOURCES / "tests" / f"{name}.c"), *(str(SOURCES / source) for source in sources)]
    sanitized = () if COMPILER else SANITIZED
    subprocess.run([COMPILER or "gcc", *OPTIONS, *sanitized, "-o", str(program), *files, "-lm"], check=True)
    return program if EMULATOR is None else emulated(program, EMULATOR)


def emulated(program: Path, emulator: str) -> Path:
    """A program for this machine's processor that runs ``program`` with ``emulator``."""
    wrapper = program.with_name(f"{program.name}.emulated")
    wrapper.write_text(f'#!/bin/sh\nexec {emulator} {program} "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


def ask(program: Path, *arguments: str, given: bytes = b"") -> str:
    answer = subprocess.run([program, *arguments], input=given, capture_output=True, check=False)
    assert answer.returncode == 0, answer.stderr.decode()
    return answer.stdout.decode()
