"""nvcosim accuracy: top-1 and top-5 of a network over labelled pictures, on the model and, for a
sample, on the RTL."""
import json
import os

from nvcosim import tool
from nvcosim.networks.accuracy import accuracy
from nvcosim.options import Parser, number, text

DOC = ("Computes a network (.nvdla, .tflite, .onnx) for all labelled pictures on the model, and "
       "plays a random sample of them on the RTL too. Prints top-1, top-5, the confusion matrix, "
       "and the pictures that are not recognised.")
AFTER = """\
The file of --labels has a line "FILE LABEL" or "FILE,LABEL" for each picture: FILE in the folder \
of --inputs, LABEL the number of a class from 0, or its name in the file of --classes. Both may be \
in double quotes. A first line "file,label" is skipped.

The network has one input, one picture, and one output, whose elements are the classes. Of equal \
elements the first counts as the greatest. Percentages are of the pictures that were computed.

Traces and reports of the sample go to DIR/picture-LINE, by the line of the label. RTL and model \
are compared in all of memory and after each layer.

Examples:
  nvcosim accuracy net.nvdla --inputs pictures --labels labels.txt
  nvcosim accuracy net.tflite --inputs pictures --labels labels.csv --classes names.txt -j 8
  nvcosim accuracy net.nvdla --inputs pictures --labels labels.txt --rtl 5 --seed 7 --json

Exit status: 0; 1 if RTL and model differ for a picture; 2 if labels have no picture, pictures \
cannot be computed, bad input or usage; 3 and 4 as of nvcosim run. Pictures that are not \
recognised do not change it."""
# Options of `run` for one trace, and those for what is printed here.
_LEFT_OUT = (
    "wave", "wave-from", "wave-to", "wave-layer", "wave-scope", "wave-plain", "saif", "timeline",
    "results", "coverage", "histogram", "coverage-kind", "checks", "tap", "taps", "stop-at-first",
    "outputs", "top", "npy", "dimg", "stats", "verbose", "name", "quiet", "no-golden", "html",
    "strict", "only-failed", "debug")
_MOST = 100000000


def _parser() -> Parser:
    parser = Parser("accuracy", "NET", doc=DOC, after=AFTER)
    parser.add("inputs", arg="FOLDER", kind=text("the name of a folder"),
               help="The pictures (PGM, PPM, PNG, JPEG), of the size of the network's input")
    parser.add("labels", arg="FILE", kind=text("the name of a file"),
               help="The label of each picture: lines FILE LABEL, or CSV")
    parser.add("classes", arg="FILE", kind=text("the name of a file"),
               help="Names of the classes, one a line")
    parser.add("rtl", arg="N", kind=number(0, _MOST), default=0,
               help="Play N of the pictures, chosen by --seed, on the RTL too (default 0)")
    parser.add("list", arg="N", kind=number(0, _MOST), default=20,
               help="List at most N pictures of each kind of failure (default 20); --json lists "
                    "all")
    parser.add("jobs", short="j", arg="N", kind=number(1, 1024),
               default=len(os.sched_getaffinity(0)),
               help="Compute on N processes, and play N traces of the sample at a time (default: "
                    "one for each core)")
    parser.add("json", help="Print an object of JSON")
    parser.add_run(*_LEFT_OUT)
    for row in tool.run_json("info", "--json", "--brief")["network_options"]:
        parser.add(row["name"], arg=row["argument"] or "", help=row["text"], group=7,
                   dest="compile", repeat=True, passed=True)
    return parser


def _value(words: list[str], name: str) -> str:
    """The last value of an option among words, "": none."""
    return ([""] + [word.partition("=")[2] for word in words if word.startswith(f"--{name}=")])[-1]


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if len(given.words) != 1:
        parser.error(f"found {len(given.words)} networks, expected one: NET.nvdla, NET.tflite or "
                     "NET.onnx")
    if not given.inputs or not given.labels:
        parser.error(f"{'--labels' if given.inputs else '--inputs'} is not given; expected "
                     "--inputs FOLDER and --labels FILE")
    if _value(given.compile, "input"):
        parser.error("--input: found a picture; expected --inputs with a folder, and --labels")
    asked = json.loads(tool.run("run", "--check-options", "-", stdin=json.dumps(given.run)))
    if "error" in asked:
        parser.error(asked["error"])
    if given.rtl and asked["dut"] != "both":
        parser.error("--dut: RTL and model are compared; use --dut both or --dut rtl:NAME")
    config, seed = _value(given.run, "config"), _value(given.run, "seed") or "1"
    given.network = given.words[0]
    given.seed = int(seed, 16 if seed[:2] in ("0x", "0X") else 10)
    given.out = _value(given.run, "out") or "nvcosim-out"
    given.compile += [f"--config={config}"] if config else []
    return accuracy(given)
