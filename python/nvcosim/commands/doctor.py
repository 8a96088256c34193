"""nvcosim doctor LOG: from the log of a driver to what stopped it; --output: from a wrong output to
its pattern. csrc/cli/doctor.c explains and checks the options."""
from nvcosim import configurations
from nvcosim.doctor import messages, report
from nvcosim.doctor.devices import Devices
from nvcosim.doctor.messages import NONE
from nvcosim.doctor.network import Network
from nvcosim.doctor.several import Several
from nvcosim.options import Parser, number
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK

_TEXTS = ("config", "loadable", "output", "name", "layer", "before", "mean", "norm", "scale",
          "channels", "base")


def _parser() -> Parser:
    parser = Parser("doctor", "LOG", doc="")
    for name in _TEXTS:
        parser.add(name, arg="TEXT")
    parser.add("input", arg="PICTURE", repeat=True)
    parser.add("clock", arg="MHZ", kind=float)
    parser.add("run-clocks", arg="N", kind=number(0, 10 ** 12))
    parser.add("no-layer-checks")
    parser.add("json")
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    given = _parser().parse(argv)
    if given.output:
        from nvcosim.doctor import output
        return output.main(given)
    path, megahertz = given.words[0], given.clock or 0
    network = Network(given.loadable, given.config) if given.loadable else None
    config = network.config if network else given.config
    small = configurations.row(config)["map"] == "small" if config else None
    diagnosis, log = Several(Devices(messages.read(path)), network, small).diagnose()
    if network and network.config and NONE not in (diagnosis.task, diagnosis.layer):
        diagnosis.estimated_clocks = network.clocks(log, diagnosis.task, diagnosis.layer)
    if given.json:
        print(report.as_json(log, diagnosis, megahertz))
    else:
        print(*report.lines(path, log, diagnosis, megahertz), sep="\n")
    return EXIT_OK if diagnosis.verdict == "good" else EXIT_DIFFERENT
