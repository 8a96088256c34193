#!/usr/bin/python3
"""Writes a loadable of the size of ResNet-50 for small: 43 convolutions of 3 x 3 x 256 with 256 kernels (25 MB of random weights, 5 billion
products), each followed by a sum, and additions of cubes up to 246 operations.

usage: large.py FILE [CONVOLUTIONS [SIDE]]
"""
import random
import struct
import sys

from builder import (ALLOCATE, ARMED, CONV, DONE, INPUT, OUTPUT, PROGRAMMED, SDP, Loadable, conv, cube, cvt, flying, nothing, packed, sdp,
                     unit)

CHANNELS, KERNEL, ATOM = 256, 3, 8


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 43
    side = int(sys.argv[3]) if len(sys.argv) > 3 else 14
    additions = 246 - 2 * count if count == 43 else count
    random.seed(1)
    net = Loadable()
    size = side * side * CHANNELS
    weight_bytes = KERNEL * KERNEL * CHANNELS * CHANNELS
    net.tensor("in", 0, size, (1, CHANNELS, side, side), (1, side * ATOM, side * side * ATOM, 0, 0, 0, 0, 0))
    net.tensor("out", 1, size, (1, CHANNELS, side, side), (1, side * ATOM, side * side * ATOM, 0, 0, 0, 0, 0))
    data = [net.memory(size, flags=ALLOCATE | INPUT), net.memory(size, flags=ALLOCATE | OUTPUT, tensor=1)]
    pool = net.memory(4 * size)
    weights = net.memory(content=random.randbytes(weight_bytes * count))
    bias = net.memory(content=struct.pack(f"<{CHANNELS}h", *(random.randrange(-200, 200) for _ in range(CHANNELS))))
    addresses = data + [pool, weights, bias]
    in_position, out_position, pool_position, weight_position, bias_position = range(5, 10)

    layers, source = [], packed(in_position, side, side, CHANNELS)
    kinds = []
    for i in range(count):
        kinds += ["conv"] + ["add"] * ((i + 1) * additions // count - i * additions // count)
    last = {CONV: None, SDP: None}

    def chain(kind, layer):
        index = len(layers)
        if last[kind] is not None:
            layers[last[kind]].setdefault("consumers", {})[kind] = (index, PROGRAMMED if kind == CONV else DONE)
        last[kind] = index
        layers.append(layer)
        return index

    slot = convolutions = 0
    before = None
    for step, kind in enumerate(kinds):
        target = packed(out_position, side, side, CHANNELS) if step == len(kinds) - 1 else \
            packed(pool_position, side, side, CHANNELS, offset=slot % 4 * size)
        if kind == "conv":
            weight = cube(0, weight_position, KERNEL, KERNEL, CHANNELS, offset=weight_bytes * convolutions, size=weight_bytes)
            op = conv(side, side, CHANNELS, KERNEL, CHANNELS, side, side, -(-side * side * CHANNELS // 4096), 10, pad=1)
            first = chain(CONV, {"type": CONV, "op": op,
                                 "surface": weight + nothing() * 2 + source + flying(side, side, CHANNELS)})
            if before is not None:
                layers[before].setdefault("consumers", {})[CONV] = (first, DONE)
            x1 = unit(1, kind=2, mode=1, act=1, precision=1)
            operands = packed(bias_position, 1, 1, CHANNELS, element=2)
            before = chain(SDP, {"type": SDP, "op": sdp(out=cvt(1, 9), x1=x1), "parent": (first, ARMED),
                                 "surface": flying(side, side, CHANNELS) + operands + nothing() * 2 + target})
            layers[first].setdefault("consumers", {})[SDP] = (before, PROGRAMMED)
            convolutions += 1
        else:
            op = sdp(out=cvt(1, 1), x1=unit(1, kind=2, mode=2, precision=0))
            before = chain(SDP, {"type": SDP, "op": op, "surface": source + source + nothing() * 2 + target})
        source = target
        slot += 1
    net.dla(layers, addresses)
    with open(sys.argv[1], "wb") as file:
        file.write(net.bytes())


main()
