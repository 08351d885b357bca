"""Damage done to a model file at random, for the fuzz tests."""

from __future__ import annotations

import random
import struct

_NUMBERS = (0, 1, 2, 8, 9, 32, 255, 2**16, 2**31 - 1, 2**32 - 1, 2**40, 2**62, 2**63, 2**64 - 1)


def mutate(whole: bytes, header: int, chance: random.Random) -> bytes:
    """One to four changes, mostly in the first `header` bytes: flips, numbers at the edges, cuts, copies."""
    out = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        if not out:
            break
        at = chance.randrange(min(header, len(out)))
        match chance.randrange(7):
            case 0:
                out[at] ^= 1 << chance.randrange(8)
            case 1:
                out[at] = chance.randrange(256)
            case 2:
                out[at : at + 8] = struct.pack("<Q", chance.choice(_NUMBERS))
            case 3:
                out[at : at + 4] = struct.pack("<I", chance.choice(_NUMBERS) & 0xFFFFFFFF)
            case 4:
                del out[at : at + chance.randint(1, 64)]
            case 5:
                out[at:at] = out[at : at + chance.randint(1, 64)]
            case _:
                if chance.random() < 0.5:
                    del out[at:]
                else:
                    # The counts of tensors and entries are what a reader allocates by.
                    out[8:24] = struct.pack("<QQ", chance.choice(_NUMBERS), chance.choice(_NUMBERS))
    return bytes(out)
