"""Options of commands that build an RTL: rows for options.Parser."""
import re
import typing

from nvcosim import configurations
from nvcosim.options import Kind, Wrong

Row: typing.TypeAlias = dict[str, typing.Any]


def like(pattern: str, wrong: str) -> Kind:
    """A text that the pattern fits. wrong: the message, with the text in it."""
    def take(given: str) -> str:
        if not re.fullmatch(pattern, given):
            raise Wrong(wrong.format(given))
        return given
    return take


NAME = like("(?!(waves|taps|coverage|toggle|checks)$)[a-z0-9_]{1,31}",
            "found '{}', expected a-z, 0-9 and _, less than 32 characters, not the name of a "
            "variant")
CONFIG: Row = {"arg": "NAME", "kind": configurations.named, "default": "small",
               "help": "NVDLA configuration (default small); an unknown NAME lists them"}
FILELIST: Row = {"arg": "FILE.f",
                 "help": "Sources to compile, +incdir+DIR, -v FILE, +define+NAME, in the format of "
                         "Verilator's -f; paths are relative to the file"}
TOP: Row = {"arg": "MODULE", "help": "Top module (default NV_nvdla)",
            "kind": like("[a-zA-Z0-9_]+", "found '{}', expected the name of a module")}
VERILATOR_OPTION: Row = {
    "arg": "OPTION", "repeat": True,
    "kind": like("[^\n']*", "quotes and line ends are not supported"),
    "help": "Further option for Verilator; may be repeated: --verilator-option=-Wno-WIDTH "
            "--verilator-option=-DSYNTHESIS"}
PIN: Row = {"arg": "NAME=VALUE", "repeat": True,
            "kind": like(r"[^= ,\n'\"$\\]+=[^ ,\n'\"$\\]*", "found '{}', expected NAME=VALUE")}
