"""nvcosim coverage: counts the kinds of layers in traces and lists those that never occur."""
import json
import re
import subprocess
import sys

from nvcosim import configurations, files, tool
from nvcosim.coverage import Coverage
from nvcosim.options import Parser
from nvcosim.text import shown
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_OK, Failure, complain

DOC = ("Counts which kinds of layers the traces hold (engine, mode, size classes, padding, stride, "
       "operands, formats, reuse, fused chains and combinations of them) and prints a table that "
       "names what was never exercised. Kinds that the traces' configurations cannot have are left "
       "out.")
AFTER = """\
Examples:
  nvcosim coverage traces/conformance/small/*.nvt.gz
  nvcosim coverage --play -o monday.txt random/*.nvt.gz
  nvcosim coverage --merge monday.txt --merge tuesday.txt -o week.txt"""


def _parser() -> Parser:
    parser = Parser("coverage", "TRACE...", "--merge FILE...", "--bits", doc=DOC, after=AFTER)
    parser.add("config", arg="NAME", kind=configurations.named,
               help="NVDLA configuration (default: small for .cfg, full for .txn, the header's for "
                    ".nvt); an unknown NAME lists them")
    parser.add("merge", arg="FILE", repeat=True,
               help="Add the counts of an earlier run; may be repeated")
    parser.add("out", short="o", arg="FILE", help="Write the counts, one line `BIN COUNT` each")
    parser.add("play", help="Play each trace on the model, and count which corners its values "
               "reach, too: ends of ranges, ties and clipping of convertors, ends of tables, "
               "special numbers of FP16")
    parser.add("bits", help="Instead of traces: read the bins of tests from stdin, a line of hex "
               "digits each (docs/results.md: coverage), and print JSON")
    return parser


def _tests() -> list[bytes]:
    """The bins of tests from standard input; a line ends at what is no pair of digits."""
    lines = (re.match(rb"(?:[0-9a-f]{2})*", line) for line in sys.stdin.buffer)
    return [bytes.fromhex(line[0].decode()) for line in lines if line]


def _merge(coverage: Coverage, paths: list[str]) -> bool:
    """Adds files. Prints all errors; False if there was one."""
    fine = True
    for path in paths:
        try:
            coverage.merge(path)
        except Failure as failure:
            complain(f"--merge: {shown(str(failure))}")
            fine = False
    return fine


def _count(coverage: Coverage, words: list[str]) -> int:
    """Adds the counts of traces; returns the exit status of what counts them, which prints its
    errors."""
    done = subprocess.run([tool.program(), "coverage-bins", *words], stdout=subprocess.PIPE,
                          check=False)
    if done.returncode == EXIT_OK:
        coverage.counts = list(map(sum, zip(coverage.counts, json.loads(done.stdout)["counts"])))
    return tool.shell_status(done.returncode)


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if given.bits and (given.words or given.merge or given.out is not None or given.play):
        parser.error("--bits: found traces or other options as well; expected --bits alone")
    if not (given.bits or given.words or given.merge):
        parser.error("no trace is given; expected at least one .cfg, .txn, .nvt or .nvt.gz file, "
                     "or a directory that holds one, or --merge FILE")
    coverage, complaint = Coverage(tool.run_json("coverage-bins")), ""
    if given.bits:
        tests = coverage.add_bits(_tests())
        print(json.dumps(coverage.facts(tests), separators=(",", ":")))
        return EXIT_OK
    if not _merge(coverage, given.merge):
        return EXIT_BAD_INPUT
    words = [*(["--config", given.config] if given.config else []), *["--play"] * given.play]
    if given.words and (status := _count(coverage, [*words, "--", *given.words])):
        return status
    try:
        if given.out is not None:
            files.write(given.out, coverage.written().encode())
    except Failure as failure:
        complaint = shown(str(failure))
    print(coverage.text())
    if complaint:
        complain(complaint)
    return EXIT_BAD_INPUT if complaint else EXIT_OK
