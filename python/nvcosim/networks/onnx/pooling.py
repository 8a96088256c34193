"""Windows, pooling, and operators that make one element of each axis."""
from nvcosim.networks.graph import (
    AXES, BATCH, CHANNELS, HEIGHT, SIDE_MAX, WIDTH, Node, Window, axis_of, windows)
from nvcosim.networks.onnx.reading import Reading


def _window_number(at: Reading, name: str, spatial: int, place: int, none: int, least: int) -> int:
    """A whole number of a list along height and width, or width alone."""
    found = at.attribute(name.encode())
    if not found:
        return none
    numbers = found.get("ints", ())
    if len(numbers) < spatial:
        at.refuse(f"found {len(numbers)} numbers in {name}, expected {spatial}")
    value = int(numbers[place])
    if not least <= value <= SIDE_MAX:
        at.refuse(f"found {value} in {name}, expected {least} to {SIDE_MAX}")
    return value


def _set_padding(at: Reading, axis: Window, spatial: int, place: int, side: int) -> None:
    form, pads = at.word(b"auto_pad"), at.attribute(b"pads")
    if form in (b"SAME_UPPER", b"SAME_LOWER"):
        axis.pad_same(side)
        if form == b"SAME_LOWER":
            axis.before, axis.after = axis.after, axis.before
        return
    if form not in (b"", b"VALID", b"NOTSET"):
        at.refuse("found another auto_pad, expected SAME_UPPER, SAME_LOWER, VALID or NOTSET")
    if not pads or form == b"VALID":
        return
    numbers = pads.get("ints", ())
    if len(numbers) != 2 * spatial:
        at.refuse(f"found {len(numbers)} numbers in pads, expected {2 * spatial}")
    before, after = numbers[place], numbers[place + spatial]
    if not 0 <= before <= SIDE_MAX or not 0 <= after <= SIDE_MAX:
        at.refuse(f"found padding of {before} and {after}, expected 0 to {SIDE_MAX}")
    axis.before, axis.after = before, after


def window(at: Reading, index: int, axes: list[Window]) -> list[int]:
    """The window of an operator over a tensor. Returns the sides of the result, channels 0."""
    tensor = at.graph.tensors[index]
    if tensor.rank < 3:
        at.refuse(f"found its input with {tensor.rank} dimensions, expected 3 or 4")
    spatial, sides = tensor.rank - 2, [1, 0, 0, 0]
    for i in (HEIGHT, WIDTH):
        axis, side = axes[i], tensor.sides[i]
        place = i + spatial - WIDTH - 1  # in lists; of height, that may have no place
        if place >= 0:
            axis.size, axis.stride, axis.dilation = (
                _window_number(at, name, spatial, place, none, 1) for name, none in (
                    ("kernel_shape", axis.size), ("strides", 1), ("dilations", 1)))
            _set_padding(at, axis, spatial, place, side)
        if side + axis.before + axis.after < axis.reach:
            at.refuse(f"found a window of {axis.size} in {side} elements, expected it inside")
        sides[i] = axis.results(side)
    if at.whole(b"ceil_mode", 0) != 0:
        at.refuse("found ceil_mode, expected sizes rounded down")
    return sides


def pool(at: Reading) -> None:
    axes = windows()
    sides = window(at, at.input, axes)
    sides[CHANNELS] = at.graph.tensors[at.input].sides[CHANNELS]
    y, x = axes[HEIGHT], axes[WIDTH]
    padded = y.before or y.after or x.before or x.after
    if at.kind == "AVERAGE_POOL_2D" and padded and at.whole(b"count_include_pad", 0) != 0:
        at.pad_input(axes)
    if y.dilation != 1 or x.dilation != 1:
        at.refuse("found dilation, expected none")
    node = at.new_node(at.kind, at.input, sides, at.graph.tensors[at.input].rank)
    node.windows = axes
    at.keep_scale(node)


def _take_away(at: Reading, kind: str, taken: int) -> Node:
    """A node that makes one element of each axis in `taken`, and whose output has these dimensions
    no more, or with 1."""
    source = at.graph.tensors[at.input]
    keep = at.whole(b"keepdims", 1) != 0
    axes = [axis_of(source.rank, d) for d in range(source.rank)]
    left = [axis for axis in axes if keep or not taken >> axis & 1]
    to = [1] * AXES
    for d, axis in enumerate(left[1:], 1):
        to[axis_of(len(left), d)] = 1 if taken >> axis & 1 else source.sides[axis]
    if source.rank < 2 or (not keep and taken >> BATCH & 1):
        at.refuse("found it to take the batch away, expected that to stay")
    node = at.new_node(kind, at.input, to, len(left))
    for i in range(AXES):
        if taken >> i & 1:
            node.windows[i].size = source.sides[i]
            node.axis = i
    node.taken = taken
    return node


def arg_max(at: Reading) -> None:
    rank = at.graph.tensors[at.input].rank
    axis = at.axis(0, rank)
    if not 1 <= axis < rank or at.whole(b"select_last_index", 0) != 0:
        at.refuse(f"found axis {axis} or select_last_index, expected 1, the channels, and the "
                  "first of equals")
    output = at.output_of(_take_away(at, "ARG_MAX", 1 << axis_of(rank, axis)))
    output.type, output.quantised = "index", True
    at.last.real = False


def global_average(at: Reading) -> None:
    if at.whole(b"channels_last", 0) != 0:
        at.refuse("found channels_last, expected channels first")
    _take_away(at, "MEAN", 1 << HEIGHT | 1 << WIDTH)


def mean(at: Reading) -> None:
    """Without a list, over all dimensions. Behind transposes it shows later whether the channels
    remain."""
    source = at.graph.tensors[at.input]
    listed, count = at.axes(source.rank)
    taken = 0
    for i in range(source.rank):
        if not count or listed >> i & 1:
            taken |= 1 << axis_of(source.rank, i)
    if listed >> source.rank or (not count and at.whole(b"noop_with_empty_axes", 0) != 0):
        at.refuse(f"found axes that its {source.rank} dimensions do not have, or none, expected "
                  "height and width")
    transposed = any(node.kind == "TRANSPOSE" for node in at.graph.nodes)
    if not transposed and taken >> CHANNELS & 1 and source.sides[CHANNELS] > 1:
        at.refuse("found a mean over other axes, expected height and width (2, 3) of 4")
    _take_away(at, "MEAN", taken)
