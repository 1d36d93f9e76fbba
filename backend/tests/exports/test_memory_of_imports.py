"""What the process of an import may take while it reads and stores, and while it analyses."""

import subprocess
import sys

from ngxlab.core.subprocess_pool.process import MEMORY_BYTES
from ngxlab.exports.archive import importing

_SCRIPT = """
from ngxlab.core.subprocess_pool.process import allow_most_memory, limit_memory

def takes(size):
    try:
        return bool(bytearray(size))
    except MemoryError:
        return False

limit_memory({first})
told = [takes({first} * 3 // 4), takes({first} * 5 // 4)]
allow_most_memory()
print(*told, takes({most} * 3 // 4), takes({most} * 5 // 4))
"""


def test_the_kernel_bounds_it() -> None:
    script = _SCRIPT.format(first=importing._TO_READ_AND_STORE, most=MEMORY_BYTES)
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "True", "False"]
