"""Which libraries ELF files of any processor ask for: a line `LIBRARY FILE` each (objdump reads those of its own processor alone).

Usage: needed.py FILE…
"""

import struct
import sys

SHT_DYNAMIC, DT_NEEDED = 6, 1


def needed(data: bytes) -> list[str]:
    """Of a file of 64 bits, little-endian; nothing of one that is no ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    start, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * i) for i in range(count)]
    names = []
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind == SHT_DYNAMIC:
            for at in range(offset, offset + length, 16):
                tag, value = struct.unpack_from("<qQ", data, at)
                if tag == DT_NEEDED:
                    first = sections[link][4] + value
                    names.append(data[first : data.index(b"\0", first)].decode())
    return names


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for name in needed(file.read()):
            print(name, path)
