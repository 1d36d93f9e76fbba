"""How the callers of a function are found: by frame pointers where the program keeps them, else by its DWARF tables.

Most distributions compile without frame pointers. A sample then carries a copy of the stack, which is a hundred times
as large.
"""

import platform
import struct
from pathlib import Path
from typing import Literal, NamedTuple

Unwinding = Literal["fp", "dwarf"]
STACK_BYTES = 8192
SAMPLE_BYTES: dict[Unwinding, int] = {"fp": 1_024, "dwarf": STACK_BYTES + 2_048}
"""Of each sample, roughly, at most."""

_HEADER = struct.Struct("<4sBB10x HHI QQQ I HHHHHH".replace(" ", ""))
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS, _FUNCTION, _SYMBOLS_LOOKED_AT = 11, 2, 400
_PUSHES = (b"\x55\x48\x89\xe5", b"\xf3\x0f\x1e\xfa\x55\x48\x89\xe5")
"""push %rbp; mov %rsp,%rbp, also behind endbr64."""
_MOST_BYTES = 64 << 20


class _Section(NamedTuple):
    kind: int
    address: int
    offset: int
    size: int


def has_frame_pointers(program: Path) -> bool:
    """Whether most functions that a program exports begin by setting one. Unknown is no."""
    if platform.machine() == "aarch64":
        return True  # its calling convention has the frame record, which compilers keep by default
    try:
        with program.open("rb") as file:
            content = file.read(_MOST_BYTES)
        starts = _functions(content)
    except (OSError, struct.error, ValueError):
        return False
    keeping = sum(content[start : start + 8].startswith(_PUSHES) for start in starts)
    return 2 * keeping > len(starts) > 0


def _functions(content: bytes) -> list[int]:
    """Where the first exported functions of an ELF file of 64 bits begin in it."""
    header = _HEADER.unpack_from(content)
    if header[0] != b"\x7fELF" or header[1] != 2:
        raise ValueError("it is no ELF file of 64 bits")
    table, size, count = header[8], header[13], header[14]
    sections = [
        _Section(fields[1], fields[3], fields[4], fields[5])
        for fields in (_SECTION.unpack_from(content, table + size * index) for index in range(count))
    ]
    found: list[int] = []
    for section in sections:
        if section.kind != _DYNAMIC_SYMBOLS:
            continue
        for at in range(section.offset, section.offset + section.size, _SYMBOL.size):
            _, info, _, _, value, length = _SYMBOL.unpack_from(content, at)
            if info & 0xF == _FUNCTION and length and (start := _place(sections, value)) is not None:
                found.append(start)
            if len(found) >= _SYMBOLS_LOOKED_AT:
                return found
    return found


def _place(sections: list[_Section], address: int) -> int | None:
    """Where in the file an address of the program is."""
    for section in sections:
        if section.address and section.address <= address < section.address + section.size:
            return section.offset + address - section.address
    return None
