"""nvcosim bisect: finds the commit of an RTL since which a trace fails. `git bisect` searches in a
checkout of its own in a temporary folder. Each revision that it asks for is built as another RTL in
today's harness, and played (bisect/play.py). A guard (engine/guard.py) ends what runs and removes
the checkout, however this process ends."""
import itertools
import os
import re
import signal
import sys
import tempfile
import types

from nvcosim import tool
from nvcosim.bisect.play import SHORT_HASH, Git, Given, Look, Player
from nvcosim.engine.guard import Guard
from nvcosim.options import RUN_OUTPUT, Parser, text
from nvcosim.rtl import adapter
from nvcosim.text import Style, plural, quoted, shown
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK, Failure

DOC = ("Finds the commit of an RTL that made a trace fail: git bisect over its repository, "
       "building and playing each revision.")
AFTER = """\
It works in its own temporary checkout, which it always removes; yours is not touched. The \
simulator of each tree is kept (build/nvcosim-CONFIG-bisect_*), so that no revision is built \
twice; the 32 most recently used stay for the next call. --bad must fail and --good must pass. A \
revision is skipped if it does not build, or if it fails in another way than --bad (another kind \
of failure or engine: signature in docs/database.md), unless --any-failure is given.
In a repository of nvcosim no --filelist is needed: rtl/ of each revision is built with its own \
register tables.

Examples:
  nvcosim bisect t.cfg --good v1.2 --bad HEAD --repo ../rtl --filelist vmod.f
  nvcosim bisect t.cfg --good HEAD~20 --bad HEAD --filelist out/vmod.f --prepare 'make vmod'
  nvcosim bisect t.cfg --good HEAD~20 --bad HEAD --repo ../hw --vmod vsrc/small
  nvcosim bisect --stall 300 --seed 5 t.nvt.gz --good v1 --bad HEAD --first-parent

Exit status: 0 the commit is found; 1 only skipped ones remain, which are named; 2 bad usage, \
--good fails, --bad passes or one of them cannot be built; 128 + N: ended by signal N."""
_LEFT_OUT = (*RUN_OUTPUT, "dut", "out", "jobs", "result-fd", "progress", "fault")
_TITLE_SHOWN = 60  # columns
_CLEAN = """git -C "$1" worktree remove --force --force "$2/tree"
for i in 1 2 3 4 5; do rm -rf "$2" && break; sleep 0.2; done
git -C "$1" worktree prune
"""
_ENDS = re.compile(r"^# (possible )?first bad commit: \[([0-9a-f]+)\]", re.MULTILINE)
_COLOURS = {"good": "\033[32m", "bad": "\033[31m", "otherwise": "\033[33m", "skip": "\033[33m"}
_SKIPPED = {"otherwise": ": fails in another way than --bad, and is skipped (--any-failure counts "
                         "it as bad)", "skip": ": skipped"}


# ---- what can be known before anything is built ----

def _commit(git: Git, name: str) -> str:
    """The full hash."""
    status, said = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options",
                           f"{name}^{{commit}}")
    if status:
        raise Failure(f"'{name}': found no such commit in {git.folder}, expected a branch, a tag "
                      "or a hash")
    return said


def _look_ahead(given: Given, guard: Guard) -> tuple[str, str, str]:
    """The top of the repository, good and bad as hashes."""
    status, top = Git(given.repo, guard).ask("rev-parse", "--show-toplevel")
    if status or not top.startswith("/"):
        raise Failure(f"{given.repo}: {top}; --repo DIR names a checkout of the RTL")
    git = Git(top, guard)
    bad, good = _commit(git, given.bad), _commit(git, given.good)
    if good == bad:
        raise Failure(f"--good and --bad are the same commit, {good:.{SHORT_HASH}}")
    if git.ask("merge-base", "--is-ancestor", bad, good)[0] == 0:
        raise Failure(f"--bad '{given.bad}' comes before --good '{given.good}', expected it "
                      "after; are they swapped?")
    own = not given.filelist and not given.vmod
    if own and git.ask("cat-file", "-e", f"{bad}:scripts/gen_tables.py")[0]:
        raise Failure(f"{top} is no repository of nvcosim: expected --filelist FILE.f, what to "
                      "compile, relative to the top of the repository, or --vmod DIR, a folder "
                      "of it with NVDLA's RTL")
    return top, good, bad


# ---- the search ----

class Bisection:
    """player: in the temporary folder. git: of the repository. good, bad: hashes."""

    def __init__(self, given: Given, player: Player, git: Git, good: str, bad: str) -> None:
        self.given, self.player, self.git = given, player, git
        self.good, self.bad = good, bad
        self.first_parent = ["--first-parent"] if given.first_parent else []
        self.style = Style.of(sys.stdout)
        self.wanted: str | None = None  # signature at bad; None: any failure

    def _say(self, what: str, revision: str, look: Look) -> None:
        """The lines of a revision. what: "bad ", "step 3:"."""
        title = self.git.well("log", "-1", "--no-show-signature", "--format=%cs %s", revision)
        said = f"{_COLOURS[look.state]}{look.text}\033[0m" if self.style.colour else look.text
        more = _SKIPPED.get(look.state, "") if what.startswith("step") else ""
        if look.cached:
            more += f" (built before, run {look.run_seconds:.1f} s)"
        elif look.run_seconds > 0:
            more += f" (build {look.build_seconds:.1f} s, run {look.run_seconds:.1f} s)"
        print(f"{what} {revision:.{SHORT_HASH}} {shown(title)[:_TITLE_SHOWN]}\n  {said}{more}",
              flush=True)

    def _look_at_end(self, name: str, revision: str) -> Look:
        """name: "bad" or "good", as it is said to be."""
        self.player.git.well("checkout", "--quiet", "--force", "--detach", revision)
        look = self.player.look_at(revision, self.wanted)
        self._say(f"{name:4}", revision, look)
        if look.state == "skip":
            raise Failure(f"--{name} '{getattr(self.given, name)}' cannot be judged: {look.text}")
        return look

    def _check_ends(self) -> None:
        given = self.given
        look = self._look_at_end("bad", self.bad)
        if look.state != "bad":
            raise Failure(f"--bad '{given.bad}' passes: {given.trace} does not fail there; is "
                          "it the right trace, with the right options?")
        self.wanted = None if given.any_failure else look.signature
        look = self._look_at_end("good", self.good)
        if look.state != "good":
            raise Failure(f"--good '{given.good}' fails ({look.text}): there is no change from "
                          "good to bad; expected an older revision")

    def _log(self) -> str:
        """What was decided: git can replay it, so it is kept."""
        log = self.player.git.well("bisect", "log")
        path = f"{self.given.out}/bisect.log"
        try:
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(log)
        except OSError as error:
            tool.complain(f"{path}: {error.strerror}", "bisect")
        return log

    def _steps_left(self) -> str:
        found = self.player.git.well("rev-list", "--bisect-vars", *self.first_parent,
                                     "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*")
        steps = int(re.findall(r"^bisect_steps=(\d+)", found, re.MULTILINE)[0])
        return f", about {steps} more after it" if steps > 0 else ""

    def _search(self) -> list[tuple[str, str]]:
        """What git says of the end: ("", commit), or ("possible ", commit) for each that may be
        it."""
        git = self.player.git
        status, said = git.ask("bisect", "start", *self.first_parent, self.bad, self.good)
        for step in itertools.count(1):
            if status not in (0, 2):  # 2: only skipped ones remain
                raise Failure(f"git bisect: {said}")
            ends = _ENDS.findall(self._log())
            if ends:
                return ends
            if status:
                raise Failure(f"git bisect: {said}")
            revision = git.well("rev-parse", "HEAD")
            look = self.player.look_at(revision, self.wanted)
            self._say(f"step {step}{self._steps_left()}:", revision, look)
            status, said = git.ask("bisect",
                                   look.state if look.state in ("good", "bad") else "skip")
        raise AssertionError

    # ---- what was found ----

    def _print(self, indent: str, *words: str) -> None:
        """Lines of git about a commit."""
        for line in self.git.well(*words).split("\n"):
            if line:
                print(indent + shown(line.replace("\t", " ")))

    def _print_debug(self, revision: str) -> None:
        given, short = self.given, f"{revision:.{SHORT_HASH}}"
        tree, trace = quoted(f"{given.out}/tree-{short}"), quoted(given.trace)
        run = "".join(f" {quoted(word)}" for word in given.run)
        print("debug it with:\n"
              f"  git -C {quoted(self.git.folder)} worktree add --detach {tree} {short}")
        if given.prepare:
            print(f"  (cd {tree} && eval {quoted(given.prepare)})")
        if not given.filelist and not given.vmod:
            print(f"  make -C {tree} build && {tree}/build/nvcosim debug "
                  f"--config={given.config}{run} {trace}")
            return
        more = "".join(f" {quoted(word)}" for word in given.build)
        source = f"--vmod={tree}/{given.vmod}" if given.vmod else \
            f"--filelist={tree}/{given.filelist}"
        print(f"  nvcosim build --config={given.config} {source} --name=bad{more}\n"
              f"  nvcosim debug --config={given.config} --dut=rtl:bad{run} {trace}")

    def _conclude(self, ends: list[tuple[str, str]]) -> int:
        if ends[0][0]:
            print("the first bad commit is one of these; those between could not be judged:")
            for _, revision in reversed(ends):  # the oldest first
                self._print("  ", "log", "-1", "--format=%h %an, %cs: %s", revision)
            print(f"logs: {self.given.out}")
            return EXIT_DIFFERENT
        revision = ends[0][1]
        print(f"{revision} is the first bad commit")
        self._print("  ", "log", "-1", "--no-show-signature",
                    "--format=author: %an <%ae>, %ad%nsubject: %s", "--date=iso", revision)
        print("  files:")
        self._print("    ", "diff-tree", "-r", "-m", "--first-parent", "--root", "--no-commit-id",
                    "--name-status", revision)
        self._print_debug(revision)
        print(f"logs and reports: {self.given.out}")
        return EXIT_OK

    def _say_what_lacks(self) -> None:
        """Failure if another's RTL is asked for what it does not have."""
        given = self.given
        if not self.player.is_foreign():
            return
        name = given.filelist or given.vmod
        if "--checks" in given.run:
            raise Failure(f"--checks: {name} is another's RTL, which has no checks inside; leave "
                          "--checks out")
        tool.complain(f"{name} is another's RTL: it has no checks inside, so failures are told "
                      "apart by memory, registers and ports"
                      + (" and the streams of --taps" if given.taps else ""), "bisect")

    def run(self) -> int:
        given = self.given
        count = self.git.well("rev-list", "--count", *self.first_parent, f"{self.good}..{self.bad}")
        print(f"{plural(int(count), 'commit')} of {self.git.folder}, played with {given.trace} "
              f"on {given.config}; logs: {given.out}", flush=True)
        self.git.well("worktree", "add", "--quiet", "--force", "--detach", self.player.tree,
                      self.bad)
        self._say_what_lacks()
        self._check_ends()
        return self._conclude(self._search())


def bisect(given: Given) -> int:
    """All of it. Returns the exit status: 0 the commit is found, 1 only skipped ones remain.
    Failure: it cannot be done."""
    with Guard() as guard:
        top, good, bad = _look_ahead(given, guard)
    try:
        os.makedirs(given.out, exist_ok=True)
        given.out = os.path.realpath(given.out)
        root = os.environ.get("TMPDIR", "")
        folder = tempfile.mkdtemp(prefix="nvcosim-bisect-",
                                  dir=root if root.startswith("/") else "/tmp")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}; TMPDIR and --out name other "
                      "places") from None
    with Guard("sh", "-c", _CLEAN, "nvcosim-bisect", top, folder) as guard:
        return Bisection(given, Player(given, guard, folder), Git(top, guard), good, bad).run()


# ---- the command ----

class _Ended(BaseException):
    """By a signal."""


def _parser() -> Parser:
    parser = Parser("bisect", "TRACE --good REV --bad REV", doc=DOC, after=AFTER)
    value = text("a value")
    parser.add("good", arg="REV", kind=value,
               help="Commit that passes: a branch, a tag, a hash")
    parser.add("bad", arg="REV", kind=value, help="Commit that fails")
    parser.add("repo", arg="DIR", kind=value,
               default=".", help="Repository of the RTL (default: that of this folder)")
    parser.add("filelist", arg="FILE.f", kind=value, default="",
               help="File list as for nvcosim build, relative to the top of the repository")
    parser.add("vmod", arg="DIR", kind=value, default="",
               help="Instead of --filelist: a folder with NVDLA's RTL, as for nvcosim build, "
                    "relative to the top of the repository")
    build = {"dest": "build", "repeat": True, "passed": True}
    parser.add("nvidia-rams", arg="DIR", kind=value, default="",
               help="RAM models for --vmod, as for nvcosim build")
    parser.add("top", arg="MODULE", kind=value, **build,
               help="Top module (default NV_nvdla); with it or --vmod, --pin also sets inputs that "
                    "only this RTL has, as for nvcosim build")
    parser.add("taps", arg="FILE.csv", kind=value, help="Table of taps, as for nvcosim build")
    parser.add("verilator-option", arg="OPTION", **build,
               help="Further option for Verilator; may be repeated")
    parser.add("prepare", arg="COMMAND", kind=value, default="",
               help="Shell command that runs in each checkout before the build; a revision on "
                    "which it fails is skipped")
    parser.add("first-parent", help="Follow only the first parent of merges")
    parser.add("any-failure",
               help="Every failure is bad, also one that differs from that of --bad")
    parser.add("out", short="o", arg="DIR", kind=value, default="nvcosim-bisect",
               help="Folder for logs and reports (default: nvcosim-bisect)")
    parser.add_run(*_LEFT_OUT)
    return parser


def _take_pins_of_top(given: Given) -> None:
    """Inputs of another's top that are not NVDLA's: the simulators are built with their values."""
    if given.vmod or any(word.startswith("--top=") for word in given.build):
        more = [word for word in given.run if word.startswith("--pin=")
                and word.split("=")[1] not in adapter.STATIC_INPUTS]
        given.run = [word for word in given.run if word not in more]
        given.build += more


def _options(argv: list[str]) -> Given:
    """With config, trace, and build: words for nvcosim build."""
    parser = _parser()
    given = parser.parse(argv)
    parser.check_run(given.run)
    if not given.words:
        parser.error("no trace is given; expected at least one .cfg, .txn, .nvt or .nvt.gz file, "
                     "or a directory that has one")
    if len(given.words) > 1:
        parser.error(f"found {len(given.words)} traces, expected one")
    if not given.good or not given.bad:
        parser.error("--good REV and --bad REV are needed: a commit that passes, and one that "
                     "fails")
    if given.filelist and given.vmod:
        parser.error("--filelist and --vmod exclude each other")
    if given.nvidia_rams and not given.vmod:
        parser.error("--nvidia-rams needs --vmod")
    for option, path in (("filelist", given.filelist), ("vmod", given.vmod)):
        if path.startswith("/"):
            parser.error(f"--{option}: found '{path}', expected a path relative to the top of the "
                         f"repository: the {'list' if option == 'filelist' else 'RTL'} of each "
                         "revision is read")
    config = [word for word in given.run if word.startswith("--config=")]
    trace = given.words[0]
    tool.run("info", *config[-1:], "--", trace)  # it can be read, and fits the configuration
    given.config = config[-1].partition("=")[2] if config else \
        tool.run_json("info", "--json", "--brief", "--", trace)["config"]
    given.run = [word for word in given.run if not word.startswith("--config=")]
    # Each revision is played in another folder: paths are absolute.
    given.trace = os.path.realpath(trace)
    _take_pins_of_top(given)
    if given.nvidia_rams:
        given.build.append(f"--nvidia-rams={os.path.realpath(given.nvidia_rams)}")
    if given.taps:
        if not os.access(given.taps, os.R_OK):
            raise Failure(f"--taps: {given.taps} cannot be read")
        given.build.append(f"--taps={os.path.realpath(given.taps)}")
    return given


def _end(number: int, _frame: types.FrameType | None) -> None:
    raise _Ended(number)


def main(argv: list[str]) -> int:
    """The command without its name; returns the exit status."""
    given = _options(argv)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    for number in numbers:
        signal.signal(number, _end)
    try:
        return bisect(given)
    except _Ended as end:
        sys.stdout.flush()
        signal.signal(end.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), end.args[0])
        raise
