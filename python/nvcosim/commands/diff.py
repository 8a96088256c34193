"""nvcosim diff: compares two memory images by byte or by cube element, two recorded element streams
or folders of them, or the programming of two traces or captures."""
import json
import os
import subprocess
import sys
import types
import typing

from nvcosim import configurations, files
from nvcosim.compare import images, programming
from nvcosim.compare.images import Cube
from nvcosim.compare.program import Program
from nvcosim.options import Kind, Parser, Wrong, text
from nvcosim.regmap.lookup import number
from nvcosim.text import plural
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_DIFFERENT, EXIT_OK, Failure, program

DOC = ("Compares two memory images (raw or gzip): prints the first difference and the number of "
       "bytes that differ. Also compares two element streams recorded by run --tap (NAME.tap), or "
       "two folders of them: prints the first element that differs. Of two traces, or two captures "
       "of a driver, it compares the programming, launch by launch.")
AFTER = """\
CUBE is a list of KEY=VALUE with commas between:
  base=A          address of the cube (default: that of --base)
  w=W,h=H,c=C     width, height and channels
  line=L,surf=S   strides of lines and surfaces, in bytes
  atom=N          bytes of an atom
  bytes=1|2       bytes of an element (default 1)
  batches=N       number of cubes (default 1)
  batch=B         bytes from one cube to the next

Traces (.nvt, .cfg, .txn) and captures (.log, .txt, .csv, .vcd, .fst, or any with --from): every \
register of every launch, by name and field, tables, and the memory that launches read. Polls, \
waits, groups and the order of units do not count. Addresses that differ, and registers without \
effect in their launch, are named but are no difference.

Examples:
  nvcosim diff mine.nvt.gz theirs.nvt.gz
  nvcosim diff --config small boot1.log boot2.log
  nvcosim diff rtl.bin.gz model.bin.gz
  nvcosim diff --base 0x80010000 a.bin b.bin
  nvcosim diff nvcosim-out/TRACE/taps/rtl nvcosim-out/TRACE/taps/model
  nvcosim diff --cube w=8,h=8,c=32,line=64,surf=512,atom=8 a.bin b.bin

Exit status: 0 equal, 1 different, 2 bad input or usage."""
_OPERANDS = "two images, streams or folders"
_TRACES = (".cfg", ".txn", ".txn.raw", ".nvt")
_CAPTURES = (".log", ".txt", ".csv", ".vcd", ".fst")
_SOURCE = ("config", "base", "from", "columns", "separator", "scope", "clock", "dialect")
_WORD = 0xffffffffffffffff
# Keys of --cube: the member of Cube, the largest value, the default.
_CUBE = {"base": ("base", _WORD, None), "w": ("width", 1 << 16, None),
         "h": ("height", 1 << 16, None), "c": ("channels", 1 << 16, None),
         "line": ("line", 0xffffffff, None), "surf": ("surface", 0xffffffff, None),
         "atom": ("atom", 1024, None), "bytes": ("element", 2, 1), "batches": ("batches", 32, 1),
         "batch": ("batch", 0xffffffff, 0)}


def _cube(given: str) -> dict[str, int]:
    """Members of a Cube; base only if it is given."""
    values = {member: value for member, _, value in _CUBE.values() if value is not None}
    for word in given.removesuffix(",").split(",") if given else []:
        key, _, value = word.partition("=")
        if key not in _CUBE:
            raise Wrong(f"found '{word}', expected base=, w=, h=, c=, line=, surf=, atom=, bytes=, "
                        "batches= or batch=")
        member, most, _ = _CUBE[key]
        found = number(value)
        if found is None or found > most:
            raise Wrong(f"{key}: found '{value}', expected a number up to {most:#x}")
        values[member] = found
    for key, (member, _, _) in _CUBE.items():
        if member not in values and key != "base":
            raise Wrong(f"{key}= is missing")
    if not all(values[member] for member in ("width", "height", "channels", "atom", "element",
                                             "batches")):
        raise Wrong("w, h, c, atom, bytes and batches are at least 1")
    return values


def _address(given: str) -> int:
    value = number(given)
    if value is None or value > _WORD:
        raise Wrong(f"found '{given}', expected an address")
    return value


def _parser() -> Parser:
    parser = Parser("diff", "A B", doc=DOC, after=AFTER)

    def add(name: str, arg: str, help_text: str, kind: Kind = str) -> None:
        parser.add(name, arg=arg, help=help_text, kind=kind)
    add("config", "NAME", "NVDLA configuration (default: small for .cfg, full for .txn, the "
        "header's for .nvt); an unknown NAME lists them", configurations.named)
    add("base", "ADDR", "Address of the first byte of both images (default 0, or the cube's base); "
        "of the registers in captures", _address)
    add("cube", "CUBE", "Compare only the bytes of a feature cube, and name the elements; see "
        "below", _cube)
    add("from", "FORMAT", "Format of two captures, as for nvcosim import (default: by their "
        "content)", text("the name of a format"))
    add("columns", "LIST", "Columns of CSV captures")
    add("separator", "CHAR", "Separator of CSV captures")
    add("scope", "NAME", "Module with NVDLA's ports in wave dumps")
    add("clock", "NAME", "Its clock")
    add("dialect", "NAME", "Dialect of .txn captures")
    return parser


def _ends(path: str, suffixes: typing.Sequence[str]) -> bool:
    return path.removesuffix(".gz").endswith(tuple(suffixes)) or path.endswith(tuple(suffixes))


# ---- images


def _diff_images(given: types.SimpleNamespace, paths: list[str]) -> int:
    base = given.base or 0
    cube = None
    if given.cube:
        if given.base is None:
            base = given.cube.get("base", 0)
        cube = Cube(**{"base": base, **given.cube})
    contents = [files.read(path) for path in paths]
    sizes = [plural(len(content), "byte") for content in contents]
    status = EXIT_OK
    if len(contents[0]) != len(contents[1]):
        print(f"the sizes differ: {paths[0]} has {sizes[0]}, {paths[1]} has {sizes[1]}")
        status = EXIT_DIFFERENT
    if cube and (cube.base < base or cube.base + cube.extent - base > min(map(len, contents))):
        raise Failure(f"the cube, 0x{cube.base:x} to 0x{cube.base + cube.extent:x}, does not lie "
                      "inside both images")
    if images.compare(paths, contents, base, cube):
        return EXIT_DIFFERENT
    if status == EXIT_OK:
        print("equal")
    return status


# ---- streams


def _diff_streams(paths: list[str]) -> int:
    sys.stdout.flush()
    return subprocess.run([program(), "streams", "--", *paths], check=False).returncode


# ---- programs


def _read_program(given: types.SimpleNamespace, path: str) -> Program | None:
    """None with a message that is printed."""
    words = [program(), "programming"]
    words += [f"--{name}={value}" for name in _SOURCE
              if (value := getattr(given, name)) is not None]
    words += [] if given.__dict__["from"] is None and _ends(path, _TRACES) else ["--capture"]
    done = subprocess.run([*words, "--", path], stdout=subprocess.PIPE, check=False)
    return None if done.returncode else Program.of(json.loads(done.stdout))


def _diff_programs(given: types.SimpleNamespace, paths: list[str]) -> int:
    programs = []
    for path in paths:
        found = _read_program(given, path)
        if found is None:
            return EXIT_BAD_INPUT
        programs.append(found)
    return EXIT_DIFFERENT if programming.compare(programs) else EXIT_OK


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    paths = given.words
    if len(paths) > 2:
        parser.error(f"found '{paths[2]}', expected {_OPERANDS}")
    if len(paths) < 2:
        parser.error(f"expected {_OPERANDS} to compare")
    if all(map(os.path.isdir, paths)):
        return _diff_streams(paths)
    if not given.cube and all(given.__dict__["from"] is not None or _ends(path, _TRACES + _CAPTURES)
                              for path in paths):
        return _diff_programs(given, paths)
    if all(len(path) > 4 and path.endswith(".tap") for path in paths):
        return _diff_streams(paths)
    return _diff_images(given, paths)
