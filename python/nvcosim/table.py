"""Tables of text on a terminal: columns as wide as their cells, cut or left out to fit."""
import dataclasses
import typing

from nvcosim.text import Style, shown

GAP, NOTE_INDENT = 2, 4
COLOURS = {"good": "\033[32m", "bad": "\033[31m", "odd": "\033[33m", "dim": "\033[2m",
           "bold": "\033[1m"}
Cell = tuple[str, str]  # text and the name of its colour


def coloured(style: Style, text: str, colour: str) -> str:
    """The text between the escapes of a colour, if the terminal has them."""
    return f"{COLOURS[colour]}{text}\033[0m" if colour and style.colour else text


def cut(style: Style, text: str, width: int) -> str:
    """The text in at most so many columns (0: all of it), cut with an ellipsis."""
    if not width or len(text) <= width:
        return text
    return text[:width - 1] + ("\u2026" if style.utf8 else ">")


@dataclasses.dataclass
class Column:
    """least: it may be cut to that many columns of the terminal, 0: never. spare: 0: it always
    stays; else it is left out if all its cells are empty, and if cutting does not suffice those
    with the greatest spare go first."""
    name: str
    right: bool = False
    least: int = 0
    spare: int = 0
    width: int = 0  # 0: it is left out


class Table:
    """Rows that are printed together. Rows that are printed later have the widths of the first
    ones, and no names above them."""

    def __init__(self, style: Style, columns: typing.Iterable[Column]) -> None:
        self.style = style
        self.columns = list(columns)
        self.rows: list[tuple[list[Cell], str]] = []
        self.printed = False

    def add(self, *cells: "str | Cell", note: str = "") -> None:
        """Adds a row: for each column a text, or a text and a colour. note: a line below it."""
        self.rows.append(([(shown(cell), "") if isinstance(cell, str) else (shown(cell[0]), cell[1])
                           for cell in cells], shown(note)))

    # ---- widths ----

    def _measure(self) -> None:
        for index, column in enumerate(self.columns):
            column.width = max((len(cells[index][0]) for cells, _ in self.rows
                                if index < len(cells)), default=0)
            if column.width or not column.spare:
                column.width = max(column.width, len(shown(column.name)))

    def _total(self) -> int:
        return sum(column.width + GAP for column in self.columns if column.width) - GAP

    def _fit(self) -> None:
        """Cuts the widest columns, then leaves columns out, then lets those that stay have the
        room."""
        room, wanted = self.style.width, [column.width for column in self.columns]
        while 0 < room < self._total():
            wide = max((c for c in self.columns if c.least and c.width > c.least),
                       key=lambda c: c.width, default=None)
            spare = max((c for c in self.columns if c.spare and c.width),
                        key=lambda c: c.spare, default=None)
            if wide:
                wide.width -= 1
            elif spare:
                spare.width = 0
            else:
                break
        grown = room > 0
        while grown:
            grown = False
            for column, width in zip(self.columns, wanted):
                if 0 < column.width < width and self._total() < room:
                    column.width += 1
                    grown = True

    # ---- printing ----

    def _line(self, cells: list[Cell]) -> str:
        visible = [(c, *cell) for c, cell in zip(self.columns, cells) if c.width]
        while visible and not visible[-1][1]:
            visible.pop()
        pieces = []
        for place, (column, text, colour) in enumerate(visible):
            blank = " " * (column.width - len(text))
            piece = cut(self.style, text, column.width)
            piece = coloured(self.style, piece, colour if text else "")
            last = place + 1 == len(visible)
            pieces.append(blank + piece if column.right else piece if last else piece + blank)
        return (" " * GAP).join(pieces)

    def print(self) -> None:
        """Prints names and rows and forgets the rows."""
        style, lines = self.style, []
        if not self.printed:
            self._measure()
            self._fit()
            lines.append(self._line([(shown(column.name), "dim") for column in self.columns]))
        for cells, note in self.rows:
            lines.append(self._line(cells))
            if note:
                note = cut(style, note, max(style.width - NOTE_INDENT, 0))
                lines.append(" " * NOTE_INDENT + coloured(style, note, "dim"))
        style.out.write("".join(f"{line}\n" for line in lines))
        self.printed = True
        self.rows = []
