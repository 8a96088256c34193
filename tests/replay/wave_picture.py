#!/usr/bin/python3
"""Checks that a picture of GTKWave's window (PNG) shows waves.

usage: wave_picture.py PICTURE.png

The left part must have names, dark on light; the right part waves on black in at least three of GTKWave's colours, and the dashed line of a
marker.
"""
import struct
import sys
import zlib
from collections import Counter

RAINBOW = {  # GTKWave's [color] 1 to 7
    "red": (255, 0, 0), "orange": (255, 128, 0), "yellow": (255, 255, 0), "green": (0, 255, 0), "blue": (0, 0, 255),
    "indigo": (0, 0, 128), "violet": (255, 0, 255),
}


def read(path):
    """Rows of (r, g, b). 8 bits a channel, not interlaced."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and color in (2, 6) and not interlaced, "not such a PNG"
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    raw, n = zlib.decompress(packed), 3 if color == 2 else 4
    rows, before = [], bytes(width * n)
    for y in range(height):
        kind, line = raw[y * (width * n + 1)], bytearray(raw[y * (width * n + 1) + 1 : (y + 1) * (width * n + 1)])
        for i in range(len(line)):
            a, b, c = line[i - n] if i >= n else 0, before[i], before[i - n] if i >= n else 0
            if kind == 1:
                line[i] = (line[i] + a) & 255
            elif kind == 2:
                line[i] = (line[i] + b) & 255
            elif kind == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                line[i] = (line[i] + min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]) & 255
        before = bytes(line)
        rows.append([tuple(line[i : i + 3]) for i in range(0, len(line), n)])
    return rows


def near(a, b):
    return all(abs(x - y) <= 40 for x, y in zip(a, b))


def main(path):
    rows = read(path)
    width, height = len(rows[0]), len(rows)
    black = [sum(rows[y][x] == (0, 0, 0) for y in range(0, height, 3)) for x in range(width)]
    left = next((x for x in range(width) if black[x] > height / 3 / 4), width)  # where the waves begin
    names = Counter(p for row in rows for p in row[:left])
    waves = Counter(p for row in rows for p in row[left:])
    light, dark = sum(n for p, n in names.items() if min(p) > 200), sum(n for p, n in names.items() if max(p) < 100)
    colors = [name for name, rgb in RAINBOW.items() if sum(n for p, n in waves.items() if near(p, rgb)) > 200]
    # A marker: the most frequent colour of its column below black, from top to bottom.
    def line_of(x):
        count = Counter(row[x] for row in rows[height // 5 : height * 4 // 5])
        del count[(0, 0, 0)]
        return count.most_common(1)[0] if count else ((0, 0, 0), 0)
    marker = max((line_of(x) + (x,) for x in range(left + 3, width - 25)), key=lambda m: m[1] if min(m[0][:2]) > 150 else 0)
    print(f"{width}x{height}, waves from column {left}; names: {light} light and {dark} dark pixels; colours {colors}; "
          f"marker {marker[0]} in {marker[1]} rows of column {marker[2]}; {len(waves)} colours")
    faults = []
    if not 100 < left < width / 2:
        faults.append("no column of names beside black waves")
    if dark < 2000 or light < 10 * dark:
        faults.append("no names")
    if len(set(colors) - {"indigo"}) < 3:  # which is the grid, too
        faults.append("not coloured by engine")
    if sum(n for p, n in waves.items() if near(p, (255, 255, 255))) < 300:
        faults.append("no values")
    if marker[1] < height * 3 // 5 // 3:
        faults.append("no marker")
    print(path, "is one of waves" if not faults else faults)
    return 1 if faults else 0


sys.exit(main(sys.argv[1]))
