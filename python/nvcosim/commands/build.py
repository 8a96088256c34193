"""nvcosim build: builds simulators of other RTLs, and sets how simulators are compiled. `nvcosim
simulators` of the C program runs make."""
import contextlib
import errno
import io
import os
import re
import subprocess
import types
import typing

from nvcosim import configurations, tool
from nvcosim.options import Parser, Wrong
from nvcosim.rtl import cfgrom, options, prepare
from nvcosim.tool import EXIT_OK, Failure

DOC = (
    "Builds a simulator of another RTL with NVDLA's published ports, for use with --dut rtl:NAME. "
    "Without a file list, rebuilds a known simulator with other settings: the one of the RTL in "
    "rtl/, or with --name one built before. --config names the configuration whose ports the RTL "
    "has; every configuration works.")
AFTER = """\
The testbench, the memory model, the player and the reference model stay the same. `nvcosim info \
--build` lists the simulators and their settings.

Examples:
  nvcosim build --filelist vmod.f --name mine
  nvcosim run --dut rtl:mine t.cfg
  nvcosim build --config full --filelist vmod.f --name theirs
  nvcosim build --config large --profile
  nvcosim build --name mine --compiler g++ --optimize=-O2
  nvcosim build --config small --vmod ../hw
  nvcosim run --dut rtl:nvidia t.cfg"""
_WORD = "[^ \t\n'\"`$\\\\#;&|<>()*?\\[\\]{}~!]+"  # that make and the shell do not change
_VARIANTS = ("plain", "waves", "taps", "coverage", "toggle", "checks")
Given: typing.TypeAlias = types.SimpleNamespace


def _threads(given: str) -> str:
    if not re.fullmatch("0*[1-9][0-9]?", given):
        raise Wrong(f"found '{given}', expected 1 to 99")
    return given


def _variant(given: str) -> str:
    if given and given not in _VARIANTS:
        raise Wrong(f"found '{given}', expected plain, waves, taps, coverage, toggle or checks")
    return given.replace("plain", "")


def _word(what: str) -> typing.Callable[[str], str]:
    return options.like(_WORD, f"found '{{}}', expected {what}")


def _add_rtl(parser: Parser) -> None:
    parser.add("config", **options.CONFIG)
    parser.add("filelist", **options.FILELIST)
    parser.add("top", **options.TOP)
    parser.add("wrapper", **{**options.TOP, "dest": "top", "help": "The same as --top"})
    parser.add("adapter", arg="apb|axi4lite", default="",
               kind=options.like("apb|axi4lite", "found '{}', expected apb or axi4lite"),
               help="The top module is a wrapper with this register bus instead of CSB: an adapter "
                    "connects it")
    parser.add("port-map", arg="FILE",
               help="Other names of the top module's ports: lines of NVDLA's name, or the bus's, "
                    "and the top's. `nvdla_core2dbb_* m_axi_*` stands for all signals of an AXI "
                    "port, with AXI's names")
    parser.add("verilator-option", **options.VERILATOR_OPTION)
    parser.add("pin", **options.PIN,
               help="Value of a static input of this RTL unless run --pin changes it, or of any "
                    "other input of its top module; may be repeated. "
                    "tmc2slcg_disable_clock_gating=1 keeps all clocks of NVIDIA's RTL running, "
                    "which is slower")
    parser.add("vmod", arg="DIR",
               help="Instead of --filelist: a folder with NVDLA's RTL. NVIDIA's checkout (whose "
                    "RTL of --config is generated in outdir/nv_CONFIG/vmod, or checked in as vmod "
                    "on branch nvdlav1), a copy of a vmod, or a flat folder")
    parser.add("nvidia", arg="CHECKOUT", help="The same as --vmod")
    parser.add("nvidia-rams", arg="DIR",
               help="RAM models for --vmod: vmod/rams/fpga/model of branch master, or its "
                    "checkout; needed for full")
    parser.add("print-filelist",
               help="Print the list of files that --vmod would build with, for --filelist; build "
                    "nothing")
    parser.add("name", arg="NAME", kind=options.NAME,
               help="Name for --dut rtl:NAME (a-z, 0-9 and _; default nvidia with --vmod)")
    parser.add("taps", arg="FILE.csv",
               help="Table of the signals that `run --tap` records in this RTL, in the format of "
                    "rtl/taps.csv, with names relative to the top module (docs/taps.md). Not "
                    "needed for a copy of the RTL in rtl/")


def _parser() -> Parser:
    parser = Parser("build", "[TRACE...]", doc=DOC, after=AFTER)
    _add_rtl(parser)
    parser.add("compiler", arg="CXX", kind=_word("the name of a compiler"),
               help="C++ compiler of the simulator, clang++ or g++ of any version; stays set until "
                    "changed. auto: the fastest one installed (clang++; with a profile g++)")
    parser.add("optimize", arg="OPTION", kind=_word("an option of the compiler"),
               help="Its optimisation, such as --optimize=-O2; stays set until changed. auto: the "
                    "best measured for that compiler")
    parser.add("profile",
               help="Profile-guided build: compile with counters, play the TRACEs (default: random "
                    "layers), and compile again with the profile. Simulates 1.2 to 1.4 times as "
                    "fast, builds two to three times as long. The profile is used until the RTL, "
                    "the compiler or the TRACEs change. NVIDIA's small and small_256 have one from "
                    "their first build with --vmod")
    parser.add("no-profile", help="Make no profile, and forget the one there is")
    parser.add("sim-threads", arg="N", kind=_threads,
               help="Threads that evaluate the design (default 1); stays set until changed. More "
                    "than one pays off only for large designs on an otherwise idle machine")
    parser.heads[1] = "For another program (docs/results.md)"
    parser.add("update", group=1,
               help="Build the simulator if it is missing or its sources have changed, and print "
                    "where it is, or why it cannot be built")
    parser.add("known", group=1,
               help="Build nothing; print whether there is such a simulator, or it can be built")
    parser.add("variant", arg="VARIANT", kind=_variant, group=1, default="",
               help="With these: plain (default), waves, taps, coverage, toggle or checks")
    parser.add("json", help="Print JSON; needed with these", group=1)
    return parser


def _is_known(given: Given) -> bool:
    """No new RTL is given: it is this project's, or one built before."""
    return given.filelist is None and given.vmod is None and given.nvidia is None


def _check_questions(parser: Parser, given: Given) -> None:
    """Checks the options for another program."""
    asked = given.update or given.known
    if given.update and given.known:
        parser.error("--update and --known exclude each other")
    if asked != given.json:
        parser.error("--update and --known need --json" if asked else
                     "--json needs --update or --known")
    if given.variant and not asked:
        parser.error("--variant needs --update or --known")
    compiled = given.words or given.compiler or given.optimize or given.sim_threads
    if asked and (not _is_known(given) or compiled or given.no_profile or
                  (given.profile and given.known)):
        parser.error("--update and --known take only --config, --name, --variant and --json; "
                     "--update also --profile")


def _check(parser: Parser, given: Given) -> None:
    _check_questions(parser, given)
    if given.words and not given.profile:
        parser.error(f"found '{given.words[0]}', expected options only, or --profile")
    if given.profile and given.no_profile:
        parser.error("--profile and --no-profile exclude each other")
    sources = [given.filelist, given.vmod, given.nvidia]
    tree = sources[1:] != [None, None]
    if len(sources) - sources.count(None) > 1:
        parser.error("--filelist, --vmod and --nvidia exclude each other")
    if given.nvidia_rams is not None and not tree:
        parser.error("--nvidia-rams needs --vmod")
    if given.print_filelist and not tree:
        parser.error("--print-filelist needs --vmod")
    given.name = given.name or ("nvidia" if tree else None)
    if given.filelist is not None and not given.name:
        parser.error("--filelist FILE.f and --name NAME, or --nvidia CHECKOUT, are needed")
    if _is_known(given) and (given.taps is not None or given.top or given.verilator_option or
                             given.pin or given.adapter or given.port_map is not None):
        parser.error("--taps, --top, --verilator-option and --pin need --filelist or --nvidia "
                     "(--vmod); so do --adapter and --port-map")


def _readable(name: str) -> str:
    """The absolute path of a readable file. OSError."""
    os.stat(name)
    if not os.access(name, os.R_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), name)
    return os.path.realpath(name)


def _compile_variables(given: Given) -> list[str]:
    """Variables of make for how to compile."""
    named = (("CXX", given.compiler), ("OPT", given.optimize), ("SIM_THREADS", given.sim_threads))
    variables = [f"{name}={value}" for name, value in named if value]
    if given.profile or given.no_profile:
        variables.append(f"PROFILE={given.profile:d}")
    elif given.vmod is not None or given.nvidia is not None:
        variables.append("PROFILE=auto")
    traces = [_readable(name) for name in given.words]
    for path in traces:
        if not re.fullmatch(_WORD, path):
            raise Failure(f"{path}: the path of a trace for a profile must have no spaces or "
                          "quotes")
    return variables + ([f"TRAINING={' '.join(traces)}"] if traces else [])


def _run(given: Given, *words: str) -> int:
    """Runs `nvcosim simulators`, which ends with this process. Its status."""
    own = [f"--config={given.config}", *([f"--name={given.name}"] if given.name else [])]
    return subprocess.run(["setpriv", "--pdeathsig", "TERM", tool.program(), "simulators", *own,
                           *words], check=False).returncode


def _rebuild(given: Given) -> int:
    """Builds a known RTL with other settings."""
    tool.run("simulators", "--folder", "")  # it can be built
    variables = _compile_variables(given)
    what = f"rtl:{given.name}" if given.name else "the RTL in rtl/"
    print(f"building the simulator of {what} for configuration {given.config} ...", flush=True)
    status = _run(given, "--again", "--", *variables)
    if status == EXIT_OK:
        print("done; nvcosim info --build shows how it was built")
    return status


def _prepare(given: Given) -> tuple[str, bool]:
    """The path of the file list: the user's, or one written for a tree into the build folder, or
    for an adapter around the top; and whether there is one."""
    printed = "-printed" * given.print_filelist  # not the one of a simulator
    folder = tool.run("simulators", "--folder",
                      f"nvidia/{given.config}-{given.name}{printed}").removesuffix("\n")
    option = "vmod" if given.vmod is not None else "nvidia" if given.nvidia is not None else \
        "filelist"
    path = getattr(given, option)
    filelist = _readable(path) if option == "filelist" else f"{folder}/vmod.f"
    said = io.StringIO()
    with contextlib.redirect_stdout(said):  # only if it does not fail
        prepare.prepare(prepare.Request(
            f"--{option}", given.config, filelist if option == "filelist" else path, folder,
            given.top or "NV_nvdla", given.nvidia_rams or "", given.adapter, given.port_map or "",
            tuple(given.pin)), given.print_filelist)
    print(said.getvalue(), end="")
    adapted = os.access(f"{folder}/adapter.f", os.R_OK) and not given.print_filelist
    return f"{folder}/adapter.f" if adapted else filelist, adapted


def _build(given: Given) -> int:
    filelist, adapted = _prepare(given)
    taps = "" if given.taps is None else _readable(given.taps)
    if given.print_filelist:
        return EXIT_OK
    print(f"building {filelist} as rtl:{given.name} for configuration {given.config} ...",
          flush=True)
    top = "nvcosim_adapter" if adapted else given.top or "NV_nvdla"
    pins = " ".join([] if adapted else given.pin)  # an adapter has them
    status = _run(given, "--", f"FILELIST={filelist}", f"TAPS={taps}", f"TOP={top}",
                  f"VERILATOR_OPTIONS={' '.join(given.verilator_option)}", f"PINS={pins}",
                  *_compile_variables(given))
    if status != EXIT_OK:
        return status
    warning = ""
    if configurations.row(given.config)["map"] != "full":  # which has none
        warning = cfgrom.compare(given.config, given.name)
    if warning:
        print(f"warning: {warning}")
    print(f"done; use it with: nvcosim run --config {given.config} --dut rtl:{given.name} TRACE")
    return EXIT_OK


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    _check(parser, given)
    if given.json:
        return _run(given, "--known" if given.known else "--update",
                    *["--profile"] * given.profile, f"--variant={given.variant}")
    return _rebuild(given) if _is_known(given) else _build(given)
