"""Accuracy of a network over labelled pictures: all on the model (`nvcosim compile --values`), a
random sample on the RTL too (`nvcosim run`)."""
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import typing

from nvcosim.networks import labels
from nvcosim.networks.labels import Picture
from nvcosim.plan.seeds import GAMMA, splitmix
from nvcosim.progress import Progress
from nvcosim.store.results import Result
from nvcosim.text import plural, shown
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_OK, Failure, program, shell_status, worst

TOP = 5
TICK_SECONDS = 0.2
_MATRIX_CLASSES, _FREQUENT = 20, 20
_PICTURE = re.compile(r".*\.(pgm|ppm|pnm|png|jpg|jpeg)", re.I | re.S)


@dataclasses.dataclass
class Options:
    """inputs: a folder. labels, classes: files, classes "": none. rtl: pictures to play on the RTL
    too. listed: pictures to list of each kind of failure. compile: options for compiling as words.
    run: those of nvcosim run, without --out and --jobs."""
    network: str
    inputs: str
    labels: str
    classes: str
    rtl: int
    listed: int
    json: bool
    jobs: int
    seed: int
    out: str
    compile: list[str]
    run: list[str]


@dataclasses.dataclass
class Played:
    """A picture on the RTL. result: None: it was not played."""
    picture: Picture
    trace: str
    result: Result | None = None

    @property
    def well(self) -> bool:
        return self.result is not None and self.result.status == EXIT_OK


class Predictor:
    """A process that computes the network for one picture after the other."""

    def __init__(self, options: Options) -> None:
        self.process = subprocess.Popen(
            [program(), "compile", "--values", *options.compile, "--", options.network],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def line(self, path: str | None) -> dict[str, typing.Any]:
        """What it says of the picture in that file; None: of the network. Failure: it has ended."""
        assert self.process.stdin and self.process.stdout and self.process.stderr
        try:
            if path is not None:
                self.process.stdin.write(os.fsencode(path) + b"\n")
                self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if line:
            return typing.cast(dict[str, typing.Any], json.loads(line))
        said = self.process.stderr.read().decode("utf-8", "surrogateescape")
        status = self.process.wait()
        if path is None and status == EXIT_BAD_INPUT:
            raise Failure(said.split("\n", 1)[0].removeprefix("nvcosim compile: "))
        raise Failure(f"a process that computes pictures ended with status {shell_status(status)}"
                      f"{' (128 + the signal)' if status < 0 else ''}, expected 0")


def places(values: list[float | None]) -> list[int]:
    """The classes, the greatest first, of equals the first; what is not a number (None) is last."""
    return sorted(range(len(values)), key=lambda i: (
        (False, -value) if (value := values[i]) is not None else (True, 0)))


class Accuracy:
    """All that is found out. config: of the network. count: of its classes."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.predictors = [Predictor(options)]
        facts = self.predictors[0].line(None)
        for warning in facts["warnings"]:
            print(f"warning: {shown(warning)}", file=sys.stderr)
        self.config, self.count = facts["config"], facts["classes"]
        self.classes = labels.read_lines(options.classes, "--classes") if options.classes else []
        self.pictures = labels.read(options.labels, self.classes, self.count)
        names = {picture.file for picture in self.pictures}
        self.unlabelled = [name for name in self._files() if name not in names]
        self.played: list[Played] = []

    # ---- the folder

    def _files(self) -> list[str]:
        """The pictures in the folder, and in folders in it."""
        folder = self.options.inputs
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise Failure(f"--inputs: {folder}: is not a folder; expected one")
        try:
            with os.scandir(folder):
                return list(_pictures_in(folder, "", (os.path.realpath(folder),)))
        except OSError as error:
            raise Failure(f"--inputs: {folder}: {error.strerror}") from None

    def _path(self, picture: Picture) -> str:
        return f"{self.options.inputs}/{picture.file}"

    # ---- on the model

    def _compute(self, predictor: Predictor, picture: Picture) -> None:
        path = self._path(picture)
        try:
            os.stat(path)
        except OSError as error:
            picture.missing = f"{path}: {error.strerror}"
            return
        said = predictor.line(path)
        if "error" in said:
            picture.damaged = said["error"]
            return
        ordered = places(said["values"])
        picture.top, picture.rank = ordered[:TOP], ordered.index(picture.label)

    def _compute_some(self, predictor: Predictor, pictures: typing.Iterator[Picture]) -> None:
        if predictor is not self.predictors[0]:
            predictor.line(None)
        for picture in pictures:
            self._compute(predictor, picture)
            self.done += 1

    def compute(self) -> None:
        """All pictures, on as many processes as there are jobs."""
        more = min(self.options.jobs, len(self.pictures)) - 1
        self.predictors += [Predictor(self.options) for _ in range(more)]
        self.done, progress = 0, Progress()
        pictures = iter(self.pictures)  # each takes the next one
        with concurrent.futures.ThreadPoolExecutor(len(self.predictors)) as pool:
            try:
                tasks = [pool.submit(self._compute_some, predictor, pictures)
                         for predictor in self.predictors]
                while concurrent.futures.wait(tasks, TICK_SECONDS).not_done:
                    progress.show(f"accuracy: {self.done} of {len(self.pictures)} pictures"
                                  f"{progress.left(self.done, len(self.pictures))}")
            finally:
                progress.clear()
                self.close()
        for task in tasks:
            task.result()

    def close(self) -> None:
        """Ends the processes."""
        for predictor in self.predictors:
            predictor.process.kill()

    # ---- on the RTL

    def _choose(self) -> None:
        """Pictures that were computed; all of them if there are not more."""
        pictures = [picture for picture in self.pictures if picture.top]
        state = self.options.seed
        for i in range(min(self.options.rtl, len(pictures))):
            at = i + ((splitmix(state) >> 32) * (len(pictures) - i) >> 32)
            state += GAMMA
            pictures[i], pictures[at] = pictures[at], pictures[i]
            self.played.append(Played(
                pictures[i], f"{self.options.out}/picture-{pictures[i].line}.nvt.gz"))

    def play_sample(self) -> int:
        """Returns the exit status of nvcosim run."""
        options = self.options
        self._choose()
        if not self.played:
            return EXIT_OK
        os.makedirs(options.out, exist_ok=True)
        for played in self.played:
            made = subprocess.run(
                [program(), "compile", *options.compile, f"--input={self._path(played.picture)}",
                 f"--output={played.trace}", "--", options.network], stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL, check=False, encoding="utf-8", errors="surrogateescape")
            if made.returncode:
                raise Failure(made.stderr.strip().removeprefix("nvcosim compile: "))
        with tempfile.NamedTemporaryFile(prefix="nvcosim-accuracy-") as results:
            status = subprocess.run(
                ["setpriv", "--pdeathsig", "TERM", "--", program(), "run", *options.run,
                 "--quiet", f"--out={options.out}", f"--jobs={options.jobs}",
                 f"--results={results.name}",
                 "--", *(played.trace for played in self.played)],
                stdout=subprocess.DEVNULL, check=False).returncode
            by_trace = {played.trace: played for played in self.played}
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

    def to_json(self) -> dict[str, typing.Any]:
        """The object of --json."""
        def of(picture: Picture, **more: typing.Any) -> dict[str, typing.Any]:
            return {"file": picture.file, "line": picture.line, **more}

        members = {
            "network": self.options.network, "config": self.config, "classes": self.count,
            "class_names": self.classes, "labelled": len(self.pictures),
            "computed": len(self.computed), "top1": len(self.computed) - len(self.wrong),
            "top5": sum(picture.rank < TOP for picture in self.computed),
            "confusion": [{"label": label, "found": found, "count": count}
                          for (label, found), count in self.confusions.items()],
            "wrong": [of(p, label=p.label, top=p.top, rank=p.rank) for p in self.wrong],
            "missing": [of(p, message=p.missing) for p in self.pictures if p.missing],
            "damaged": [of(p, message=p.damaged) for p in self.pictures if p.damaged],
            "unlabelled": self.unlabelled}
        if self.options.rtl:
            members["rtl"] = {"seed": self.options.seed, "pictures": [
                of(played.picture, trace=played.trace,
                   verdict=played.result.verdict if played.result else None,
                   reason=played.result.reason if played.result else None)
                for played in self.played]}
        return members


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


class _Text:
    """The outcome as text."""

    def __init__(self, accuracy: Accuracy) -> None:
        self.accuracy = accuracy

    def named(self, number: int) -> str:
        """ "7", or "7 seven" where the class has a name."""
        classes = self.accuracy.classes
        return f"{number} {classes[number]}" if number < len(classes) else str(number)

    def list(self, title: str, lines: typing.Sequence[str]) -> None:
        """As many as may be listed, below the title; nothing if there are none."""
        most = self.accuracy.options.listed
        if lines:
            print(title)
        for line in lines[:most]:
            print(f"  {shown(line)}")
        if len(lines) > most:
            print(f"  and {len(lines) - most} more (--list)")

    def matrix(self) -> None:
        count, confusions = range(self.accuracy.count), self.accuracy.confusions
        print("confusion (a row for each label, a column for each class found):\n     "
              + "".join(f" {found:5}" for found in count))
        for label in count:
            print(f"{label:5}"
                  + "".join(f" {confusions.get((label, found), 0):5}" for found in count))

    def frequent(self) -> None:
        """Of many classes: the pairs that are confused most often."""
        pairs = [(pair, count) for pair, count in self.accuracy.confusions.items()
                 if pair[0] != pair[1]]
        pairs.sort(key=lambda item: -item[1])
        print("most frequent confusions (label: class found, pictures):")
        for (label, found), count in pairs[:_FREQUENT]:
            print(f"  {shown(self.named(label))}: {shown(self.named(found))}, {count}")
        if not pairs:
            print("  none")

    def rtl(self) -> None:
        accuracy = self.accuracy
        well = sum(played.well for played in accuracy.played)
        print(f"rtl: {plural(len(accuracy.played), 'picture')} of seed {accuracy.options.seed}, "
              f"{well} as on the model")
        for played in accuracy.played:
            verdict, reason = (played.result.verdict, played.result.reason) if played.result else \
                ("NOT PLAYED", "")
            if not played.well:
                print(shown(f"  {verdict} {played.picture.file} ({played.trace}): {reason}"))

    def print(self) -> None:
        accuracy, options = self.accuracy, self.accuracy.options
        done, wrong = len(accuracy.computed), accuracy.wrong
        print(f"{shown(options.network)} ({accuracy.config}): {done} of {len(accuracy.pictures)} "
              "labelled pictures computed")
        for top, right in ((1, done - len(wrong)),
                           (TOP, sum(picture.rank < TOP for picture in accuracy.computed))):
            print(f"top-{top}: {right}, {100 * right / done if done else 0:.2f} %")
        if accuracy.count <= _MATRIX_CLASSES:
            self.matrix()
        else:
            self.frequent()
        self.list(f"{plural(len(wrong), 'picture is', 'pictures are')} not recognised:", [
            f"{picture.file}: label {self.named(picture.label)}, found "
            f"{self.named(picture.top[0])}; the label has place {picture.rank + 1}"
            for picture in wrong])
        for title, whys in (
                ("without a picture", [(p.line, p.missing) for p in accuracy.pictures]),
                ("of pictures that cannot be computed",
                 [(p.line, p.damaged) for p in accuracy.pictures])):
            lines = [f"{options.labels}:{line}: {why}" for line, why in whys if why]
            self.list(f"{plural(len(lines), 'label')} {title}:", lines)
        self.list(f"{plural(len(accuracy.unlabelled), 'picture has', 'pictures have')} no label, "
                  "so not counted:", accuracy.unlabelled)
        if options.rtl:
            self.rtl()


def accuracy(options: Options) -> int:
    """Does everything, prints the outcome to stdout and the rest to stderr. Returns the exit
    status: 0; 1 if RTL and model differ for a picture; 2 if labels have no picture, or pictures
    cannot be computed; of the RTL as nvcosim run. Failure."""
    outcome = Accuracy(options)
    outcome.compute()
    played = outcome.play_sample() if options.rtl else EXIT_OK
    if played > 128:  # ended by a signal: the outcome is not whole
        return played
    if options.json:
        print(json.dumps(outcome.to_json(), indent=2, ensure_ascii=False))
    else:
        _Text(outcome).print()
    whole = len(outcome.computed) == len(outcome.pictures)
    return worst([played, EXIT_OK if whole else EXIT_BAD_INPUT])
