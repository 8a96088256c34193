"""nvcosim bisect: finds the commit that made a trace fail."""
import os
import signal
import sys
import types

from nvcosim import tool
from nvcosim.bisect.bisect import bisect
from nvcosim.options import Parser, text

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
  nvcosim bisect --stall 300 --seed 5 t.nvt.gz --good v1 --bad HEAD --first-parent

Exit status: 0 the commit is found; 1 only skipped ones remain, which are named; 2 bad usage, \
--good fails, --bad passes or one of them cannot be built; 128 + N: ended by signal N."""
LEFT_OUT = ("dut", "out", "only-failed", "jobs", "stats", "verbose", "quiet", "name", "result-fd",
            "progress", "wave", "wave-from", "wave-to", "results", "wave-layer", "wave-scope",
            "wave-plain", "saif", "coverage", "coverage-kind", "histogram", "tap", "debug", "html",
            "timeline", "fault")  # options of nvcosim run


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
    build = {"dest": "build", "repeat": True, "passed": True}
    parser.add("top", arg="MODULE", kind=value, **build, help="Top module (default NV_nvdla)")
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
    parser.add_run(*LEFT_OUT)
    return parser


def _options(argv: list[str]) -> types.SimpleNamespace:
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
    if given.filelist.startswith("/"):
        parser.error(f"--filelist: found '{given.filelist}', expected a path relative to the top "
                     "of the repository: the list of each revision is read")
    config = [word for word in given.run if word.startswith("--config=")]
    trace = given.words[0]
    tool.run("info", *config[-1:], "--", trace)  # it can be read, and fits the configuration
    given.config = config[-1].partition("=")[2] if config else \
        tool.run_json("info", "--json", "--brief", "--", trace)["config"]
    given.run = [word for word in given.run if not word.startswith("--config=")]
    # Each revision is played in another folder: paths are absolute.
    given.trace = os.path.realpath(trace)
    if given.taps:
        if not os.access(given.taps, os.R_OK):
            raise tool.Failure(f"--taps: {given.taps} cannot be read")
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
