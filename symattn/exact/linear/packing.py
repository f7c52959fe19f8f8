"""TRUSTED. Vectors of integers packed into one integer, so that one product multiplies all of them (Kronecker).

The vector v_0, v_1, ... is the integer sum v_i 2**(8 size i). Sums and multiples of packed vectors are packed sums
and multiples, from which the entries can be read as long as each lies between -2**(8 size - 1) and 2**(8 size - 1).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence


def slot_size(bits: int) -> int:
    """Return bytes of a slot for entries below 2**bits in size; lengths that are quick to read are preferred.

    >>> slot_size(20), slot_size(70), slot_size(200)
    (8, 16, 26)
    """
    size = bits // 8 + 1
    return size if size > 16 else 8 if size <= 8 else 16


def offset(size: int, count: int) -> int:
    """Return the packed vector whose `count` entries are all 2**(8 size - 1): added, it makes all entries positive.

    >>> hex(offset(2, 2))
    '0x80008000'
    """
    return int.from_bytes((b"\0" * (size - 1) + b"\x80") * count, "little")


def pack(entries: Sequence[int], size: int) -> int:
    """Return the packed vector.

    >>> pack([1, -1], 2)
    -65535
    """
    half = 1 << 8 * size - 1
    data = b"".join([(entry + half).to_bytes(size, "little") for entry in entries])
    return int.from_bytes(data, "little") - offset(size, len(entries))


def unpack(packed: int, size: int, shift: int) -> list[int]:
    """Return the entries of a packed vector, given its `offset`.

    With 2**(8 size - 1) added to each entry, no slot borrows from the next, and turning the highest bit of each
    slot over leaves its entry in two's complement.

    >>> unpack(-65535, 2, offset(2, 2))
    [1, -1]
    """
    length = (shift.bit_length() + 7) // 8
    data = ((packed + shift) ^ shift).to_bytes(length, "little")
    if size == 8:
        return list(struct.unpack(f"<{length // 8}q", data))
    if size == 16:
        halves = struct.unpack("<" + "Qq" * (length // 16), data)
        return [high << 64 | low for low, high in zip(halves[::2], halves[1::2], strict=True)]
    return [int.from_bytes(data[i : i + size], "little", signed=True) for i in range(0, length, size)]
