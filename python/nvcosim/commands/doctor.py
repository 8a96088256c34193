"""nvcosim doctor LOG: from the log of a driver to what stopped it. csrc/cli/doctor.c explains and
checks the options, and compares outputs."""
from nvcosim import configurations
from nvcosim.doctor import messages, report
from nvcosim.doctor.devices import Devices
from nvcosim.doctor.messages import NONE
from nvcosim.doctor.network import Network
from nvcosim.doctor.several import Several
from nvcosim.options import Parser
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = Parser("doctor", "LOG", doc="")
    parser.add("config", arg="NAME")
    parser.add("loadable", arg="NET")
    parser.add("clock", arg="MHZ", kind=float)
    parser.add("json")
    given = parser.parse(argv)
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
