"""Numbers that look random and are the same for the same text, here and in the browser."""

from zlib import crc32

HASHES = 1 << 32
"""So many different ones."""


def hash_of(text: str) -> int:
    """32 bits: CRC-32, mixed by MurmurHash3's last step."""
    value = crc32(text.encode())
    value = ((value ^ value >> 16) * 0x85EBCA6B) % HASHES
    value = ((value ^ value >> 13) * 0xC2B2AE35) % HASHES
    return value ^ value >> 16
