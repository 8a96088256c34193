"""The roofline of an estimate as a picture: how many multiplications a clock each layer does, over
those that it has for each byte that it moves."""
import dataclasses
import html
import math
import typing

from nvcosim.text import shown

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 520, 80, 190, 50, 60
_FEWEST = 4  # pixels of a dot
_COLOURS = {"MACs": "#2c7fb8", "fill": "#7fcdbb", "load": "#08519c", "unit": "#636363",
            "SDP": "#756bb1", "weights": "#e34a33", "data": "#fd8d3c", "operands": "#31a354",
            "writes": "#c51b8a"}
Json: typing.TypeAlias = dict[str, typing.Any]


@dataclasses.dataclass
class _Axis:
    """Logarithmic: powers of two from `first` on."""
    first: float
    last: float
    start: float
    end: float

    def place(self, value: float) -> float:
        at = (math.log2(value) - math.log2(self.first)) / (
            math.log2(self.last) - math.log2(self.first))
        return self.start + at * (self.end - self.start)

    def marks(self) -> typing.Iterator[float]:
        value = self.first
        while value <= self.last:
            yield value
            value *= 4


def _bytes(layer: Json) -> int:
    return typing.cast(int, layer["bytes_read"] + layer["bytes_written"])


def _intensity(layer: Json) -> float:
    return typing.cast(float, layer["macs"] / _bytes(layer))


def _axes(layers: list[Json], peak: float, edge: float) -> tuple[_Axis, _Axis]:
    """Ranges that hold all layers and the edge of the roof."""
    across = [edge, *map(_intensity, layers)]
    slow = min(peak, *(layer["macs"] / layer["clocks"] for layer in layers))
    return (_Axis(2.0 ** (math.floor(math.log2(min(across))) - 1),
                  2.0 ** (math.ceil(math.log2(max(across))) + 1), _LEFT, _WIDTH - _RIGHT),
            _Axis(2.0 ** math.floor(math.log2(slow)), 2.0 ** (math.ceil(math.log2(peak)) + 1),
                  _HEIGHT - _BOTTOM, _TOP))


def _grid(x: _Axis, y: _Axis) -> typing.Iterator[str]:
    low, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for mark in x.marks():
        at = f"{x.place(mark):.1f}"
        yield (f'<line class="grid" x1="{at}" y1="{_TOP}" x2="{at}" y2="{low}"/>'
               f'<text x="{at}" y="{low + 18}" text-anchor="middle">{mark:g}</text>')
    for mark in y.marks():
        height = y.place(mark)
        yield (f'<line class="grid" x1="{_LEFT}" y1="{height:.1f}" x2="{right}" y2="{height:.1f}"/>'
               f'<text x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{mark:g}</text>')
    yield (f'<text x="{(_LEFT + right) // 2}" y="{_HEIGHT - 14}" text-anchor="middle">'
           'multiplications for each byte moved</text>')
    yield (f'<text transform="translate(20 {(_TOP + low) // 2}) rotate(-90)" text-anchor="middle">'
           'multiplications a clock</text>')


def _roof(x: _Axis, y: _Axis, peak: float, speed: float) -> typing.Iterator[str]:
    left = max(x.first, y.first / speed)
    near, low = x.place(left), y.place(left * speed)
    edge, top = x.place(peak / speed), y.place(peak)
    yield (f'<polyline class="roof" points="{near:.1f},{low:.1f} {edge:.1f},{top:.1f} '
           f'{x.place(x.last):.1f},{top:.1f}"/>')
    yield f'<text x="{edge + 6:.1f}" y="{top - 6:.1f}">{peak:g} a clock</text>'
    yield f'<text x="{near + 6:.1f}" y="{low - 10:.1f}">{speed:.3g} bytes a clock</text>'


def _dots(x: _Axis, y: _Axis, layers: list[Json], clocks: float) -> typing.Iterator[str]:
    for layer in layers:
        yield (f'<circle cx="{x.place(_intensity(layer)):.1f}" '
               f'cy="{y.place(layer["macs"] / layer["clocks"]):.1f}" '
               f'r="{_FEWEST + 30 * math.sqrt(layer["clocks"] / clocks):.1f}" '
               f'fill="{_COLOURS[layer["limit"]]}"><title>{layer["unit"]} #{layer["launch"]}: '
               f'{layer["clocks"]:.0f} clocks, {layer["macs"]} multiplications, '
               f'{_bytes(layer)} bytes, limit: {layer["limit"]}</title></circle>')


def _legend(layers: list[Json]) -> typing.Iterator[str]:
    """What the colours mean, with the share of the clocks."""
    yield f'<text x="{_WIDTH - _RIGHT + 20}" y="{_TOP}">limit, % of the clocks</text>'
    of = {name: sum(layer["clocks"] for layer in layers if layer["limit"] == name)
          for name in _COLOURS}
    for line, (name, clocks) in enumerate(((n, c) for n, c in of.items() if c), 1):
        y = _TOP + 22 * line
        yield (f'<circle cx="{_WIDTH - _RIGHT + 28}" cy="{y - 4}" r="6" fill="{_COLOURS[name]}"/>'
               f'<text x="{_WIDTH - _RIGHT + 42}" y="{y}">{name} '
               f'{100 * clocks / sum(of.values()):.1f}</text>')


def picture(title: str, estimate: Json, speed: float, peak: float) -> str:
    """An SVG. speed: bytes that the memory moves in a clock; peak: multiplications of the array."""
    layers = [layer for layer in estimate["layers"] if layer["macs"]]
    x, y = _axes(layers, peak, peak / speed)
    safe = html.escape(shown(title)).replace("&#x27;", "&#39;")
    safe = safe.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        "<style>.grid{stroke:#ddd}.roof{fill:none;stroke:#222;stroke-width:2}"
        "circle{fill-opacity:.6;stroke:#fff}</style>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="24" font-size="16">{safe}</text>', *_grid(x, y),
        *_roof(x, y, peak, speed), *_dots(x, y, layers, estimate["clocks"]),
        *_legend(estimate["layers"]), "</svg>\n"])
