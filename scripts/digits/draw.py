"""Draws pictures of digits, so that training and checking a network needs no collected data: strokes through points with random offsets, bent,
turned and thickened at random, white (255) on black (0). Imported by train.py.
"""
import math
import struct
import zlib

import numpy

SIZE = 28


def arc(x, y, rx, ry, start, end, points=7):
    """Points of an ellipse's arc; degrees, 0 to the right, clockwise as y points down."""
    angles = [math.radians(start + (end - start) * i / (points - 1)) for i in range(points)]
    return [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in angles]


# The ways to write each digit: strokes, each a list of points in a box of 1 x 1 that a smooth curve joins; a point given twice is a corner.
SHAPES = [
    [  # 0
        [arc(0.5, 0.5, 0.42, 0.5, -90, 280, 11)],
        [arc(0.5, 0.5, 0.34, 0.5, -60, 300, 11)],
    ],
    [  # 1
        [[(0.5, 0.0), (0.5, 1.0)]],
        [[(0.3, 0.22), (0.54, 0.0), (0.54, 0.0), (0.52, 1.0)]],
        [[(0.28, 0.25), (0.52, 0.0), (0.52, 0.0), (0.52, 1.0)], [(0.25, 1.0), (0.8, 1.0)]],
    ],
    [  # 2
        [arc(0.48, 0.28, 0.4, 0.28, 190, 370, 7) + [(0.7, 0.55), (0.08, 1.0), (0.08, 1.0), (0.92, 1.0)]],
        [arc(0.48, 0.28, 0.36, 0.28, 200, 380, 7) + [(0.45, 0.75), (0.15, 0.95), (0.12, 0.82), (0.3, 0.8), (0.6, 0.97), (0.92, 0.92)]],
    ],
    [  # 3
        [arc(0.45, 0.26, 0.36, 0.26, 200, 430, 7) + [(0.42, 0.5), (0.42, 0.5)] + arc(0.45, 0.74, 0.42, 0.26, -70, 160, 7)],
        [[(0.1, 0.02), (0.85, 0.02), (0.85, 0.02), (0.42, 0.42), (0.42, 0.42)] + arc(0.45, 0.7, 0.42, 0.3, -75, 160, 7)],
    ],
    [  # 4
        [[(0.6, 0.0), (0.05, 0.66), (0.05, 0.66), (0.95, 0.66)], [(0.68, 0.3), (0.66, 1.0)]],
        [[(0.12, 0.0), (0.1, 0.5), (0.1, 0.52), (0.85, 0.5)], [(0.8, 0.0), (0.76, 1.0)]],
        [[(0.7, 1.0), (0.7, 0.0), (0.7, 0.0), (0.05, 0.66), (0.05, 0.66), (0.98, 0.66)]],
    ],
    [  # 5
        [[(0.88, 0.02), (0.2, 0.02), (0.2, 0.02), (0.16, 0.44), (0.16, 0.44)] + arc(0.46, 0.69, 0.42, 0.31, -120, 150, 8)],
        [[(0.2, 0.05), (0.16, 0.45), (0.16, 0.45)] + arc(0.44, 0.7, 0.42, 0.3, -110, 140, 8), [(0.2, 0.03), (0.9, 0.0)]],
    ],
    [  # 6
        [[(0.72, 0.0), (0.3, 0.3), (0.1, 0.68)] + arc(0.48, 0.72, 0.38, 0.28, 180, -190, 10)],
        [[(0.45, 0.0), (0.16, 0.4)] + arc(0.46, 0.72, 0.34, 0.28, 190, -170, 10)],
    ],
    [  # 7
        [[(0.05, 0.03), (0.92, 0.03), (0.92, 0.03), (0.6, 0.45), (0.4, 1.0)]],
        [[(0.08, 0.16), (0.1, 0.02), (0.1, 0.02), (0.9, 0.04), (0.9, 0.04), (0.36, 1.0)]],
        [[(0.05, 0.03), (0.92, 0.03), (0.92, 0.03), (0.38, 1.0)], [(0.35, 0.5), (0.88, 0.5)]],
    ],
    [  # 8
        [arc(0.5, 0.25, 0.33, 0.25, 90, 450, 10), arc(0.5, 0.75, 0.4, 0.25, -90, 270, 10)],
        [[(0.82, 0.12), (0.5, 0.0), (0.18, 0.2), (0.5, 0.46), (0.84, 0.76), (0.5, 1.0), (0.16, 0.76), (0.5, 0.46), (0.8, 0.2), (0.74, 0.06)]],
    ],
    [  # 9
        [arc(0.46, 0.29, 0.36, 0.29, 0, 360, 9) + [(0.84, 0.5), (0.76, 1.0)]],
        [arc(0.46, 0.29, 0.36, 0.29, -30, 340, 9) + [(0.82, 0.25), (0.82, 0.25), (0.8, 0.6), (0.6, 0.95), (0.25, 0.97)]],
        [arc(0.48, 0.3, 0.36, 0.29, -20, 330, 9) + [(0.8, 0.1), (0.8, 0.1), (0.8, 1.0)]],
    ],
]


def curve(points, pieces=4):
    """A Catmull-Rom curve through the points."""
    p = numpy.array([points[0]] + list(points) + [points[-1]])
    t = numpy.linspace(0, 1, pieces, endpoint=False)[:, None]
    out = []
    for i in range(1, len(p) - 2):
        a, b, c, d = p[i - 1], p[i], p[i + 1], p[i + 2]
        out.append(b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))))
    return numpy.concatenate(out + [p[-2:-1]])


GRID = numpy.stack(numpy.meshgrid(numpy.arange(SIZE) + 0.5, numpy.arange(SIZE) + 0.5), axis=-1).reshape(-1, 1, 2)


def draw(rng, digit):
    """A picture of the digit: uint8[SIZE][SIZE]."""
    shape = SHAPES[digit][rng.integers(len(SHAPES[digit]))]
    width, height = rng.uniform(9, 17), rng.uniform(16, 21)
    if digit == 1:
        width *= 0.6
    turn, slant = rng.normal(0, 0.12), rng.normal(0, 0.16)
    middle = numpy.array([SIZE / 2, SIZE / 2]) + rng.normal(0, 0.9, 2)
    matrix = numpy.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]) @ numpy.array([[width, -slant * height], [0, height]])
    wave, phase = rng.normal(0, 0.035, 2), rng.uniform(0, 2 * math.pi, 2)
    jitter = rng.uniform(0.0, 0.035)
    starts, ends = [], []
    for stroke in shape:
        points = curve([(x + rng.normal(0, jitter), y + rng.normal(0, jitter)) for x, y in stroke])
        points = points + numpy.sin(points[:, ::-1] * 2 * math.pi + phase) * wave
        points = (points - 0.5) @ matrix.T + middle
        starts.append(points[:-1])
        ends.append(points[1:])
    start, along = numpy.concatenate(starts), numpy.concatenate(ends) - numpy.concatenate(starts)
    place = GRID - start
    t = numpy.clip((place * along).sum(-1) / ((along * along).sum(-1) + 1e-9), 0, 1)
    distance = numpy.sqrt(((place - t[..., None] * along) ** 2).sum(-1)).min(1)
    ink = numpy.clip((rng.uniform(1.6, 3.6) / 2 + 0.5 - distance) / rng.uniform(0.8, 1.4), 0, 1) * rng.uniform(190, 255)
    ink += rng.normal(0, 1, ink.shape) * rng.choice([0, 0, 6])
    return numpy.clip(ink + 0.5, 0, 255).astype(numpy.uint8).reshape(SIZE, SIZE)


def dataset(seed, count):
    """Pictures uint8[count][SIZE][SIZE] and their digits; every digit equally often."""
    rng = numpy.random.default_rng(seed)
    digits = rng.permutation(numpy.arange(count) % 10)
    return numpy.stack([draw(rng, digit) for digit in digits]), digits


def png(picture):
    """The picture as a PNG file, grey, 8 bit."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width = picture.shape
    rows = b"".join(b"\0" + bytes(row) for row in picture)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def pgm(picture):
    """The same as a binary PGM file."""
    height, width = picture.shape
    return f"P5\n{width} {height}\n255\n".encode() + bytes(picture.reshape(-1))
