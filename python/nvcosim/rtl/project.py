"""The configuration of a tree that NVIDIA's generator made: spec/defs/project.vh, beside its vmod,
has the values of the .spec."""
import functools
import pathlib
import re
import tempfile

from nvcosim import configurations, tool
from nvcosim.tool import Failure

_VALUE = re.compile(r"^`define NVDLA_(\w+?)(?: (\d+))?$", re.MULTILINE)
_LINE = re.compile(r"^#define (\w+)_(\d+|x|ENABLE|DISABLE)$", re.MULTILINE)


def header(vmod: pathlib.Path) -> pathlib.Path:
    """The file with the values of a tree, if it was generated."""
    return vmod.parent / "spec/defs/project.vh"


@functools.cache
def configuration(vmod: pathlib.Path) -> str:
    """The name of the configuration that has the values of a tree; "" if the tree does not say
    them. Failure: there is no such configuration."""
    try:
        text = header(vmod).read_text(encoding="latin-1")
    except OSError:
        return ""
    values = dict(_VALUE.findall(text))

    def line(words: re.Match[str]) -> str:
        name, value = words[1], words[2]
        if value in ("ENABLE", "DISABLE"):
            value = "ENABLE" if f"{name}_ENABLE" in values else "DISABLE"
        return f"#define {name}_{values.get(name, value)}"

    with tempfile.TemporaryDirectory() as folder:
        spec = pathlib.Path(folder, "tree.spec")
        spec.write_text(_LINE.sub(line, tool.run("info", "--config", "small", "--spec")),
                        encoding="ascii")
        try:
            return str(configurations.read(str(spec))["name"])
        except Failure as failure:
            raise Failure(f"{header(vmod)}: {failure}") from None
