"""Reads and writes PNG files with nothing but Python's standard library: the samples' own PNG code is under test."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # of the channels


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encode(width, height, channels, values, bits=8, more=b""):
    row = width * channels * bits // 8
    rows = b"".join(b"\0" + values[y * row: (y + 1) * row] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, bits, COLOUR_TYPES[channels], 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def paeth(left, above, corner):
    return min((left, above, corner), key=lambda each: abs(left + above - corner - each))


def unfilter(kind, row, above, channels):
    for i, value in enumerate(row):
        left, corner = (row[i - channels], above[i - channels]) if i >= channels else (0, 0)
        row[i] = (value + (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]) % 256
    return row


def decode(content):
    """(width, height, channels, values) of a PNG of 8 bits a channel without palette or interlace."""
    assert content.startswith(SIGNATURE)
    at, packed = len(SIGNATURE), b""
    while at < len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        data = content[at + 8: at + 8 + size]
        assert content[at: at + 12 + size] == chunk(kind, data)
        if kind == b"IHDR":
            width, height, bits, colour_type, _, _, interlace = struct.unpack(">IIBBBBB", data)
            assert bits == 8 and interlace == 0
            channels = {value: key for key, value in COLOUR_TYPES.items()}[colour_type]
        elif kind == b"IDAT":
            packed += data
        at += 12 + size
    assert kind == b"IEND"
    row, rows = width * channels, zlib.decompress(packed)
    assert len(rows) == height * (row + 1)
    values, above = b"", bytes(row)
    for y in range(height):
        line = bytearray(rows[y * (row + 1): (y + 1) * (row + 1)])
        above = unfilter(line[0], line[1:], above, channels)
        values += above
    return width, height, channels, values
