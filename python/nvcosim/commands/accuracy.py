"""nvcosim accuracy: top-1 and top-5 of a network over labelled pictures: all on the model (`nvcosim
compile --values`), a random sample on the RTL too (`nvcosim run`)."""
import collections
import concurrent.futures
import functools
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import types
import typing

from nvcosim import tool
from nvcosim.networks import labels
from nvcosim.networks.labels import Picture
from nvcosim.options import RUN_OUTPUT, Parser, number, text
from nvcosim.plan.seeds import GAMMA, splitmix
from nvcosim.progress import Progress
from nvcosim.store.results import Result
from nvcosim.text import plural, shown
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_OK, Failure, program, shell_status, worst

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
cannot be computed, bad input or usage; 3 and 4 as for nvcosim run. Pictures that are not \
recognised do not change it."""
_LEFT_OUT = (*RUN_OUTPUT, "checks", "taps", "stop-at-first", "outputs", "top", "npy", "dimg",
             "no-golden", "strict")
_MOST = 100000000
TOP = 5
_MATRIX_CLASSES, _FREQUENT = 20, 20
_PICTURE = re.compile(r".*\.(pgm|ppm|pnm|png|jpg|jpeg)", re.I | re.S)


class Predictor:
    """A process that computes the network for one picture after the other."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(
            [program(), "compile", "--values", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @functools.cached_property
    def facts(self) -> dict[str, typing.Any]:
        """What it says of the network."""
        return self._line(EXIT_BAD_INPUT)

    def values(self, path: str) -> dict[str, typing.Any]:
        """What it says of the picture in that file. Failure: it has ended."""
        assert self.facts and self.process.stdin
        try:
            self.process.stdin.write(os.fsencode(path) + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._line()

    def _line(self, explained: int | None = None) -> dict[str, typing.Any]:
        """explained: a status with which it says on stderr what the user's error is."""
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        if line:
            return typing.cast(dict[str, typing.Any], json.loads(line))
        said = self.process.stderr.read().decode("utf-8", "surrogateescape")
        status = self.process.wait()
        if status == explained:
            raise Failure(said.split("\n", 1)[0].removeprefix("nvcosim compile: "))
        raise Failure(f"a process that computes pictures ended with status {shell_status(status)}"
                      f"{' (128 + the signal)' if status < 0 else ''}, expected 0")


def places(values: list[float | None]) -> list[int]:
    """The classes, the greatest first, of equals the first; what is not a number (None) is last."""
    return sorted(range(len(values)), key=lambda i: (
        (False, -value) if (value := values[i]) is not None else (True, 0)))


class Accuracy:
    """All that is found out. given: the options of the command, of which `compile` and `run` are
    words. config: of the network. count: of its classes."""

    def __init__(self, given: types.SimpleNamespace) -> None:
        self.given = given
        self.predictors = [self._predictor()]
        facts = self.predictors[0].facts
        for warning in facts["warnings"]:
            print(f"warning: {shown(warning)}", file=sys.stderr)
        self.config, self.count = facts["config"], facts["classes"]
        self.classes = labels.read_lines(given.classes, "--classes") if given.classes else []
        self.pictures = labels.read(given.labels, self.classes, self.count)
        names = {picture.file for picture in self.pictures}
        self.unlabelled = [name for name in self._files() if name not in names]
        self.played: list[Picture] = []  # on the RTL

    def _predictor(self) -> Predictor:
        return Predictor([*self.given.compile, "--", self.given.network])

    # ---- the folder

    def _files(self) -> list[str]:
        """The pictures in the folder, and in folders in it."""
        folder = self.given.inputs
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise Failure(f"--inputs: {folder}: is not a folder; expected one")
        try:
            with os.scandir(folder):
                return list(_pictures_in(folder, "", (os.path.realpath(folder),)))
        except OSError as error:
            raise Failure(f"--inputs: {folder}: {error.strerror}") from None

    def _path(self, picture: Picture) -> str:
        return f"{self.given.inputs}/{picture.file}"

    # ---- on the model

    def _compute(self, picture: Picture) -> None:
        path = self._path(picture)
        try:
            os.stat(path)
        except OSError as error:
            picture.missing = f"{path}: {error.strerror}"
            return
        predictor = self.idle.get()
        said = predictor.values(path)
        self.idle.put(predictor)
        if "error" in said:
            picture.damaged = said["error"]
            return
        ordered = places(said["values"])
        picture.top, picture.rank = ordered[:TOP], ordered.index(picture.label)

    def compute(self) -> None:
        """All pictures, on as many processes as there are jobs."""
        more = min(self.given.jobs, len(self.pictures)) - 1
        self.predictors += [self._predictor() for _ in range(more)]
        self.idle: queue.SimpleQueue[Predictor] = queue.SimpleQueue()
        for predictor in self.predictors:
            self.idle.put(predictor)
        progress, total = Progress(), len(self.pictures)
        with concurrent.futures.ThreadPoolExecutor(len(self.predictors)) as pool:
            try:
                for done, _ in enumerate(pool.map(self._compute, self.pictures), 1):
                    progress.show(f"accuracy: {done} of {total} pictures"
                                  f"{progress.left(done, total)}")
            finally:
                progress.clear()
                for predictor in self.predictors:
                    predictor.process.kill()

    # ---- on the RTL

    def _choose(self) -> None:
        """Pictures that were computed; all of them if there are not more."""
        pictures, state = self.computed, self.given.seed
        for i in range(min(self.given.rtl, len(pictures))):
            at = i + ((splitmix(state) >> 32) * (len(pictures) - i) >> 32)
            state += GAMMA
            pictures[i], pictures[at] = pictures[at], pictures[i]
            pictures[i].trace = f"{self.given.out}/picture-{pictures[i].line}.nvt.gz"
            self.played.append(pictures[i])

    def _compile(self, picture: Picture) -> None:
        made = subprocess.run(
            [program(), "compile", *self.given.compile, f"--input={self._path(picture)}",
             f"--output={picture.trace}", "--", self.given.network], stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, check=False, encoding="utf-8", errors="surrogateescape")
        if made.returncode:
            raise Failure(made.stderr.strip().removeprefix("nvcosim compile: "))

    def play_sample(self) -> int:
        """Returns the exit status of nvcosim run."""
        given = self.given
        self._choose()
        if not self.played:
            return EXIT_OK
        os.makedirs(given.out, exist_ok=True)
        by_trace = {picture.trace: picture for picture in self.played}
        for picture in self.played:
            self._compile(picture)
        with tempfile.NamedTemporaryFile(prefix="nvcosim-accuracy-") as results:
            status = subprocess.run(
                ["setpriv", "--pdeathsig", "TERM", "--", program(), "run", *given.run, "--quiet",
                 f"--out={given.out}", f"--jobs={given.jobs}", f"--results={results.name}", "--",
                 *by_trace], stdout=subprocess.DEVNULL, check=False).returncode
            for line in results.read().decode("utf-8", "surrogateescape").splitlines():
                result = Result.from_json(line)
                if result and result.text("path") in by_trace:
                    by_trace[result.text("path") or ""].result = result
        return shell_status(status)

    # ---- the result

    @property
    def computed(self) -> list[Picture]:
        return [picture for picture in self.pictures if picture.top]

    @property
    def wrong(self) -> list[Picture]:
        return [picture for picture in self.computed if picture.rank]

    @property
    def confusions(self) -> dict[tuple[int, int], int]:
        """How often pictures of a label were found to be of a class, by label and class."""
        return dict(sorted(collections.Counter(
            (picture.label, picture.top[0]) for picture in self.computed).items()))

    @property
    def in_top(self) -> int:
        return sum(picture.rank < TOP for picture in self.computed)

    def to_json(self) -> dict[str, typing.Any]:
        """The object of --json."""
        def of(picture: Picture, **more: typing.Any) -> dict[str, typing.Any]:
            return {"file": picture.file, "line": picture.line, **more}

        members = {
            "network": self.given.network, "config": self.config, "classes": self.count,
            "class_names": self.classes, "labelled": len(self.pictures),
            "computed": len(self.computed), "top1": len(self.computed) - len(self.wrong),
            "top5": self.in_top,
            "confusion": [{"label": label, "found": found, "count": count}
                          for (label, found), count in self.confusions.items()],
            "wrong": [of(p, label=p.label, top=p.top, rank=p.rank) for p in self.wrong],
            "missing": [of(p, message=p.missing) for p in self.pictures if p.missing],
            "damaged": [of(p, message=p.damaged) for p in self.pictures if p.damaged],
            "unlabelled": self.unlabelled}
        if self.given.rtl:
            members["rtl"] = {"seed": self.given.seed, "pictures": [
                of(p, trace=p.trace, verdict=p.result.verdict if p.result else None,
                   reason=p.result.reason if p.result else None) for p in self.played]}
        return members

    # ---- as text

    def _named(self, number: int) -> str:
        """ "7", or "7 seven" where the class has a name."""
        classes = self.classes
        return f"{number} {classes[number]}" if number < len(classes) else str(number)

    def _list(self, title: str, lines: typing.Sequence[str]) -> None:
        """As many as may be listed, below the title; nothing if there are none."""
        most = self.given.list
        if lines:
            print(title)
        for line in lines[:most]:
            print(f"  {shown(line)}")
        if len(lines) > most:
            print(f"  and {len(lines) - most} more (--list)")

    def _print_matrix(self) -> None:
        count, confusions = range(self.count), self.confusions
        print("confusion (a row for each label, a column for each class found):\n     "
              + "".join(f" {found:5}" for found in count))
        for label in count:
            print(f"{label:5}"
                  + "".join(f" {confusions.get((label, found), 0):5}" for found in count))

    def _print_frequent(self) -> None:
        """Of many classes: the pairs that are confused most often."""
        pairs = [(pair, count) for pair, count in self.confusions.items()
                 if pair[0] != pair[1]]
        pairs.sort(key=lambda item: -item[1])
        print("most frequent confusions (label: class found, pictures):")
        for (label, found), count in pairs[:_FREQUENT]:
            print(f"  {shown(self._named(label))}: {shown(self._named(found))}, {count}")
        if not pairs:
            print("  none")

    def _print_rtl(self) -> None:
        well = sum(picture.plays_well for picture in self.played)
        print(f"rtl: {plural(len(self.played), 'picture')} of seed {self.given.seed}, "
              f"{well} as on the model")
        for picture in self.played:
            verdict, reason = (picture.result.verdict, picture.result.reason) if picture.result \
                else ("NOT PLAYED", "")
            if not picture.plays_well:
                print(shown(f"  {verdict} {picture.file} ({picture.trace}): {reason}"))

    def print(self) -> None:
        """All of it for the user."""
        done, wrong = len(self.computed), self.wrong
        print(f"{shown(self.given.network)} ({self.config}): {done} of {len(self.pictures)} "
              "labelled pictures computed")
        for top, right in ((1, done - len(wrong)), (TOP, self.in_top)):
            print(f"top-{top}: {right}, {100 * right / done if done else 0:.2f} %")
        if self.count <= _MATRIX_CLASSES:
            self._print_matrix()
        else:
            self._print_frequent()
        self._list(f"{plural(len(wrong), 'picture is', 'pictures are')} not recognised:", [
            f"{p.file}: label {self._named(p.label)}, found {self._named(p.top[0])}; the label has "
            f"place {p.rank + 1}" for p in wrong])
        for title, whys in (
                ("without a picture", [(p.line, p.missing) for p in self.pictures]),
                ("of pictures that cannot be computed",
                 [(p.line, p.damaged) for p in self.pictures])):
            lines = [f"{self.given.labels}:{line}: {why}" for line, why in whys if why]
            self._list(f"{plural(len(lines), 'label')} {title}:", lines)
        self._list(f"{plural(len(self.unlabelled), 'picture has', 'pictures have')} no label, "
                   "so not counted:", self.unlabelled)
        if self.given.rtl:
            self._print_rtl()


def _pictures_in(folder: str, prefix: str, above: tuple[str, ...]) -> typing.Iterator[str]:
    """Names of pictures, ordered. above: folders on the way: a link to one is a circle."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    for entry in entries:
        name = prefix + entry.name
        if entry.is_dir():
            real = os.path.realpath(entry.path)
            if real not in above and os.access(real, os.R_OK | os.X_OK):
                yield from _pictures_in(entry.path, f"{name}/", (*above, real))
        elif entry.is_file() and _PICTURE.fullmatch(name):
            yield name


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
    """Prints the outcome to stdout and the rest to stderr. Returns the exit status."""
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
    asked = parser.check_run(given.run)
    if given.rtl and asked["dut"] != "both":
        parser.error("--dut: RTL and model are compared; use --dut both or --dut rtl:NAME")
    config, seed = _value(given.run, "config"), _value(given.run, "seed") or "1"
    given.network = given.words[0]
    given.seed = int(seed, 16 if seed[:2] in ("0x", "0X") else 10)
    given.out = _value(given.run, "out") or "nvcosim-out"
    given.compile += [f"--config={config}"] if config else []
    outcome = Accuracy(given)
    outcome.compute()
    played = outcome.play_sample() if given.rtl else EXIT_OK
    if played > 128:  # ended by a signal: the outcome is not whole
        return played
    if given.json:
        print(json.dumps(outcome.to_json(), indent=2, ensure_ascii=False))
    else:
        outcome.print()
    whole = len(outcome.computed) == len(outcome.pictures)
    return worst([played, EXIT_OK if whole else EXIT_BAD_INPUT])
