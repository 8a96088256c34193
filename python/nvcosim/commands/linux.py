"""nvcosim linux: a Linux guest, with a driver of NVDLA, on the device."""
from nvcosim.guest.linux import Options, play
from nvcosim.options import Parser, Wrong, text
from nvcosim.plan.facts import configurations

DOC = ("Starts an unmodified Linux for arm64 in QEMU (10.1 or later) whose NVDLA is the RTL or the "
       "model, and runs a compiled network there by NVIDIA's driver and runtime.")
AFTER = """\
Without NET: a shell in the guest. `make guest` makes the guest, with --selftest's programs; \
`make guest SW=CHECKOUT` adds NVIDIA's driver and runtime (docs/live.md).

Examples:
  nvcosim linux --selftest
  nvcosim linux --dut model --selftest --record session.nvt.gz
  nvcosim linux --config small net.nvdla --input picture.pgm

Exit status: 0 all well; 1 a program of the self-test failed, or the device had findings; 2 bad \
input or usage, or the guest could not do its work."""
_SERVE = ("record", "last", "judge", "stop", "debug", "verbose")  # options that serve checks


def _config(given: str) -> str:
    if given not in configurations():
        raise Wrong(f"found '{given}', expected a configuration such as small or full")
    return given


def _parser() -> Parser:
    parser = Parser("linux", "[NET.nvdla]", doc=DOC, after=AFTER)
    parser.add("config", arg="NAME", kind=_config,
               help="NVDLA configuration (default small); an unknown NAME lists them")
    parser.add("dut", arg="DUT", kind=text("rtl, model or rtl:NAME"),
               help="Device: rtl (default), model or rtl:NAME, as for nvcosim serve")
    parser.add("input", arg="PICTURE", kind=text("a picture"),
               help="The network's input, a .pgm or .jpg that NVIDIA's runtime reads")
    parser.add("record", arg="FILE",
               help="Write each session as a trace that replays it, .nvt or .nvt.gz")
    parser.add("last", arg="N", help="With --record: keep only the last N layers, or a few more")
    parser.add("judge", help="The model follows: tell each layer that the RTL computes otherwise")
    parser.add("stop", arg="hold", optional=True,
               help="With --judge: end at the first wrong layer; hold: stand still there")
    parser.add("debug", help="With --judge and --record: run nvcosim debug on a recording with a "
                             "wrong layer")
    parser.add("selftest", help="Play the programs of the self-test, which are of small, by MSI "
                                "and by INTx")
    parser.add("guest", arg="FOLDER", kind=text("a folder"),
               help="What `make guest` wrote (default: guest/ in the build folder)")
    parser.add("verbose", short="v", help="Print each launch as it is armed and done")
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if len(given.words) > 1:
        parser.error(f"found a second network '{given.words[1]}', expected one")
    config, network = given.config or "small", "".join(given.words)
    if network and given.selftest:
        parser.error("--selftest has programs of its own; expected no network with it")
    if given.selftest and config != "small":
        parser.error(f"--selftest: found --config {config}, expected small, of which its programs "
                     "are")
    if network and not given.input:
        parser.error(f"--input is missing; expected the picture that {network} reads")
    if given.input and not network:
        parser.error("--input: expected a network with it")
    values = {name: getattr(given, name) for name in _SERVE}
    server = [f"--{name}" if value is True or (name == "stop" and not value) else
              f"--{name}={value}" for name, value in values.items() if value not in (None, False)]
    return play(Options(config, given.dut or "", given.guest or "", network, given.input or "",
                        server, given.selftest))
