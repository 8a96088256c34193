"""nvcosim regress: runs a plan, keeps the results, resumes an interrupted night; or compares two
nights."""
import sys
import types
import typing

from nvcosim.night.begin import Options, database_of
from nvcosim.options import Parser, Wrong, number, text
from nvcosim.store.database import DATABASE, FOLDER
from nvcosim.text import Style, quoted
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK, complain

_MOST = (1 << 63) - 1
_DOC = (
    "Runs the tests of a plan (docs/plans.md), several at a time, the longest first, and keeps "
    "every result in a database as soon as it is there.")
_AFTER = """\
Simulators are built, or brought up to date, before the first test, and copied into the folder of \
the night until it is done: later builds do not affect the night, and --resume uses the copies. A \
test that crashes, hangs, or exceeds its limits of time, cycles or memory gets that as its \
verdict; the others continue.
At the end similar failures are grouped into buckets. `nvcosim debug` runs on some of each bucket, \
`nvcosim shrink` on the smallest, within the limits of the plan's `triage` (docs/nights.md).
A line for each test that does not pass goes to stdout, and for each that passes although the plan \
expects it to fail. If stderr is a terminal, the running tests are shown below.

Ctrl-C lets the running tests finish, twice ends them at once; --resume runs the rest, also after \
SIGTERM, kill -9 or a power cut: every printed result is on the disk.

Examples:
  nvcosim regress plans/nightly.yml
  nvcosim regress plans/nightly.yml --dry-run --select 'random and not large'
  nvcosim regress plans/nightly.yml --resume
  nvcosim regress plans/nightly.yml -j 8 --notify 'mail -s nightly rtl-team'
  nvcosim regress plans/nightly.yml --engine slurm --slurm-options '--partition=eda --mem=4G'
  nvcosim regress --compare previous latest --page
  nvcosim regress --compare v1.2 HEAD --limit 2
  nvcosim regress --compare 12:dut=both 12:dut=rtl:mine

Exit status: 0 all passed, or failed as the plan expects; else the worst of the others, as for \
nvcosim run (2, 4, 3, 1), at least 1 if some did not run; 2 also if the plan is wrong, or \
something cannot be written; 128 + N: ended by signal N. With --compare: 0 B is not worse; 1 it \
has new failures, or tests over the limit; 2 bad usage."""


def _engine(given: str) -> str:
    if given not in ("local", "slurm"):
        raise Wrong(f"found '{given}', expected local or slurm")
    return given


def _per_cent(given: str) -> float:
    try:
        value = float(given) if given.isascii() and "_" not in given else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e6:
        raise Wrong(f"found '{given}', expected per cent, from 0")
    return value


def _add_night(p: Parser) -> None:
    p.add("select", arg="EXPRESSION", kind=text("an expression such as 'conformance and not slow'"),
          help="Only matching tests: a word is a tag, the name of an item, configuration, dut or "
               "memory setting, a test (ITEM/NAME), or a pattern of these: 'conformance and not "
               "slow', 'own/rand_* or qemu'")
    p.add("dry-run", help="Print what would run, and the expected time; run nothing")
    p.add("resume", arg="NIGHT", optional=True, kind=number(1, _MOST),
          help="Continue a night that was interrupted, by its number (default: the last one of the "
               "plan): tests that have a result do not run again")
    p.add("jobs", short="j", arg="N", kind=number(1, 1024),
          help="Run N tests at a time (default: the plan's, or one for each core)")
    p.add("seed", arg="N", kind=number(0, _MOST),
          help="Seed of all random choices of the night (default: the date as YYYYMMDD)")
    p.add("out", short="o", arg="OUT", kind=text("the name of a folder"),
          help="Folder of the nights: reports, pages and random layers go to OUT/night-N (default: "
               f"{FOLDER})")
    p.add("database", arg="FILE", kind=text("the name of a file"),
          help=f"Database of all nights (default: the plan's, or OUT/{DATABASE})")
    p.add("engine", arg="local|slurm", kind=_engine,
          help="Where tests run: processes of this machine (default), or jobs of a Slurm cluster "
               "(docs/slurm.md)")
    p.add("slurm-options", arg="WORDS",
          help="Further options for sbatch: '--partition=eda --mem=4G' (default: the plan's)")
    p.add("chunk-seconds", arg="N", kind=number(1, 1000000),
          help="Give every job of Slurm tests for about N seconds (default 300)")
    p.add("notify", arg="COMMAND", kind=text("a command"),
          help="Run a command of the shell at the end, with a summary on its standard input: 'mail "
               "-s nightly rtl-team'")


def _add_compare(p: Parser) -> None:
    p.add("compare", arg="A", kind=text("a night such as 12, latest, previous or a git revision"),
          help="Run nothing; compare night A with night B, or tests of them: "
               "NIGHT[:NAME=VALUE,...], NIGHT a number, latest, previous or a git revision, NAME "
               "item, config, dut, memory, tag or plan")
    p.add("limit", arg="PERCENT", kind=_per_cent,
          help="With --compare: a test whose cycles increase by more than this is an error")
    p.add("page", arg="FILE", optional=True, kind=text("the name of a file"),
          help="With --compare: also write a page (default: compare-A-B.html beside the folder of "
               "night B)")
    p.add("all", help="With --compare: show every test, not only those that changed")
    p.add("csv", help="With --compare: print comma-separated values")
    p.add("json", help="With --compare: print one JSON object")


def _check_compare(p: Parser, found: types.SimpleNamespace) -> None:
    if not found.compare:
        p.error("--limit, --page, --all, --csv and --json need --compare A B")
    if not found.words:
        p.error(f"--compare: found one night, '{found.compare}'; expected a second one after it")
    if found.csv and found.json:
        p.error("--csv and --json exclude each other")
    of_night = (found.select, found.jobs, found.notify, found.engine, found.slurm_options,
                found.chunk_seconds)
    if found.dry_run or any(value is not None for value in (*of_night, found.seed, found.resume)):
        p.error("--compare runs nothing: of the other options it takes --database, --out, --limit, "
                "--page, --all, --csv and --json")


def _check(p: Parser, found: types.SimpleNamespace) -> None:
    if len(found.words) > 1:
        p.error(f"found '{found.words[1]}', expected one "
                + ("night after --compare A" if found.compare else "plan"))
    resumes = found.resume is not None
    if any(value not in (None, False) for value in (
            found.compare, found.limit, found.page, found.all, found.csv, found.json)):
        _check_compare(p, found)
    elif not found.words and not found.resume:
        p.error("no plan is given; expected a file such as plans/nightly.yml"
                + (", or --resume=NIGHT" if resumes else ""))
    elif resumes and found.seed is not None:
        p.error("--seed: a night that is resumed has its seed already")
    elif resumes and found.engine:
        p.error("--engine: a night that is resumed has its engine already")
    elif resumes and found.select:
        p.error("--select: a night that is resumed has its tests already")


def _work(words: list[str], p: Parser) -> int:
    """A job of a cluster: chunk words[1] of the night in the folder words[0]."""
    if len(words) != 2 or not words[1].isdecimal():
        p.error(f"--worker: found '{' '.join(words[1:])}', expected the number of a chunk")
    from nvcosim.engine.worker import Worker
    return Worker(words[0], int(words[1])).run()


def _compare(found: types.SimpleNamespace) -> int:
    from nvcosim.night.recover import recover_nights
    from nvcosim.pages import compare_text
    from nvcosim.pages.compare import compare_read
    from nvcosim.pages.compare_page import compare_page
    from nvcosim.store.database import Store
    from nvcosim.tool import Failure
    database = found.database or database_of(found.out or "")
    try:
        recover_nights(database)
    except Failure as failure:  # existing results can be compared anyway
        complain(f"warning: {failure}")
    with Store.open_read_only(database) as store:
        comparison = compare_read(store, found.compare, found.words[0], found.limit)
        if found.csv:
            compare_text.compare_csv(comparison, sys.stdout)
        elif found.json:
            compare_text.compare_json(comparison, sys.stdout)
        else:
            compare_text.compare_print(comparison, Style.of(sys.stdout), found.all)
        if found.page is not None:
            page = compare_page(comparison, found.page or None)
            print(f"page: {page}", file=sys.stderr if found.csv or found.json else sys.stdout)
    return EXIT_DIFFERENT if comparison.worse() else EXIT_OK


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    p = Parser("regress", "PLAN", "--compare A B", doc=_DOC, after=_AFTER)
    _add_night(p)
    _add_compare(p)
    if argv and argv[0].partition("=")[0] == "--worker":  # FOLDER CHUNK
        words = [*argv[0].split("=", 1)[1:], *argv[1:]]
        return _work(words, p)
    found = p.parse(argv)
    _check(p, found)
    if found.compare:
        return _compare(found)
    from nvcosim.night.night import run_night
    return run_night(Options(
        plan=typing.cast(str, found.words[0]) if found.words else "",
        command=" ".join(["nvcosim regress", *map(quoted, argv)]), select=found.select,
        out=found.out or "", database=found.database or "", notify=found.notify or "",
        engine=found.engine or "", slurm=found.slurm_options or "",
        chunk_seconds=found.chunk_seconds or 0, jobs=found.jobs or 0, seed=found.seed,
        resumed=None if found.resume is None else found.resume or 0, dry_run=found.dry_run))
