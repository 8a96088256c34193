"""The files of a tree of NVDLA's RTL, for `nvcosim build --vmod`.

A tree may be NVIDIA's checkout, a generated vmod anywhere, or a flat folder. So no layout is
assumed: all files are searched for modules and headers, and the list has those that the top module
reaches. What differs between the generations of the RTL is in _GENERATIONS."""
import collections
import contextlib
import dataclasses
import itertools
import os
import pathlib
import re
import typing

from nvcosim import configurations
from nvcosim.rtl import project
from nvcosim.text import plural
from nvcosim.tool import Failure

MANUAL = "(docs/other-rtl.md)"
TOP = "nvdla/top/NV_nvdla.v"
_NVDLA = "NV_nvdla"
_DEFINES = ("NO_PLI_OR_EMU", "NO_PLI", "DESIGNWARE_NOEXIST", "SYNTHESIS", "FPGA")
_SOURCES = (".v", ".sv", ".vlib")
_HEADERS = (".vh", ".svh", ".h")
_SKIPPED = ("plugins", "compile_lint", "outdir")
_SLOW_RAMS = ("rams/model", "rams/synth")  # under Verilator they fail, or compile for hours
_MODULE = re.compile(rb"^[ \t]*module\s+(\w+)", re.MULTILINE)
_INCLUDE = re.compile(rb'^[ \t]*`include\s+"([^"\n]+)"', re.MULTILINE)
_CONDITION = re.compile(rb"^#(?:if|else|endif)", re.MULTILINE)
_SOURCE = re.compile(rb"^#\s*(?:include|define)\b", re.MULTILINE)


@dataclasses.dataclass
class Generation:
    """A branch of NVIDIA's repository: how its RTL is called, and what it needs."""
    branch: str
    words: str
    defines: tuple[str, ...]


_FIFOS = ("NV_FPGA_FIFOGEN",)
_NO_FIFO_GATES = "FIFOGEN_MASTER_CLK_GATING_DISABLED"
_GATED = "/NV_NVDLA_MCIF_WRITE_cq.v"  # the one FIFO that costs more in each clock than its gate
_GENERATIONS = {
    "master": Generation("master", "NVIDIA's RTL of branch master", (*_DEFINES, _NO_FIFO_GATES)),
    "nv_small": Generation("nv_small", "NVIDIA's RTL of branch nv_small (2017, 2018)",
                           (*_DEFINES, "VERILINT", *_FIFOS)),
    "nvdlav1": Generation("nvdlav1", "NVIDIA's RTL of branch nvdlav1 (full)",
                          (*_DEFINES, *_FIFOS, _NO_FIFO_GATES,
                           "VLIB_BYPASS_POWER_CG")),
    "": Generation("", "RTL of no branch of NVIDIA's", _DEFINES),
}


@dataclasses.dataclass
class Request:
    """What `build` was asked for; option is the one that the messages name."""
    option: str
    config: str
    tree: str
    out: pathlib.Path
    rams: str = ""
    top: str = _NVDLA


@dataclasses.dataclass
class FileList:
    """The list, what the tree is, and what the user should know of it."""
    lines: list[str]
    title: str
    branch: str
    warnings: list[str]


class Files:
    """The sources below some folders: which file has a module or a header of a name."""

    def __init__(self, folders: typing.Iterable[pathlib.Path],
                 without: typing.Collection[pathlib.Path] = ()) -> None:
        self.texts: dict[pathlib.Path, bytes] = {}
        self.modules: dict[bytes, list[pathlib.Path]] = {}
        self.headers: dict[str, list[pathlib.Path]] = {}
        for folder in folders:
            for path in _walk(folder):
                if not {*path.parents}.isdisjoint(without):
                    continue
                self.headers.setdefault(path.name, []).append(path)
                if path.suffix in _SOURCES and path not in self.texts:
                    self.texts[path] = path.read_bytes()
                    for module in dict.fromkeys(_MODULE.findall(self.texts[path])):
                        self.modules.setdefault(module, []).append(path)
        for name, paths in self.modules.items():  # stable: folders count in their order, then names
            paths.sort(key=lambda path: (is_slow(path), path.stem != name.decode("latin-1")))

    def reached(self, top: bytes) -> list[pathlib.Path]:
        """The files with the modules that the top needs: all whose name occurs in one that is."""
        found: dict[pathlib.Path, None] = {}
        names, known = [top], {top}
        while names:
            path = self.modules[names.pop()][0]
            if path in found:
                continue
            found[path] = None
            words = set(re.findall(rb"\w+", self.texts[path]))
            new = sorted(words & self.modules.keys() - known, reverse=True)
            known.update(new)
            names += new
        return list(found)

    def twice(self, used: list[pathlib.Path], meant: list[pathlib.Path]) -> list[str]:
        """Warnings of the modules in use that other files have otherwise. Not those of files that
        are in use: Verilator finds them; nor of those in folders that are meant to replace them."""
        pairs: dict[tuple[pathlib.Path, pathlib.Path], list[str]] = {}
        for name, (first, *others) in sorted(self.modules.items()):
            for other in others if first in used and first.parent not in meant else []:
                words = [module_text(self.texts[path], name) for path in (first, other)]
                if other not in used and is_slow(other) == is_slow(first) and words[0] != words[1]:
                    pairs.setdefault((first, other), []).append(name.decode())
        return [f"{plural(len(names), 'module')} {', '.join(names[:3] + ['...'] * bool(names[3:]))}"
                f": {first} is used, {other} is not" for (first, other), names in pairs.items()]

    def include_folders(self, used: list[pathlib.Path]) -> list[pathlib.Path]:
        """Folders of the headers that these files include, and those include in turn."""
        folders: dict[pathlib.Path, None] = {}
        left, seen = [self.texts[path] for path in used], set()
        while left:
            for name in _INCLUDE.findall(left.pop()):
                header = name.decode("latin-1")
                for path in self.headers.get(header.rpartition("/")[2], [])[:1]:
                    if header not in seen and str(path).endswith("/" + header):
                        seen.add(header)
                        folders[pathlib.Path(str(path).removesuffix("/" + header))] = None
                        left.append(path.read_bytes())
        return sorted(folders)


def module_text(text: bytes, name: bytes) -> list[bytes]:
    """The words of a module; empty if the text has no such module."""
    found = re.search(rb"^[ \t]*module\s+" + name + rb"\b.*?^[ \t]*endmodule\b", text,
                      re.MULTILINE | re.DOTALL)
    return found[0].split() if found else []


def uppermost(texts: typing.Iterable[str]) -> list[str]:
    """The modules whose name is nowhere but in their declaration, comments apart."""
    code = "\n".join(re.sub(r"//[^\n]*", "", text) for text in texts)
    counts = collections.Counter(re.findall(r"\w+", code))
    modules = [name.decode("latin-1") for name in _MODULE.findall(code.encode("latin-1"))]
    return [name for name in modules if counts[name] == 1]


def _walk(folder: pathlib.Path) -> typing.Iterator[pathlib.Path]:
    """The sources and headers below a folder, in the order of their names."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        for name in sorted(names):
            if name.endswith(_SOURCES + _HEADERS) and not name.startswith("."):
                yield pathlib.Path(parent, name)


def is_slow(path: pathlib.Path) -> bool:
    """True of RAM models that are not for FPGAs."""
    return any(f"/{folder}/" in str(path) for folder in _SLOW_RAMS)


def find_vmod(request: Request) -> pathlib.Path:
    """The folder of the tree that has the RTL of the configuration. Failure: there is none, or it
    was not generated."""
    checkout = pathlib.Path(os.path.realpath(request.tree))
    if not checkout.is_dir():
        why = "not a folder" if checkout.exists() else "No such file or directory"
        raise Failure(f"{request.option}: {checkout}: {why}; expected a checkout of NVIDIA's "
                      "repository, or a folder with RTL")
    generated = checkout / f"outdir/nv_{request.config}/vmod"
    projects = {top.parents[3].name: top.parents[2]
                for top in sorted(checkout.glob(f"outdir/*/vmod/{TOP}"))}
    fitting = (vmod for vmod in projects.values() if _values(vmod) == request.config)
    for vmod in itertools.chain([generated], fitting, [checkout / "vmod", checkout]):
        if (vmod / TOP).is_file() and not _SOURCE.search((vmod / TOP).read_bytes()):
            return vmod
    tops = _find_tops(checkout, request.top.encode())
    tops = [t for t in tops if _values(t) == request.config] or \
        [t for t in tops if {request.config, "nv_" + request.config} & {*t.parts}] or tops
    if len(tops) == 1:
        return tops[0]
    if tops:
        raise Failure(f"{request.option}: {checkout} has {len(tops)} trees of RTL; expected one of "
                      f"{', '.join(map(str, tops))}")
    others = "; there is RTL of " + ", ".join(projects) if projects else ""
    is_checkout = any((checkout / name).exists() for name in ("tools/bin/tmake", f"vmod/{TOP}"))
    if not (projects or is_checkout or request.option == "--nvidia"):
        raise Failure(f"{request.option}: {_what_instead(checkout, request.top)}; expected a "
                      "checkout of NVIDIA's repository (git clone https://github.com/nvdla/hw), a "
                      f"vmod that was generated in one, or a folder with NVDLA's RTL {MANUAL}")
    absent = f"{generated}/{TOP} does not exist" if request.config in configurations.rows() \
        else f"{checkout}/outdir has no RTL of {request.config}"
    raise Failure(f"{request.option}: {absent}{others}; "
                  + _how_to_generate(request.config, checkout))


def _values(vmod: pathlib.Path) -> str:
    """The configuration with the values that a tree was generated with; "" if none is known."""
    with contextlib.suppress(Failure):
        return project.configuration(vmod)
    return ""


def _check_values(request: Request, vmod: pathlib.Path) -> list[str]:
    """Warnings of a tree whose values no configuration has. Failure if another one has them."""
    try:
        found = project.configuration(vmod)
    except Failure as failure:
        return [str(failure)]
    if found in ("", request.config):
        return []
    raise Failure(f"{request.option}: {vmod} was generated for another configuration than "
                  f"{request.config}; build it with --config {found}")


def _what_instead(folder: pathlib.Path, top: str) -> str:
    """What a folder has that is neither a checkout nor RTL."""
    paths = [path for path in _walk(folder) if path.suffix in _SOURCES]
    if any(_SOURCE.search(path.read_bytes()) for path in paths if path.stem == top):
        return f"{folder} holds the source of RTL that is still to be generated (#include in it)"
    more = ""
    if (folder / ".gitmodules").is_file():
        more = (f", perhaps because its submodules are missing (git -C {folder} submodule update "
                "--init)")
    if not paths:
        return f"{folder} holds no file *.v, *.sv or *.vlib{more}"
    return f"{folder} has {plural(len(paths), 'source')}, but no module {top}{more}"


def _find_rtl(request: Request) -> tuple[pathlib.Path, list[pathlib.Path]]:
    """The folder that the list is made of, and trees to leave out. That is the RTL of the
    configuration if the top is a wrapper beside several."""
    tree = pathlib.Path(os.path.realpath(request.tree))
    tops = _find_tops(tree, _NVDLA.encode()) if request.top != _NVDLA else []
    if not tops:
        return find_vmod(request), []
    vmod = find_vmod(dataclasses.replace(request, top=_NVDLA))
    return vmod, [top for top in tops if top not in (vmod, *vmod.parents)]


def _find_tops(folder: pathlib.Path, top: bytes) -> list[pathlib.Path]:
    """The trees below a folder that have the top module: the vmod, or the folder of its file. Not
    what is still to be generated."""
    trees = set()
    for path in _walk(folder):
        text = path.read_bytes() if path.suffix in _SOURCES else b""
        if top in _MODULE.findall(text) and not _SOURCE.search(text):
            in_vmod = str(path.with_suffix(".v")).endswith("/" + TOP)
            trees.add(path.parents[2] if in_vmod else path.parent)
    return sorted(trees)


def _how_to_generate(config: str, checkout: pathlib.Path) -> str:
    """What to do for the RTL of a configuration."""
    if config == "full":
        return f"full is on branch nvdlav1: git -C {checkout} checkout nvdlav1 {MANUAL}"
    where = f"cd {checkout}" if (checkout / "tools/bin/tmake").exists() else \
        "git clone https://github.com/nvdla/hw && cd hw"
    named = config in configurations.rows()
    spec = "" if named else (f"write its values (nvcosim info --config {config} --spec "
                             f">{checkout}/spec/defs/NAME.spec), ")
    return (f"{spec}generate it on branch master, with a tree.make that names project "
            f"{'nv_' + config if named else 'NAME'}: {where} && ./tools/bin/tmake -build vmod "
            f"{MANUAL}")


def find_rams(request: Request) -> list[pathlib.Path]:
    """The folder of RAM models that was asked for, in a list; empty: those of the tree."""
    if not request.rams:
        return []
    if not os.path.exists(request.rams):
        raise Failure(f"--nvidia-rams: {request.rams}: No such file or directory")
    rams = pathlib.Path(os.path.realpath(request.rams))
    for place in ("", "rams/fpga/model", "vmod/rams/fpga/model"):
        if any((rams / place).glob("*.v")):
            return [rams / place]
    raise Failure(f"--nvidia-rams: {rams} holds no RAM models (*.v); expected the folder "
                  "vmod/rams/fpga/model of a checkout of branch master, or that checkout")


def generation(modules: typing.Container[bytes]) -> Generation:
    """The branch that has a unit of the RTL, by modules that only it has."""
    if b"NV_NVDLA_CFGROM_rom" in modules:
        return _GENERATIONS["master" if b"NV_NVDLA_mcif" in modules else "nv_small"]
    return _GENERATIONS["nvdlav1" if b"NV_NVDLA_partition_o" in modules else ""]


def _check_branch(request: Request, vmod: pathlib.Path, branch: str) -> None:
    """Failure if the configuration is on another branch."""
    if request.config == "full" and branch in ("master", "nv_small"):
        raise Failure(f"{request.option}: {vmod} is RTL of branch {branch}; "
                      + _how_to_generate("full", pathlib.Path(request.tree)))
    if request.config != "full" and branch == "nvdlav1":
        raise Failure(f"{request.option}: {vmod} is RTL of branch nvdlav1, which is full; build it "
                      f"with --config full, or {_how_to_generate(request.config, vmod.parent)}")


def resolve(text: bytes, name: pathlib.Path) -> bytes:
    """Resolves conditional lines (#ifdef NAME ... #else ... #endif) as a C preprocessor does with
    every NAME defined. Failure: lines that are not in pairs."""
    kept, out, number = [True], b"", 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.startswith(b"#"):
            out += line if kept[-1] else b""
        elif line.startswith(b"#ifdef "):
            kept.append(kept[-1])
        elif line.startswith(b"#ifndef "):
            kept.append(False)
        elif line.startswith(b"#else") and len(kept) > 1:
            kept[-1] = kept[-2] and not kept[-1]
        elif line.startswith(b"#endif") and len(kept) > 1:
            kept.pop()
        else:
            kept = []
            break
    if len(kept) != 1:
        raise Failure(f"{name}:{number}: expected #ifdef NAME, #ifndef NAME, #else or "
                      "#endif in pairs")
    return out


def _plain(path: pathlib.Path, text: bytes, out: pathlib.Path) -> pathlib.Path:
    """The file itself, or a copy in OUT/resolved without the conditional lines of a C
    preprocessor."""
    if not _CONDITION.search(text):
        return path
    copy = out / "resolved" / path.name
    write(copy, resolve(text, path))
    return copy


def _let_gates_work(lines: list[str], out: pathlib.Path) -> list[str]:
    """The list with the clock gates of _GATED: macros last from file to file."""
    gates = [out / f"gates_{word}.v" for word in ("on", "off")]
    for path, word in zip(gates, ("undef", "define")):
        write(path, f"`{word} {_NO_FIFO_GATES}\n".encode())
    return [word for line in lines
            for word in ([str(gates[0]), line, str(gates[1])] if line.endswith(_GATED) else [line])]


def write(path: pathlib.Path, data: bytes) -> None:
    """Writes a file, unless it holds that already: a new time would build the simulator again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)


def file_list(request: Request) -> FileList:
    """The list of files for Verilator, and copies in `out` of those that it cannot read."""
    vmod, others = _find_rtl(request)
    rams = find_rams(request)
    files = Files([*rams, vmod])
    top = request.top.encode()
    if top not in files.modules:  # a wrapper, beside the RTL
        files = Files([*rams, vmod, pathlib.Path(os.path.realpath(request.tree))], others)
    if top not in files.modules:
        raise Failure(f"{request.option}: no file below {request.tree} has a module {request.top}")
    branch = generation(files.modules)
    _check_branch(request, vmod, branch.branch)
    warnings = _check_values(request, vmod)
    used = files.reached(top)
    slow = [path for path in used if is_slow(path)]
    if slow:
        raise Failure(f"{request.option}: the RAM models in {slow[0].parent} do not work under "
                      "Verilator; use --nvidia-rams DIR with those of branch master "
                      "(vmod/rams/fpga/model of a checkout)")
    lines = [f"+define+{name}" for name in branch.defines]
    lines += [f"+incdir+{folder}" for folder in files.include_folders(used)]
    lines += [str(_plain(path, files.texts[path], request.out)) for path in used]
    if branch.branch == "master" and request.config == "small":
        lines = _let_gates_work(lines, request.out)
    spaced = next((line for line in lines if re.search(r"\s", line)), None)
    if spaced:
        raise Failure(f"{request.option}: Verilator's file lists take no path with spaces; rename "
                      f"or link {spaced.removeprefix('+incdir+')}")
    title = f"{branch.words}: {plural(len(used), 'file')} below {vmod}"
    return FileList(lines, title, branch.branch, warnings + files.twice(used, rams))
