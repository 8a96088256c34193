"""Runs Verilator on the RTL of others, and says in sentences what is wrong with it.

usage: python3 -m nvcosim.rtl.verilate CONFIG TOP LIST LOG VERILATOR-WORD...
LOG gets the errors; stdout lines that begin with "warning:". Verilator may use the memory that is
free. Exit status: 0, 1."""
import collections
import contextlib
import dataclasses
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import typing

from nvcosim.rtl import filelist, tree
from nvcosim.rtl.ports import Ports
from nvcosim.text import plural
from nvcosim.tool import Failure

WANTED = ("-Wwarn-WIDTH", "-Wwarn-PINMISSING", "-Wwarn-MODDUP")
_OWN = "tb/nvidia/"  # modules that replace those of the RTL
_RULE = re.compile(r"%Warning-([A-Z]+): ")
_PLACE = re.compile(r"([^\s:]+):(\d+):\d+: ")
_NO_MODULE = re.compile(r"Cannot find file containing module: '?([^\s']+)'?")
_NO_HEADER = re.compile(r"Cannot find include file: ['\"]?([^\s'\"]+)")
# RTL of these has the same ports, and the same CFGROM: their CBUFs differ.
_CBUF = {"small": "nv_ram_rws_256x64.v", "small_256": "nv_ram_rws_128x64.v"}
_GRACE = 2  # seconds until Verilator ends after the first wrong port: more come at once


@dataclasses.dataclass
class Memory:
    """Bytes that a process can have; limited: by its own limit, not by the machine."""
    size: int
    limited: bool


def free_memory() -> Memory:
    """What a process can have without taking the machine down."""
    with open("/proc/meminfo", encoding="ascii") as table:
        sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in table}
    free = sizes["MemAvailable:"] + sizes["SwapFree:"]
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    limited = limit != resource.RLIM_INFINITY and limit < free
    return Memory(limit if limited else free, limited)


class Log:
    """What Verilator prints: errors as they are, warnings counted, its words about ports and
    modules taken apart."""

    def __init__(self, ports: Ports, list_name: str) -> None:
        self.ports = ports
        self.list = list_name
        self.errors: list[str] = []
        self.headers: dict[str, str] = {}  # those that are missing: a sentence for each
        self.counts: collections.Counter[str] = collections.Counter()
        self.twice: list[tuple[str, str, str]] = []  # module, the place that is not used, the used
        self.exhausted = False  # no more memory
        self._block = ""  # what the lines below belong to: error, MODDUP, or ""

    def take(self, line: str) -> None:
        """Takes a line."""
        self.exhausted |= "bad_alloc" in line or "Out of memory" in line
        if line.startswith("%"):
            self._begin(line)
        elif self._block == "error":
            self.errors.append(line)
        elif self._block == "MODDUP" and "original declaration" in line:
            module, unused, _ = self.twice.pop()
            self.twice.append((module, unused, _place(line)))

    def _begin(self, line: str) -> None:
        rule = _RULE.match(line)
        absent, header = _NO_MODULE.search(line), _NO_HEADER.search(line)
        self._block = ""
        if self.ports.take(line):
            return
        if rule and rule[1] == "MODDUP":
            self._block = "MODDUP"
            self.twice.append((line.rpartition("'")[0].rpartition("'")[2], _place(line), ""))
        elif rule:
            self.counts[rule[1]] += rule[1] not in ("WIDTH", "WIDTHEXPAND", "WIDTHTRUNC",
                                                    "PINMISSING")
        elif absent:
            self.errors.append(self._absent(line, absent[1]))
        elif header:
            self.headers.setdefault(header[1], f"{_place(line)}: there is no header {header[1]}; "
                                    f"{self._names(line)} names that file; +incdir+DIR, or a tree "
                                    "with this header, is needed")
        elif "This may be because there's no search path" not in line and \
                not line.startswith("%Error: Exiting due to"):
            self._block = "error"
            self.errors.append(line)

    def _absent(self, line: str, name: str) -> str:
        """The sentence for a file or module that does not exist."""
        entries = list(filelist.read(self.list)) if self.list else []
        if "/" in name or name.endswith((".v", ".sv")):
            place = next((e.place for e in entries if e.path.endswith(name)), self.list)
            return f"{place}: {name}: no such file"
        needs = _place(line)
        if name == self.ports.top:
            tops = tree.uppermost(_read(entry.path) for entry in entries)
            which = f" (no other module uses {', '.join(tops[:4])})" if tops else ""
            return (f"{self.list}: none of its files has the top module {name}; name it by --top"
                    + which)
        folders = len({os.path.dirname(e.path) for e in entries if e.kind == "-y"})
        where = f"looked for {name}.v, {name}.sv and such in {plural(folders, 'folder')} of the " \
                "list (-y)" if folders else "no file of the list has it"
        return f"{needs}: there is no module {name}; {self._names(line)} names that file; {where}"

    def _names(self, line: str) -> str:
        """The place in the lists that names the file of a message."""
        entries = filelist.read(self.list) if self.list else []
        place = _place(line)
        return next((e.place for e in entries if place.startswith(e.path + ":")), self.list)

    def warnings(self) -> typing.Iterator[str]:
        """Modules that are there twice, in other words; ports that are doubtful."""
        for module, unused, used in self.twice:
            own = used.startswith(_OWN) or unused.startswith(_OWN)
            if not own and _text(used, module) != _text(unused, module):
                yield f"module {module}: {used} is used, {unused} is not"
        if (self.ports.unused or self.ports.widths) and self.list:
            texts = (_read(entry.path) for entry in filelist.read(self.list))
            top = next((t for t in texts if re.search(rf"\bmodule\s+{self.ports.top}\b", t)), "")
            yield from self.ports.doubtful(top)

    def counted(self) -> str:
        """The other warnings in one line; "" if there are none."""
        rules = [plural(n, f"{rule} warning") for rule, n in self.counts.most_common() if n]
        return f"not shown: {', '.join(rules)}" if rules else ""


def _place(line: str) -> str:
    found = _PLACE.search(line)
    return f"{found[1]}:{found[2]}" if found else ""


def _read(path: str) -> str:
    try:
        with open(path, encoding="latin-1") as file:
            return file.read()
    except OSError:
        return ""


def _text(place: str, module: str) -> list[bytes]:
    """The words of a module at FILE:LINE."""
    text = _read(place.rpartition(":")[0])
    return tree.module_text(text.encode("latin-1"), module.encode())


def run(log: Log, words: list[str]) -> int:
    """Runs Verilator; returns its status. It ends early if the ports are wrong, and where the
    memory ends."""
    limit = free_memory().size

    def confine() -> None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))

    timer = None
    with subprocess.Popen(["verilator", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace", preexec_fn=confine) as verilator:
        assert verilator.stdout
        for line in verilator.stdout:
            log.take(line.rstrip("\n"))
            if timer is None and log.ports.widths and log.ports.wrong():  # it knows widths last
                timer = threading.Timer(_GRACE, _end, [verilator.pid])
                timer.start()
    if timer:
        timer.cancel()
    if log.exhausted:
        log.errors = [f"Verilator needs more than {limit / 1e9:.1f} GB of memory, which is all "
                      "that is free; build on a machine with more, or end what else runs"]
    return verilator.returncode


def other_configuration(config: str, read_files: str) -> list[str]:
    """A warning if the CBUF is that of another configuration; read_files: Verilator's list."""
    found = [name for name, ram in _CBUF.items() if f'/{ram}"' in read_files]
    if config not in _CBUF or not found or config in found:
        return []
    return [f"the CBUF of this RTL is that of {found[0]} ({_CBUF[found[0]]}), not of {config}: "
            f"build it with --config {found[0]}"]


def _end(wrapper: int) -> None:
    """Ends Verilator, which is a child of its wrapper."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended by itself
        with open(f"/proc/{wrapper}/task/{wrapper}/children", encoding="ascii") as children:
            for child in children.read().split():
                os.kill(int(child), signal.SIGTERM)


def main(argv: list[str]) -> int:
    """Runs Verilator as the words say; returns the exit status."""
    config, top, list_name, log_name, *words = argv
    log = Log(Ports(top, config), list_name)
    try:
        status = run(log, [*words, *WANTED])
        wrong = log.ports.wrong()
        errors = wrong or [*log.headers.values()] or log.errors
        errors = errors or [f"verilator ended with status {status}"] * bool(status)
        warnings = [] if wrong else list(log.warnings())
        if not status and "--Mdir" in words:
            folder = words[words.index("--Mdir") + 1]
            warnings += other_configuration(config, _read(f"{folder}/Vtb_top__verFiles.dat"))
    except Failure as failure:
        status, errors, warnings = 1, [str(failure)], []
    with open(log_name, "w", encoding="utf-8") as file:
        for line in filter(None, [*errors, *warnings, log.counted()]):
            print(line, file=file)
    for warning in warnings:
        print(f"warning: {warning}")
    return 1 if status or wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
