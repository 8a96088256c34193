"""The labels of a set of pictures: a text file with a line "FILE LABEL" for each picture."""
import dataclasses
import re

from nvcosim.options import Wrong, number
from nvcosim.store.results import Result
from nvcosim.text import shown
from nvcosim.tool import EXIT_OK, Failure

_BLANKS = " \t\r"


@dataclasses.dataclass
class Picture:
    """file: as in the file of labels, without "./"; line: there, from 1. label: class, from 0.
    top: the greatest classes, of equals the first. rank: classes before that of the label. missing,
    damaged: why it was not computed. trace, result: on the RTL, of the sample."""
    file: str
    label: int
    line: int
    top: list[int] = dataclasses.field(default_factory=list)
    rank: int = 0
    missing: str = ""
    damaged: str = ""
    trace: str = ""
    result: Result | None = None

    @property
    def plays_well(self) -> bool:
        return self.result is not None and self.result.status == EXIT_OK


def read_lines(path: str, option: str) -> list[str]:
    """Of a text file, without the blanks around them."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return [line.strip(_BLANKS + "\n") for line in file]
    except OSError as error:
        raise Failure(f"{option}: {path}: cannot open: {error.strerror}") from None


def _unquoted(text: str) -> str:
    found = re.fullmatch('"(.*)"', text, re.S)
    return found[1] if found else text


def divide(line: str) -> tuple[str, str] | None:
    """FILE and LABEL of a line; None: one is missing. The last comma, blank or tab separates them;
    either may be in double quotes, in which a label may have blanks and commas."""
    quoted = len(line) > 1 and line.endswith('"')
    cut = line.rfind('"', 0, -1) - 1 if quoted else max(map(line.rfind, "," + _BLANKS))
    if cut <= 0 or line[cut] not in "," + _BLANKS:
        return None
    label = _unquoted(line[cut + 1:].strip(_BLANKS))
    file = _unquoted(line[:cut].strip(_BLANKS).removesuffix(",").strip(_BLANKS)).removeprefix("./")
    return (file, label) if file and label else None


def _class(label: str, classes: list[str], count: int) -> int | None:
    if label in classes[:count]:
        return classes.index(label)
    try:
        return int(number(0, count - 1)(label))
    except Wrong:
        return None


def read(path: str, classes: list[str], count: int) -> list[Picture]:
    """Reads a file of labels for so many classes. LABEL is the number of a class, or its name in
    `classes`. Empty lines are skipped, and so is a first line "file,label". Failure names file and
    line: no label, an unknown class, a file that is named twice."""
    found: dict[str, Picture] = {}
    for at, line in enumerate(read_lines(path, "--labels"), 1):
        if not line:
            continue
        parts = divide(line)
        if not parts:
            raise Failure(f"{path}:{at}: found '{shown(line)}', expected FILE LABEL or FILE,LABEL")
        file, label = parts
        if at == 1 and (file.lower(), label.lower()) == ("file", "label"):
            continue
        number_of = _class(label, classes, count)
        if number_of is None:
            names = ", or a name in the file of --classes" if classes else \
                "; names need --classes"
            raise Failure(f"{path}:{at}: found the label '{shown(label)}', expected a class from 0 "
                          f"to {count - 1}{names}")
        if file in found:
            raise Failure(f"{path}:{at}: found {shown(file)}, which line {found[file].line} names; "
                          "expected one line for each picture")
        found[file] = Picture(file, number_of, at)
    if not found:
        raise Failure(f"{path}: found no label, expected lines FILE LABEL")
    return list(found.values())
