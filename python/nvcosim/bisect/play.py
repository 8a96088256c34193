"""Builds and plays one revision of an RTL. Its simulator is named by what it is built from and kept
beside the others (nvcosim-CONFIG-bisect_HASH), so that no revision is built twice."""
import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import time
import types

from nvcosim import tool
from nvcosim.engine.guard import Guard
from nvcosim.plan.seeds import fnv
from nvcosim.progress import Progress
from nvcosim.rtl import filelist
from nvcosim.store.results import Result
from nvcosim.store.signature import signature
from nvcosim.text import shown

KEPT = 32  # simulators: as many as a search among four thousand million commits looks at
SHORT_HASH = 10  # letters of a hash in messages
_LINE_SHOWN = 200  # columns of a line of a log


Given = types.SimpleNamespace  # the options: trace, config, and build and run as words


@dataclasses.dataclass
class Look:
    """A revision that was looked at. state: "good", "bad", "otherwise" (it fails in another way
    than bad), "skip". text: for the user: "FAIL value:SDP", "it does not build: ..."."""
    state: str = "skip"
    text: str = ""
    signature: str | None = None
    cached: bool = False
    build_seconds: float = 0
    run_seconds: float = 0


class Skip(Exception):
    """Why a revision cannot be judged."""


class Git:
    """git in a folder."""
    # Variables of the caller name another repository; hooks belong to the user's work.
    COMMAND = ("env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "LC_ALL=C",
               "GIT_TERMINAL_PROMPT=0", "git", "-c", "core.hooksPath=/dev/null", "-c",
               "advice.detachedHead=false", "-C")

    def __init__(self, folder: str, guard: Guard) -> None:
        self.folder, self.guard = folder, guard

    def ask(self, *words: str) -> tuple[int, str]:
        """Its status, and what it prints without the last line end."""
        status, said = self.guard.ask([*self.COMMAND, self.folder, *words])
        return status, said.rstrip("\n")

    def well(self, *words: str) -> str:
        """The same where git has to succeed."""
        status, said = self.ask(*words)
        if status:
            raise tool.Failure(f"git {words[0]}: {said}")
        return said


class Player:
    """folder: temporary, for what is built from. tree: the checkout in it."""

    def __init__(self, given: Given, guard: Guard, folder: str) -> None:
        self.given, self.guard, self.folder = given, guard, folder
        self.tree = f"{folder}/tree"
        self.git = Git(self.tree, guard)

    # ---- the simulator of a revision ----

    def _name(self) -> str:
        """The name that the RTL of the checkout has for nvcosim: what it is built from decides it,
        so that the same is built once."""
        given, program = self.given, os.stat(tool.program())
        lines = [self.git.well("rev-parse", "HEAD^{tree}"), given.config,
                 given.filelist or given.vmod, given.prepare,
                 f"{program.st_size} {int(program.st_mtime)}", *given.build]
        return f"bisect_{fnv(''.join(line + chr(10) for line in lines)):016x}"

    def _run(self, words: list[str], log: str, doing: str) -> int:
        """Runs a program, its output into a file; returns its status."""
        progress = Progress()
        with open(log, "ab") as file:
            status, _ = self.guard.ask(words, stdout=file, stderr=file, tick=lambda: progress.show(
                f"{doing}: {progress.seconds:.0f} s"))
        progress.clear()
        return status

    def _shell(self, command: str, log: str, doing: str) -> int:
        """Runs a command of the shell in the checkout."""
        return self._run(["sh", "-c", 'cd "$1" && eval "$2"', "sh", self.tree, command], log, doing)

    def is_foreign(self) -> bool:
        """The RTL of the checkout is not known inside; what --prepare makes counts as such."""
        name = self.given.filelist or self.given.vmod
        path = pathlib.Path(self.tree, name)
        if not path.exists():
            return True
        if self.given.filelist:
            return filelist.is_foreign(str(path))
        return bool(name) and not any(path.rglob("nvdla_csc_sequence.sv"))

    def _source(self, log: str, doing: str) -> str:
        """The RTL of the checkout as an option of nvcosim build."""
        name = self.given.filelist or self.given.vmod or "rtl/nvdla.f"
        if not os.access(f"{self.tree}/{name}", os.R_OK):
            raise Skip(f"it has no {name}")
        if self.given.vmod:
            return f"--vmod={self.tree}/{name}"
        if self.given.filelist:
            return f"--filelist={self.tree}/{name}"
        # This project's RTL: a package that its own tables give comes before its list.
        command = f"/usr/bin/python3 scripts/gen_tables.py sv ../gen {self.given.config}"
        if self._shell(command, log, doing):
            raise Skip("its scripts/gen_tables.py makes no package")
        with open(f"{self.folder}/list.f", "w", encoding="ascii") as file:
            file.write("gen/nvdla_pkg.sv\n-F tree/rtl/nvdla.f\n")
        return f"--filelist={file.name}"

    def _build(self, name: str, ready: str, log: str, doing: str) -> None:
        """Builds the simulator of the checkout. Skip: what is wrong."""
        given = self.given
        if given.prepare and self._shell(given.prepare, log, doing):
            raise Skip("--prepare fails on it")
        words = [tool.program(), "build", f"--config={given.config}",
                 self._source(log, doing), f"--name={name}", *given.build]
        if given.vmod and "--profile" not in given.build:
            words.append("--no-profile")
        status = self._run(words, log, doing)
        objects = f"{ready}/sim/nvcosim-{given.config}-{name}"  # the simulator stays
        shutil.rmtree(objects, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.unlink(f"{objects}.lock")
        trim_cache(ready, KEPT)
        if status:
            raise Skip("it does not build")

    # ---- one revision ----

    def _play(self, name: str, revision: str, log: str) -> Result:
        given, folder = self.given, f"{self.given.out}/{revision:.12}"
        results = f"{folder}.json"
        pathlib.Path(results).unlink(missing_ok=True)
        status = self._run(
            [tool.program(), "run", *given.run, f"--config={given.config}", f"--dut=rtl:{name}",
             f"--out={folder}", "--only-failed", f"--results={results}", "--", given.trace], log,
            f"playing {revision:.{SHORT_HASH}}")
        with contextlib.suppress(OSError):
            text = pathlib.Path(results).read_text(encoding="utf-8", errors="surrogateescape")
            result = Result.from_json(text)
            if result:
                return result
        raise Skip(f"it gives no result (status {status})")

    def look_at(self, revision: str, wanted: str | None) -> Look:
        """Builds and plays what the checkout holds. wanted: signature of the failure that is bad,
        None: any."""
        name, look = self._name(), Look()
        path = tool.run_json("simulators", "--known", f"--config={self.given.config}",
                             f"--name={name}")["path"]
        logs = [f"{self.given.out}/{revision:.12}.{what}.log" for what in ("build", "run")]
        for log in logs:
            pathlib.Path(log).unlink(missing_ok=True)
        look.cached, start, log = os.access(path, os.X_OK), time.monotonic(), logs[0]
        try:
            if look.cached:
                os.utime(path)
            else:
                self._build(name, os.path.dirname(path), log,
                            f"building {revision:.{SHORT_HASH}}")
            look.build_seconds, start, log = time.monotonic() - start, time.monotonic(), logs[1]
            judge(self._play(name, revision, log), wanted, look)
        except Skip as why:
            look.text = _why_skipped(str(why), log)
        if log == logs[1]:
            look.run_seconds = time.monotonic() - start
        lists = f"{os.path.dirname(path)}/nvidia/{self.given.config}-{name}"
        shutil.rmtree(lists, ignore_errors=True)
        return look


def judge(result: Result, wanted: str | None, look: Look) -> None:
    """Sets state, signature and text by a result."""
    look.signature = signature(result)
    look.text = " ".join(filter(None, (result.verdict, look.signature)))
    if result.verdict == "PASS":
        look.state = "good"
    elif result.verdict == "ERROR":
        look.text = f"it cannot be played: {result.reason}"
    else:
        look.state = "bad" if wanted in (None, look.signature) else "otherwise"


def _why_skipped(message: str, log: str) -> str:
    """The message, the line of the log that says most, and where that is."""
    last = ""
    with contextlib.suppress(OSError), \
            open(log, encoding="utf-8", errors="surrogateescape") as file:
        for line in map(str.rstrip, file):
            last = line or last
            if line.startswith("%Error") or re.search("[eE]rror: ", line):
                break  # the first error of a tool; else the last line
    said = shown(last)[:_LINE_SHOWN]
    return f"{message}: {said} ({log})" if said else f"{message} ({log})"


def trim_cache(folder: str, most: int) -> None:
    """Removes the simulators of bisections that were used longest ago, with all their files, until
    `most` remain. What cannot be removed stays."""
    found = pathlib.Path(folder).glob("nvcosim-*-bisect_" + "[0-9a-f]" * 16)
    with contextlib.suppress(OSError):
        for old in sorted(found, key=lambda path: -path.lstat().st_mtime_ns)[most:]:
            for path in pathlib.Path(folder).glob(f"*-{old.name.rpartition('-')[2]}*"):
                path.unlink()
