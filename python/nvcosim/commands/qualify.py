"""nvcosim qualify: plants faults in an RTL and counts how many of them traces notice."""
import os
import re

from nvcosim.faults.qualify import qualify
from nvcosim.options import Kind, Parser, Wrong, number, text
from nvcosim.plan.facts import configurations
from nvcosim.store.database import DATABASE, FOLDER
from nvcosim.text import quoted

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
  nvcosim debug --dut rtl:qualify --fault 7 t.cfg

Exit status: 0; 1 if less are noticed than --at-least asks for; 2 bad input or usage; 128 + N: \
ended by signal N."""


def _config(given: str) -> str:
    if given not in configurations():
        raise Wrong(f"there is no configuration '{given}'; expected one of "
                    f"{', '.join(configurations())}")
    return given


def _like(pattern: str, wrong: str) -> Kind:
    def take(given: str) -> str:
        if not re.fullmatch(pattern, given):
            raise Wrong(wrong.format(given))
        return given
    return take


def _add_rtl(parser: Parser) -> None:
    """Options for the location and compilation of an RTL. rtl: what has to be known to plant faults
    in it, and pin: with that, to build it."""
    passed = {"passed": True, "repeat": True}
    parser.add("config", arg="NAME", kind=_config, default="small",
               help="NVDLA configuration (default small); an unknown NAME lists them")
    parser.add("filelist", arg="FILE.f", default="",
               help="Sources to compile, +incdir+DIR, -v FILE, +define+NAME, in the format of "
                    "Verilator's -f; paths are relative to the file")
    parser.add("top", arg="MODULE", **passed, dest="rtl", help="Top module (default NV_nvdla)",
               kind=_like("[a-zA-Z0-9_]+", "found '{}', expected the name of a module"))
    parser.add("verilator-option", arg="OPTION", **passed, dest="rtl",
               kind=_like("[^\n']*", "quotes and line ends are not supported"),
               help="Further option for Verilator; may be repeated: "
                    "--verilator-option=-Wno-WIDTH --verilator-option=-DSYNTHESIS")
    parser.add("pin", arg="NAME=VALUE", **passed,
               kind=_like(r"[^= ,\n'\"$\\]+=[^ ,\n'\"$\\]*", "found '{}', expected NAME=VALUE"),
               help="Value of a static input of this RTL unless run --pin changes it; may be "
                    "repeated. --nvidia sets tmc2slcg_disable_clock_gating=1, which whole networks "
                    "need; single layers run 1.4 to 1.7 times as fast with --pin "
                    "tmc2slcg_disable_clock_gating=0")


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
    parser.add("name", arg="NAME", default="qualify", help="Name of the simulator, rtl:NAME (default qualify)",
               kind=_like("(?!(waves|taps|coverage|toggle|checks)$)[a-z0-9_]{1,31}",
                          "found '{}', expected a-z, 0-9 and _, less than 32 characters"))
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
    given.command = " ".join(["nvcosim qualify", *map(quoted, argv)])
    return qualify(given)
