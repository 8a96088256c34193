"""nvcosim sweep: estimates of networks over configurations and memories, in one table."""
from nvcosim.networks.sweep import Options, sweep
from nvcosim.options import Parser, number, text
from nvcosim.tool import EXIT_OK

DOC = ("Estimates networks or traces on every configuration with every memory, and prints one "
       "table. Points that --measure names are played on the RTL as well, and show the error of "
       "the estimate.")
AFTER = """\
Examples:
  nvcosim sweep --memory latency=32 --memory ddr4-2400 net.nvdla
  nvcosim sweep --config small --config small,macs=256,cbuf=256K --html sweep.html net.tflite
  nvcosim sweep --measure 1 net.nvdla

docs/estimate.md explains the columns."""


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = Parser("sweep", "NET|TRACE...", doc=DOC, after=AFTER)
    parser.add("config", arg="NAME[,...]", repeat=True, dest="configs",
               help="Configuration, as for `nvcosim estimate`; may be repeated (default: that of "
                    "each network)")
    parser.add("memory", arg="MEMORY", repeat=True, dest="memories",
               help="Memory, as for `nvcosim estimate`; may be repeated (default latency=32)")
    parser.add("measure", arg="N|all", repeat=True,
               help="Also play this point of the table on the RTL; may be repeated")
    parser.add("mhz", arg="N", kind=number(1, 10000),
               help="Clock of NVDLA, for frames a second (default: core_mhz of the memory, else "
                    "1000)")
    parser.add("plan", help="Plan quantised networks from their sizes alone, as for `nvcosim "
                            "estimate`")
    parser.add("laws", arg="FILE", kind=text("the name of a file"),
               help="Laws of another RTL, as scripts/fit.py writes them")
    parser.add("csv", arg="FILE", kind=text("the name of a file"), help="Write the table as CSV")
    parser.add("html", arg="FILE", kind=text("the name of a file"),
               help="Write the table as a page")
    given = parser.parse(argv)
    if not given.words:
        parser.error("no network is given; expected networks or traces")
    sweep(Options(given.words, given.configs, given.memories or ["latency=32"], given.measure,
                  given.mhz or 0, given.plan, given.laws or "", given.csv or "", given.html or ""))
    return EXIT_OK
