"""nvcosim qualify: is the corpus any good? Faults are planted into a copy of an RTL, all into one
simulator, one of them chosen for each run, and the tests are played until one notices it
(docs/qualify.md): a night of kind "qualify", from the copy to the table.

A run of each test without any fault shows which faults could have changed something in it (member
`faults` of its result): a fault is played with these tests only, the shortest first."""
import dataclasses
import json
import os
import subprocess
import sys
import time
import types
import typing

from nvcosim import tool
from nvcosim.engine import builds
from nvcosim.engine.guard import Guard
from nvcosim.engine.local import LocalLauncher
from nvcosim.engine.signals import Signals
from nvcosim.faults import equivalents
from nvcosim.faults.campaign import Campaign
from nvcosim.faults.faults import Faults
from nvcosim.options import Parser, number, text
from nvcosim.plan.expand import expand, today
from nvcosim.plan.paths import seen_from
from nvcosim.plan.read import Plan
from nvcosim.rtl import filelist, options
from nvcosim.store.database import DATABASE, FOLDER, Store
from nvcosim.store.nights import NightFacts
from nvcosim.text import plural, quoted
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_DIFFERENT, EXIT_OK, Failure, complain

if typing.TYPE_CHECKING:
    from nvcosim.plan.test import Test

DOC = ("Measures how good a corpus of traces is. Plants faults in a copy of the RTL (changed "
       "operators, constants and conditions, dropped assignments), compiles all of them into one "
       "simulator, activates one in each run, and prints which faults the traces notice and which "
       "survive.")
AFTER = """\
First every test is played without a fault, which shows which faults would change a value in which \
test. Then each fault is played with these tests, the shortest first, until one does not pass.

noticed: a test does not pass; survived: all pass although the changed expression had another \
value in some; unreached: it never had; equivalent: listed in --equivalents as changing nothing. \
See docs/qualify.md.

Examples:
  nvcosim qualify --count 200 --seed 1 traces/conformance/small/*.nvt.gz
  nvcosim qualify --plan plans/qualify.yml --equivalents plans/equivalents.yml --at-least 95
  nvcosim qualify --config small --filelist vmod.f --count 1000 traces/*.cfg
  nvcosim qualify --config small --vmod ../hw --count 100 traces/*.cfg
  nvcosim debug --dut rtl:qualify --fault 7 t.cfg

Exit status: 0; 1 if less are noticed than --at-least asks for; 2 bad input or usage; 128 + N: \
ended by signal N."""
PATIENCE_SECONDS = 5  # for what a killed campaign has started to end


Given = types.SimpleNamespace  # the options, and command: all of it


def _absolute(path: str) -> str:
    return seen_from(os.getcwd(), path)


# ---- which tests


def _plan_of(given: Given) -> Plan:
    """The plan, or one with the traces of the command line."""
    if given.plan:
        return Plan.read(_absolute(given.plan))
    items = f"items:\n  - name: traces\n    config: {given.config}\n    traces:\n" + "".join(
        f"      - {json.dumps(_absolute(trace), ensure_ascii=False)}\n" for trace in given.words)
    return Plan.parse(_absolute("qualify.yml"),  # what names in it are relative to
                      items.encode("utf-8", "surrogateescape"))


def _tests_of(given: Given, plan: Plan) -> "list[Test]":
    """The tests of the configuration that play on an RTL, whichever, each once; on the copy now."""
    found: "dict[typing.Any, Test]" = {}
    for test in expand(plan, given.seed, today(), given.select).tests:
        if test.config == given.config and test.dut != "model":
            found.setdefault((test.trace, test.seed, test.options), dataclasses.replace(
                test, dut=f"rtl:{given.name}",
                options=(*test.options, "--stop-at-first", "--no-report")))
    if not found:
        raise Failure(f"{plan.file}: no test of configuration {given.config} plays on an RTL"
                      + (f"; --select {given.select}" if given.select else ""))
    return list(found.values())


# ---- the copy


def _lock(path: str, name: str) -> typing.IO[str]:
    """One campaign at a time with a simulator of that name."""
    import fcntl
    file = open(path, "a+", encoding="utf-8")
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > end:
                raise Failure(f"another nvcosim qualify uses the simulator rtl:{name}; choose "
                              "another --name") from None
        time.sleep(0.02)


def _write_list(given: Given, planted: str) -> None:
    """The list of a tree of RTL (--vmod) becomes the --filelist."""
    top = [word for word in given.rtl if word.startswith("--top=")]
    text = tool.run("build", f"--config={given.config}", f"--name={given.name}",
                    f"--vmod={given.vmod}", "--print-filelist", *given.rams, *top)
    given.filelist = f"{planted}/vmod.f"
    with open(given.filelist, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _say_what_lacks(given: Given, tests: "list[Test]") -> "list[Test]":
    """Says what cannot be done with another's RTL. Returns the tests that can be played."""
    if not given.filelist or not filelist.is_foreign(given.filelist):
        return tests
    playable = [test for test in tests if "--checks" not in test.options]
    more = len(tests) - len(playable)
    complain(f"{given.vmod or given.filelist} is another's RTL: it has no checks inside, so faults "
             "show in memory, registers, interrupts and on its ports alone"
             + (f"; {plural(more, 'test')} with --checks {'is' if more == 1 else 'are'} left out"
                if more else ""), "qualify")
    if not playable:
        raise Failure("no test is left; expected some without --checks")
    return playable


def _exempt(given: Given, faults: Faults, known: equivalents.Equivalents) -> None:
    """Marks the faults that are known to change nothing."""
    stale = faults.exempt(known)
    if len(stale) > 1 and len(stale) == len(known):
        complain(f"{given.equivalents}: found {len(known)} places, none of which this RTL has; "
                 "expected a list of this RTL", "qualify")
        return
    for entry in stale:
        complain(f"the list of equivalents is stale in line {entry.line}: the RTL no longer has "
                 f"such a place: {entry.file}: {entry.statement}", "qualify")


def _plant(given: Given, planted: str, guard: Guard) -> Faults:
    """Runs scripts/plant.py, which says on stderr what it does, and reads what was planted."""
    words = [sys.executable, f"{tool.sources()}/scripts/plant.py", planted,
             f"--count={given.count}",
             f"--seed={given.seed}", f"--config={given.config}", "--random-start",
             *given.rtl]
    if given.filelist:
        words.append(f"--filelist={os.path.realpath(given.filelist, strict=True)}")
    if guard.run([*words, *given.folder], stdin=subprocess.DEVNULL, stdout=sys.stderr):
        raise Failure("no faults could be planted; the reason is above")
    faults = Faults.read(f"{planted}/faults.json")
    if not faults:
        raise Failure("the RTL has no place for a fault")
    return faults


def _build(given: Given, planted: str, guard: Guard) -> None:
    status = guard.run([tool.program(), "build", f"--config={given.config}",
                        f"--name={given.name}", f"--filelist={planted}/faults.f",
                        *given.rtl, *given.pin],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if status:
        raise Failure(f"rtl:{given.name} could not be built; the reason is above")


# ---- the night


class Qualification:
    """tests: of the plan; an interrupted night has its own."""

    def __init__(self, given: Given, store: Store, plan: Plan, tests: "list[Test]",
                 faults: Faults) -> None:
        self.given, self.store, self.faults = given, store, faults
        self.began = time.monotonic()
        name = f"qualify-{plan.settings.name if given.plan else given.config}"
        if given.resume:
            self._resume(name)
        else:
            self._begin(name, plan, tests)

    def _begin(self, name: str, plan: Plan, tests: "list[Test]") -> None:
        given, out = self.given, _absolute(self.given.out)
        self.tests = tests
        self.night = self.store.begin_night(NightFacts(
            kind="qualify", plan=name, plan_path=plan.file, plan_text=plan.text,
            selected=given.select, version=tool.version(), engine="local",
            command=given.command, folder=out, seed=given.seed), tests)
        self.folder = f"{out}/night-{self.night}"
        os.makedirs(self.folder, exist_ok=True)
        self.store.set_folder(self.night, self.folder)
        self.faults.begin(self.store, self.night)

    def _resume(self, name: str) -> None:
        self.night = self.store.unfinished(name)
        row = self.store.row("SELECT folder, seed FROM night WHERE id = ?", self.night)
        if not row:
            raise Failure(f"{self.store.path}: no qualification {name} is left to resume")
        if row["seed"] != self.given.seed:
            raise Failure(f"night {self.night} has seed {row['seed']}, not {self.given.seed}")
        self.folder = row["folder"]
        self.tests, _ = self.store.tests(self.night)
        self.faults.resume(self.store, self.night)
        self.store.state(self.night, "running")

    def play(self) -> tuple[bool, int]:
        """Whether everything was played, and the signal that interrupted it."""
        kept = builds.Builds(self.tests, self.folder, lambda line: complain(line, "qualify"))
        kept.keep(self.folder)
        launcher = LocalLauncher(self.given.jobs,
                                 simulators=f"{self.folder}/{builds.FOLDER}")
        with Signals() as signals:
            campaign = Campaign(self.store, self.night, self.folder, self.tests, self.faults,
                                launcher, signals, self.given.together)
            try:
                return campaign.run(), campaign.signal
            except Failure as failure:
                campaign.progress.clear()
                complain(str(failure), "qualify")
                return False, 0
            finally:
                launcher.close()

    def end(self, whole: bool, signal: int) -> int:
        """Prints the result; the exit status."""
        from nvcosim.pages.page import page_write
        from nvcosim.pages.review import review_read
        status = EXIT_OK if whole else EXIT_BAD_INPUT
        share, page = self.faults.share(), f"{self.folder}/index.html"
        if whole:
            builds.remove(self.folder)
            status = EXIT_DIFFERENT if share < self.given.at_least else EXIT_OK
        self.faults.print(sys.stdout)
        try:
            self.store.state(self.night, "done" if whole else "interrupted",
                             time.monotonic() - self.began)
            page_write(review_read(self.store, self.night), page)
        except Failure as failure:
            complain(str(failure), "qualify")
            status = EXIT_BAD_INPUT
        print(f"\n{share:.1f} % of the faults that are not known to be equivalent are noticed; "
              f"night {self.night} in {self.store.path}\n{page}\nTo look at fault N: nvcosim debug "
              f"--config {self.given.config} --dut rtl:{self.given.name} --fault N TRACE")
        if not whole:
            print("\nNot everything was played. To continue, give the same command with --resume")
        return 128 + signal if signal else status


def qualify(given: Given) -> int:
    """Does it and prints the result on stdout. Returns the exit status: 1 if fewer faults are
    noticed than at_least asks for, 128 + N if it was ended by signal N."""
    plan = _plan_of(given)
    tests = _tests_of(given, plan)
    known = equivalents.read(given.equivalents) if given.equivalents else {}
    planted = os.path.realpath(f"{tool.build_folder()}/qualify/{given.config}-{given.name}")
    database = _absolute(given.database) if given.database else \
        plan.settings.database or f"{given.out}/{DATABASE}"
    os.makedirs(planted, exist_ok=True)
    with _lock(f"{planted}/lock", given.name), Guard() as guard:
        if given.vmod:
            _write_list(given, planted)
        tests = _say_what_lacks(given, tests)
        faults = _plant(given, planted, guard)
        _exempt(given, faults, known)
        os.makedirs(given.out, exist_ok=True)
        with Store.open(database, create=not given.resume) as store:
            qualification = Qualification(given, store, plan, tests, faults)
            print(f"building rtl:{given.name}, configuration {given.config}, with "
                  f"{len(faults)} faults ...", file=sys.stderr, flush=True)
            _build(given, planted, guard)
            return qualification.end(*qualification.play())


# ---- the command


def _add_rtl(parser: Parser) -> None:
    """Options for the location and compilation of an RTL. rtl: what has to be known to plant faults
    in it, and pin: with that, to build it."""
    passed = {"passed": True, "repeat": True}
    parser.add("config", **options.CONFIG)
    parser.add("filelist", **options.FILELIST, default="")
    parser.add("vmod", arg="DIR", kind=text("the name of a folder"), default="",
               help="Instead of --filelist: a folder with NVDLA's RTL, as for nvcosim build")
    parser.add("nvidia-rams", arg="DIR", **passed, dest="rams", kind=text("the name of a folder"),
               help="RAM models for --vmod, as for nvcosim build")
    parser.add("top", **{**options.TOP, **passed}, dest="rtl")
    parser.add("verilator-option", **{**options.VERILATOR_OPTION, **passed}, dest="rtl")
    parser.add("pin", **{**options.PIN, **passed},
               help="Value of a static input of this RTL unless run --pin changes it; may be "
                    "repeated. tmc2slcg_disable_clock_gating=1 keeps all clocks of NVIDIA's RTL "
                    "running, which is slower")


def _parser() -> Parser:
    parser = Parser("qualify", "TRACE...", doc=DOC, after=AFTER)
    _add_rtl(parser)
    parser.add("count", arg="N", kind=number(1, 1000000), default=200,
               help="Plant N faults (default 200)")
    parser.add("seed", arg="S", kind=number(0, 2**63 - 1), default=1,
               help="Seed of the choice of faults (default 1)")
    parser.add("folder", arg="FOLDER", repeat=True, kind=text("a folder of the RTL"),
               help="Plant only in this folder of the RTL; may be repeated, each then gets the "
                    "same number (default: all places are equally likely)")
    parser.add("name", arg="NAME", default="qualify", kind=options.NAME,
               help="Name of the simulator, rtl:NAME (default qualify)")
    parser.add("plan", arg="PLAN", kind=text("the name of a file"),
               help="Play the tests of a plan (docs/plans.md) instead of traces, with its random "
                    "layers and memories: tests of the configuration that use an RTL")
    parser.add("select", arg="EXPRESSION",
               kind=text("an expression such as 'conformance and not slow'"),
               help="Only tests of the plan whose tags match")
    parser.add("equivalents", arg="FILE.yml", kind=text("the name of a file"),
               help="Faults known to change nothing, with reasons (docs/qualify.md); they are "
                    "counted but not played")
    parser.add("at-least", arg="PERCENT", kind=number(0, 100), default=0,
               help="Exit status 1 if a smaller share of the faults that are not equivalent is "
                    "noticed (default 0)")
    parser.add("together", arg="N", kind=number(1, 1000), default=32,
               help="Play faults that survived the first tests N at a time, and one by one only "
                    "where a test then fails (default 32; 1: always one by one)")
    parser.add("jobs", short="j", arg="N", kind=number(1, 1024),
               default=len(os.sched_getaffinity(0)),
               help="Run N processes at a time (default: one for each core)")
    parser.add("out", short="o", arg="OUT", kind=text("the name of a folder"), default=FOLDER,
               help="Folder of the nights: random layers and what was played go to OUT/night-N "
                    f"(default: {FOLDER})")
    parser.add("database", arg="FILE", kind=text("the name of a file"),
               help=f"Database of all nights (default: the plan's, or OUT/{DATABASE})")
    parser.add("resume", help="Continue the last interrupted campaign of the same command")
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if (given.plan is None) == (not given.words):
        parser.error("expected traces, or --plan PLAN, and not both")
    if given.select is not None and not given.plan:
        parser.error("--select needs --plan PLAN")
    if given.vmod and given.filelist:
        parser.error("--filelist and --vmod exclude each other")
    if given.rams and not given.vmod:
        parser.error("--nvidia-rams needs --vmod")
    given.command = " ".join(["nvcosim qualify", *map(quoted, argv)])
    return qualify(given)
