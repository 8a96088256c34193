"""Finds the commit of an RTL since which a trace fails: `git bisect` searches in a checkout of its
own in a temporary folder. Each revision that it asks for is built as another RTL in today's
harness, and played (play.py). A guard (engine/guard.py) ends what runs and removes the checkout,
however this process ends."""
import itertools
import os
import re
import sys
import tempfile

from nvcosim import tool
from nvcosim.bisect.play import SHORT_HASH, Git, Given, Look, Player
from nvcosim.engine.guard import Guard
from nvcosim.text import Style, plural, quoted, shown
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK, Failure

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
    if not given.filelist and git.ask("cat-file", "-e", f"{bad}:scripts/gen_tables.py")[0]:
        raise Failure(f"{top} is no repository of nvcosim: expected --filelist FILE.f, what to "
                      "compile, relative to the top of the repository")
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
        text = f"{_COLOURS[look.state]}{look.text}\033[0m" if self.style.colour else look.text
        more = _SKIPPED.get(look.state, "") if what.startswith("step") else ""
        if look.cached:
            more += f" (built before, run {look.run_seconds:.1f} s)"
        elif look.run_seconds > 0:
            more += f" (build {look.build_seconds:.1f} s, run {look.run_seconds:.1f} s)"
        print(f"{what} {revision:.{SHORT_HASH}} {shown(title)[:_TITLE_SHOWN]}\n  {text}{more}",
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
        if not given.filelist:
            print(f"  make -C {tree} build && {tree}/build/nvcosim debug "
                  f"--config={given.config}{run} {trace}")
            return
        more = "".join(f" {quoted(word)}" for word in given.build)
        print(f"  nvcosim build --config={given.config} --filelist={tree}/{given.filelist} "
              f"--name=bad{more}\n"
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

    def run(self) -> int:
        given = self.given
        count = self.git.well("rev-list", "--count", *self.first_parent, f"{self.good}..{self.bad}")
        print(f"{plural(int(count), 'commit')} of {self.git.folder}, played with {given.trace} "
              f"on {given.config}; logs: {given.out}", flush=True)
        self.git.well("worktree", "add", "--quiet", "--force", "--detach", self.player.tree,
                      self.bad)
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
