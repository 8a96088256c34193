#!/usr/bin/python3
"""Writes a loadable with the layers of ResNet-18 for pictures of 32 x 32, for small, with random weights: 20 convolutions, 17 of 3 x 3 in eight
blocks whose inputs are added to their outputs, and three of 1 x 1 where a block halves width and height; then a pooling of the whole area.

usage: residual.py FILE [CHANNELS]      of the first block (16, 64 at most); the others have two, four, and eight times as many
"""
import random
import struct
import sys

from builder import (ALLOCATE, ARMED, CONV, DONE, INPUT, OUTPUT, PROGRAMMED, SDP, Loadable, conv, cube, cvt, flying, nothing, packed, sdp,
                     unit)

SIDE, ATOM, CLASSES, BANK, SLOTS = 32, 8, 16, 4096, 4


def main():
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    random.seed(1)
    net = Loadable()
    size, out_size = SIDE * SIDE * first, CLASSES
    net.tensor("in", 0, SIDE * SIDE * ATOM, (1, ATOM, SIDE, SIDE), (1, SIDE * ATOM, SIDE * SIDE * ATOM, 0, 0, 0, 0, 0))
    net.tensor("out", 1, out_size, (1, CLASSES, 1, 1), (1, ATOM, ATOM, 0, 0, 0, 0, 0))
    shapes = []  # (kernel, channels, kernels) of each convolution
    layers, last = [], {CONV: None, SDP: None}
    in_position, out_position, pool_position, weight_position, bias_position = range(5, 10)

    def chain(kind, layer):
        if last[kind] is not None:
            layers[last[kind]].setdefault("consumers", {})[kind] = (len(layers), PROGRAMMED if kind == CONV else DONE)
        last[kind] = len(layers)
        layers.append(layer)
        return last[kind]

    def layer(source, target, side, channels, kernel, kernels, stride=1, pad=0, add=None, relu=1):
        """A convolution of the cube `source` (its surface) into `target`, with a sum per kernel, and one with the cube `add`."""
        out = (side + 2 * pad - kernel) // stride + 1
        weight_bytes = kernel * kernel * channels * kernels
        offset = sum(k * k * c * n for k, c, n in shapes)
        shapes.append((kernel, channels, kernels))
        before = last[SDP]
        banks = max(12, -(-ATOM * kernel * kernel * channels // BANK))  # of weights: a group of kernels at least
        op = conv(side, side, channels, kernel, kernels, out, out, -(-side * side * channels // BANK), banks, pad=pad, stride=stride)
        index = chain(CONV, {"type": CONV, "op": op,
                             "surface": cube(0, weight_position, kernel, kernel, channels, offset=offset, size=weight_bytes) +
                             nothing() * 2 + source + cube(2, -1, out, out, kernels, line=out * ATOM, surface=out * out * ATOM)})
        if before is not None:
            layers[before].setdefault("consumers", {})[CONV] = (index, DONE)
        x1 = unit(1, kind=2, mode=1, act=0 if add or not relu else 1, precision=1)
        x2 = unit(1, kind=2, mode=2, act=1, shift=5, precision=0) if add else unit()
        behind = chain(SDP, {"type": SDP, "op": sdp(out=cvt(1, 8), x1=x1, x2=x2), "parent": (index, ARMED),
                             "surface": flying(out, out, kernels) + packed(bias_position, 1, 1, kernels, element=2) + (add or nothing()) +
                             nothing() + target})
        layers[index].setdefault("consumers", {})[SDP] = (behind, PROGRAMMED)
        return out

    def slot(number, side, channels):
        return packed(pool_position, side, side, channels, offset=number % SLOTS * size)

    side, channels = SIDE, first
    here = slot(0, side, channels)
    layer(packed(in_position, side, side, ATOM), here, side, ATOM, 3, channels, pad=1)
    used = 1
    for block in range(8):
        wider, stride = (2 * channels, 2) if block in (2, 4, 6) else (channels, 1)
        shortcut, half = here, (side - 1) // stride + 1
        if stride == 2:
            shortcut = slot(used, half, wider)
            layer(here, shortcut, side, channels, 1, wider, stride=2, relu=0)
            used += 1
        middle, target = slot(used, half, wider), slot(used + 1, half, wider)
        layer(here, middle, side, channels, 3, wider, stride=stride, pad=1)
        layer(middle, target, half, wider, 3, wider, pad=1, add=shortcut)
        used += 2
        here, side, channels = target, half, wider
    layer(here, packed(out_position, 1, 1, CLASSES), side, channels, side, CLASSES, relu=0)

    memories = [net.memory(SIDE * SIDE * ATOM, flags=ALLOCATE | INPUT), net.memory(out_size, flags=ALLOCATE | OUTPUT, tensor=1),
                net.memory(SLOTS * size),
                net.memory(content=random.randbytes(sum(k * k * c * n for k, c, n in shapes))),
                net.memory(content=struct.pack(f"<{8 * first}h", *(random.randrange(-200, 200) for _ in range(8 * first))))]
    net.dla(layers, memories)
    with open(sys.argv[1], "wb") as file:
        file.write(net.bytes())


main()
