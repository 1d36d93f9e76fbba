"""Memory by what is mapped, as the kernel tells it."""

import os
from pathlib import Path

from ngxlab_worker.trial.memory import Parts, nginx_memory, parse

ROLLUP = Path(__file__).parent / "golden" / "smaps_rollup"


def test_a_file_of_the_kernel() -> None:
    """A worker of nginx that has served nothing, and so has not touched its zone of 10 MB."""
    assert parse(ROLLUP.read_text()) == Parts(own=798 * 1024, program=251 * 1024, zones=0)


def test_an_older_kernel_does_not_tell_them_apart() -> None:
    text = "".join(line for line in ROLLUP.read_text().splitlines(keepends=True) if not line.startswith("Pss_"))
    assert parse(text) is None
    assert parse("") is None


def test_a_process_that_has_ended_leaves_it_unknown(tmp_path: Path) -> None:
    own = os.getpid()
    assert nginx_memory(own, [own, own], at="start", t_us=0) is not None
    assert nginx_memory(own, [own, 4_194_305], at="start", t_us=0) is None
    assert nginx_memory(own, [], at="start", t_us=0) is None
