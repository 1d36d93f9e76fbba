"""How much of a disk disk pressure may use."""

from ngxlab_worker.perturbations.disk_writer import LARGEST_FILE, SMALLEST_FILE, file_bytes


def test_at_most_a_quarter_of_what_is_free() -> None:
    assert file_bytes(1 << 40, 1) == LARGEST_FILE
    assert file_bytes(4 * SMALLEST_FILE, 1) == SMALLEST_FILE
    assert file_bytes(100 << 20, 1) == 25 << 20
    assert file_bytes(4 * SMALLEST_FILE - 1, 1) == 0
    assert file_bytes(0, 1) == 0


def test_several_share_that_quarter() -> None:
    assert file_bytes(300 << 20, 3) == 25 << 20
    assert file_bytes(4 * SMALLEST_FILE, 2) == 0
    assert file_bytes(1 << 40, 2) == LARGEST_FILE
