"""The page of nvcosim sweep: all points as a table, and for each network frames a second as bars,
and against the size of the RTL."""
import dataclasses
import html
import pathlib

from nvcosim.sizes import Size
from nvcosim.text import shown

_BAR = 420  # pixels of the longest bar
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 460, 260, 70, 34  # pixels of a plot, and of its margins
_STYLE = """\
td, th { padding: .2em .7em; border-bottom: 1px solid var(--line); text-align: left; }
td.n, th.n { text-align: right; }
.bar { display: inline-block; height: .8em; background: var(--busy); vertical-align: middle; }
svg.plot { font-size: 12px; margin: .5em 2em .5em 0; }
svg.plot text { fill: currentColor; }
svg.plot path { fill: none; stroke: var(--line); }
svg.plot path.best { stroke: var(--busy); }
svg.plot circle { fill: var(--card); stroke: var(--busy); }
svg.plot circle.best { fill: var(--busy); }
"""
_HEADER = (" ", "network", "configuration", "memory", " clocks", " frames a second", " MAC %",
           " moved a frame", "limit", "would help", " measured", " error %", " LUTs",
           " flip-flops", " block RAMs", " DSPs")  # with a blank: of numbers


@dataclasses.dataclass
class Point:
    """config: as it was given, or that of the network. played: options of nvcosim run for that
    memory, None: the RTL cannot have it. use: of the MAC array, per cent. limit, helps: what limits
    the layers with most of the clocks, and would shorten them; share: theirs, in per cent.
    measured: clocks of the RTL, 0: none. size: of the RTL, None: not known."""
    network: str
    config: str
    memory: str
    played: list[str] | None
    mhz: float
    clocks: float
    use: float
    macs: int
    read: int
    written: int
    limit: str
    helps: str
    share: float
    measured: float = 0
    size: Size | None = None

    @property
    def frames(self) -> float:
        """A second."""
        return self.mhz * 1e6 / self.clocks if self.clocks > 0 else 0

    @property
    def error(self) -> float:
        """Of the estimate, per cent."""
        return 100 * (self.clocks / self.measured - 1)


def _cells(tag: str, *cells: str) -> str:
    """Those that begin with a blank are numbers."""
    return "".join((f'<{tag} class="n">' if cell.startswith(" ") else f"<{tag}>")
                   + f"{html.escape(shown(cell.strip()))}</{tag}>" for cell in cells)


def _moved(size: float) -> str:
    units = iter(("B", "KB", "MB", "GB", "TB"))
    unit = next(units)
    while size >= 10000:
        size, unit = size / 1000, next(units)
    return f" {size:.{0 if unit == 'B' else 1}f} {unit}"


def best(points: list[Point], used: str) -> list[Point]:
    """Points with a size that no other beats in frames a second and that part of the size, smallest
    first."""
    found: list[Point] = []
    for p in sorted((p for p in points if p.size),
                    key=lambda p: (getattr(p.size, used), -p.frames)):
        if not found or p.frames > found[-1].frames:
            found.append(p)
    return found


def _plot(points: list[Point], places: list[int], used: str, name: str) -> str:
    """Frames a second against a part of the size; a line through the best. places: numbers of the
    points in the table."""
    sizes = [getattr(p.size, used) for p in points]
    most, high = max(1, *sizes), max(p.frames for p in points) or 1

    def at(size: int, frames: float) -> tuple[float, float]:
        return (_LEFT + (_WIDTH - _LEFT - 20) * size / most,
                _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - 20) * frames / high)

    winners = best(points, used)
    reached = {(getattr(p.size, used), p.frames) for p in winners}
    line = " L".join(f"{x:.1f} {y:.1f}" for x, y in
                     (at(getattr(p.size, used), p.frames) for p in winners))
    dots = ""
    for p, place, size in zip(points, places, sizes):
        x, y = at(size, p.frames)
        kind = ' class="best"' if (size, p.frames) in reached else ""
        dots += (f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="4"><title>'
                 f"{html.escape(shown(f'{p.config}, {p.memory}'))}: {p.frames:.2f} frames a "
                 f"second, {size:,} {name}</title></circle>"
                 f'<text x="{x + 6:.1f}" y="{y - 6:.1f}">{place}</text>\n')
    return (f'<svg class="plot" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
            f'aria-label="frames a second against {name}">\n'
            f'<path d="M{_LEFT} 10 V{_HEIGHT - _BOTTOM} H{_WIDTH - 10}"/>'
            f'<text x="{_LEFT - 6}" y="24" text-anchor="end">{high:.4g}</text>'
            f'<text x="{_LEFT - 6}" y="{_HEIGHT - _BOTTOM}" text-anchor="end">0</text>'
            f'<text x="{_WIDTH - 10}" y="{_HEIGHT - 8}" text-anchor="end">{most:,} {name}</text>\n'
            f'<path class="best" d="M{line}"/>\n{dots}</svg>\n')


def _plots(points: list[Point]) -> str:
    """For each network with sizes: against LUTs and against DSPs."""
    text = ""
    for network in dict.fromkeys(p.network for p in points):
        some = [(p, place) for place, p in enumerate(points, 1) if p.network == network and p.size]
        if some:
            chosen, places = [p for p, _ in some], [place for _, place in some]
            text += f"<h3>{html.escape(shown(network))}</h3>\n" + "".join(
                _plot(chosen, places, used, name)
                for used, name in (("luts", "LUTs"), ("dsps", "DSPs")))
    return text and ("<section><h2>Frames a second and size</h2>\n<p class=\"about\">Numbers are "
                     "those of the table. Through the full points goes the line that no other "
                     "point is above: more frames need more of the FPGA.</p>\n"
                     f"{text}</section>\n")


def page(points: list[Point]) -> str:
    """A table, and frames a second as bars, by network."""
    pages = pathlib.Path(__file__).parents[1] / "pages"
    css, script = (pages.joinpath(name).read_text("utf-8") for name in ("base.css", "base.js"))
    rows = "".join("<tr>" + _cells(
        "td", f" {place}", p.network, p.config, p.memory, f" {p.clocks:,.0f}", f" {p.frames:.2f}",
        f" {p.use:.1f}", _moved(p.read + p.written), f"{p.limit}, {p.share:.0f} %", p.helps,
        f" {p.measured:,.0f}" if p.measured else "", f" {p.error:+.1f}" if p.measured else "",
        *(f" {n:,}" for n in (dataclasses.astuple(p.size) if p.size else ())))
        + "</tr>\n" for place, p in enumerate(points, 1))
    bars = ""
    for network in dict.fromkeys(p.network for p in points):
        some = [p for p in points if p.network == network]
        most = max(p.frames for p in some) or 1
        bars += f"<h3>{html.escape(shown(network))}</h3>\n<table>\n" + "".join(
            f"<tr>{_cells('td', p.config, p.memory)}<td><span class=\"bar\" style=\"width:"
            f"{_BAR * p.frames / most:.0f}px\"></span> {p.frames:.2f}</td></tr>\n"
            for p in some) + "</table>\n"
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>Sweep</title>\n<style>\n{css}{_STYLE}</style>\n</head>\n<body>\n"
            '<button id="theme" type="button" hidden>light / dark</button>\n<h1>Sweep</h1>\n'
            '<section><h2>Points</h2>\n<p class="about">Estimated clocks, and '
            "those of the RTL where they were measured.</p>\n<table>\n"
            f"<tr>{_cells('th', *_HEADER)}</tr>\n{rows}</table>\n</section>\n"
            f"<section><h2>Frames a second</h2>\n{bars}</section>\n{_plots(points)}<script>\n"
            f"{script}</script>\n</body>\n</html>\n")
