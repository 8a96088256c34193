"""nvcosim doctor --output: what a board computed against the model, and the pattern of the
difference."""
import json
import os
import re
import struct
import types
import typing

from nvcosim import files, text
from nvcosim.doctor import pattern, plays
from nvcosim.doctor.compiled import Check, Compiled, Tensor
from nvcosim.doctor.likeness import Likeness, Ranking, features
from nvcosim.doctor.pattern import Kind, Output, Pattern
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK, Failure, run_json

_LEAST = 0.5  # a pattern or a cause is printed from this share on
_RANKS = 3    # printed of the faults of a bus
_RUN_CLOCKS = 5000000
_FORM_OPTIONS = ("mean", "norm", "scale")
# Usual ways to prepare a picture, in options of nvcosim run. A mean of 0 is the default.
_FORMS = ("--mean 0", "--mean 128", "--mean 0 --scale 1", "--mean 128 --scale 1",
          "--mean 104,117,123", "--mean 104,117,123 --scale 1", "--mean 0 --norm 255",
          "--mean 127.5 --norm 127.5")
_DIMG = struct.Struct("<4s8I")


def _form(options: typing.Mapping[str, str]) -> dict[str, list[float]]:
    """The numbers of the form of an input, without what is the default."""
    numbers = {name: [float(word) for word in value.split(",")]
               for name, value in options.items() if name in _FORM_OPTIONS}
    return {name: values for name, values in numbers.items() if values != [0]}


class _Comparison:
    """check: of the bytes that are right. name: of the output or layer. dumps: how many of a folder
    are compared."""

    def __init__(self, given: types.SimpleNamespace) -> None:
        self.given = given
        self.path: str = given.output
        self.folder = os.path.isdir(self.path)
        if self.folder and (given.layer or given.name or given.before):
            raise Failure(f"--output: found the folder {self.path}, expected a file with --layer, "
                          "--name or --before")
        self.compiled = self._compile(self._options())
        self.compiled.say_warnings()
        self.dumps = 0
        self.name = ""
        if self.folder:
            self._find_wrong_dump()
        else:
            self._compare(self._find())

    # ---- the network ----

    def _options(self) -> dict[str, str]:
        given = vars(self.given)
        options = {name: given[name] for name in ("config", "channels", "base", *_FORM_OPTIONS)
                   if given[name] is not None}
        if given["no_layer_checks"] and not self.given.layer and not self.folder:
            options["no-layer-checks"] = ""
        return options

    def _compile(self, options: typing.Mapping[str, str],
                 sources: list[str] | None = None) -> Compiled:
        words = [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]
        words += [f"--input={source}" for source in sources or self.given.input]
        return Compiled(self.given.loadable, words)

    # ---- what is compared ----

    def _find(self) -> tuple[Check, Tensor | None]:
        """The check of the layer or output that the file is, and the output."""
        layer, outputs, name = self.given.layer, self.compiled.outputs, self.given.name
        if layer:
            self.name = f"layer {layer}"
            check = self.compiled.layer(layer)
            if not check:
                raise Failure(f"--layer: found '{layer}', expected TASK.OPERATION, for example 0.3,"
                              f" of a layer of {self.given.loadable} that writes memory (nvcosim "
                              "info shows them)")
            return check, None
        matches = [output for output in outputs if name in (None, output.name)]
        if len(matches) == 1 and (check := self.compiled.at(matches[0].space, matches[0].base)):
            self.name = matches[0].name
            return check, matches[0]
        if name:
            raise Failure(f"--name: found '{name}', expected one of the {len(outputs)} outputs "
                          "that nvcosim info shows")
        raise Failure(f"{self.given.loadable}: found {len(outputs)} outputs, expected --name NAME: "
                      "which of them the file is")

    def _layer_shape(self, layer: str) -> tuple[int, int, int]:
        """Bytes of an integer, line and surface stride of what a layer writes; 0: unknown."""
        number, _, operation = layer.partition(".")
        words = [f"--config={self.compiled.config}", "--", self.given.loadable]
        for task in run_json("doctor-network", *words)["tasks"]:
            if "error" not in task and f"{task['number']}" == number and \
                    int(operation) < len(task["operations"]):
                made: dict[str, int] = task["operations"][int(operation)]
                return made["element"], made["line"], made["surface"]
        return 0, 0, 0

    def _sized(self, option: str, path: str, size: int) -> bytes:
        try:
            content = files.read(path)
        except Failure as failure:
            raise Failure(f"{option}{failure}") from None
        if len(content) != size:
            raise Failure(f"{option}{path}: found {len(content)} bytes, expected {size}: the memory"
                          " as the board has it")
        return content

    def _dimg(self, check: Check, tensor: Tensor | None) -> bytes:
        """An output as the driver's runtime writes it, in its places among the right bytes: a DIMG
        (80-trace-formats section 8), or the elements as numbers, in the order c, y, x."""
        if not tensor or not tensor.sizes or tensor.size != check.extent:
            raise Failure(f"--output: found {self.path}, expected the bytes of the memory: the "
                          "shape is not known")
        content = files.read(self.path)
        _, channels, height, width = tensor.sizes
        count, wide = channels * height * width, tensor.element or 2
        packed, literal = content.startswith(b"DIMG"), 0
        if packed:
            sizes = _DIMG.unpack_from(content)[3:6] if len(content) >= _DIMG.size else ()
            if sizes != (width, height, channels) or len(content) != _DIMG.size + count * wide:
                raise Failure(f"--output: {self.path}: found a DIMG of {len(content)} bytes with "
                              f"other sizes; expected {channels} x {height} x {width} (c, h, w), "
                              f"{_DIMG.size + count * wide} bytes")
            elements = content[_DIMG.size:]
            literal = 8 if tensor.format == 37 else 32 // wide
        else:
            elements = b"".join(self._elements(content, tensor))
            if len(elements) != count * wide:
                raise Failure(f"--output: {self.path}: found {len(elements) // wide} numbers, "
                              f"expected a DIMG, or {channels} x {height} x {width} numbers of "
                              f"type {tensor.type}")
        whole = bytearray(check.over(bytes(check.extent)))
        places = (tensor.place(c, y, x, literal) for c in range(channels) for y in range(height)
                  for x in range(width))
        for number, place in enumerate(places):
            if place + wide <= len(whole):
                whole[place:place + wide] = elements[number * wide:(number + 1) * wide]
        return bytes(whole)

    @staticmethod
    def _elements(content: bytes, tensor: Tensor) -> typing.Iterator[bytes]:
        """Numbers in text, as far as they are elements, as many as the tensor has."""
        _, channels, height, width = tensor.sizes
        least, most = (-128, 255) if tensor.element == 1 else (-32768, 65535)
        for word in content.decode("ascii", "replace").split()[:channels * height * width]:
            try:
                value = float(word)
                if not tensor.element:
                    yield struct.pack("<e", value)
                elif least <= value <= most and value == int(value):
                    yield struct.pack("<i", int(value))[:tensor.element]
                else:
                    return
            except (ValueError, OverflowError):
                return

    def _compare(self, found: tuple[Check, Tensor | None], layer: str = "") -> None:
        check, tensor = self.check, self.tensor = found
        size = check.extent
        content = self._dimg(check, tensor) if self.path.endswith(".dimg") else \
            self._sized("--output: ", self.path, size)
        before = self.given.before
        before = self._sized("--before: ", before, size) if before else None
        layer = layer or self.given.layer
        shape = self._layer_shape(layer) if layer else \
            (tensor.element, tensor.line, tensor.surface) if tensor and tensor.sizes else (0, 0, 0)
        self.output = Output(content, check.over(content), before, shape[0], self.compiled.beat,
                             self.compiled.atom, shape[1], shape[2])

    def _find_wrong_dump(self) -> None:
        """Compares the first layer, in the order of the trace, whose dump in a folder differs; the
        last one if none does."""
        folder = self.path
        for layer, check in self.compiled.layers:
            number = layer.split(" ")[0]
            path = f"{folder}/{number}.bin"
            if not check or not os.path.exists(path):
                continue
            self.path, self.name = path, f"layer {number}"
            self._compare((check, None), number)
            self.dumps += 1
            if self.output.wrong:
                return
        if not self.dumps:
            raise Failure(f"--output: found no dump of a layer in {folder}, expected files named "
                          "TASK.OPERATION.bin, for example 0.3.bin")

    # ---- causes that the model can try ----

    def _explains(self, options: typing.Mapping[str, str],
                  sources: list[str] | None = None) -> bool:
        """Whether the model gets what was found with another form of the input."""
        try:
            other = self._compile(options, sources)
        except Failure:
            return False
        check = other.layer(self.given.layer) if self.given.layer else \
            other.at(self.check.space, self.check.base)
        found = self.output.found
        return check is not None and check.extent == len(found) and check.over(found) == found

    def causes(self) -> list[str]:
        """Other forms of the input, and layers whose bytes were found."""
        causes, given = [], self._options()
        quantised = not re.search(r"\.nvdla(\.gz)?$", self.given.loadable)
        usual = given.get("channels", "rgb" if quantised else "bgr")
        order = "bgr" if usual == "rgb" else "rgb"
        if self._explains({**given, "channels": order}):
            causes.append("the input's channels are in the other order: the model gets the same "
                          f"bytes with --channels {order}")
        rest = {name: value for name, value in given.items() if name not in _FORM_OPTIONS}
        for form in _FORMS:
            options = dict(re.findall(r"--(\w+) (\S+)", form))
            if _form(options) != _form(given) and self._explains({**rest, **options}):
                causes.append("the input has another mean or scale: the model gets the same bytes "
                              f"with {form}")
        if len(self.given.input) == 1 and self._explains(given, ["zero"]):
            causes.append("the input is missing: the model gets the same bytes with --input zero")
        for layer, check in self.compiled.layers:
            share = pattern.elsewhere(self.output, b"".join(part for _, part in check.parts)) \
                if check and check is not self.check else 0
            if share >= _LEAST:
                causes.append(f"{share * 100:.0f} % of the wrong atoms are those of layer {layer}")
        return causes


def _text(at: _Comparison, found: list[str], causes: list[str], kinds: list[Likeness],
          runs: int) -> typing.Iterator[str]:
    output, wrong = at.output, at.output.wrong
    if at.dumps and wrong:
        yield (f"{at.name} is the first wrong one of the dumps; {at.dumps - 1} before it "
               f"{'is' if at.dumps == 2 else 'are'} right")
    elif at.dumps:
        yield f"all {at.dumps} dumps are right"
    where = f"{text.shown(at.path)}: {at.name}"
    if not wrong:
        yield f"{where} is right: all {len(output.found)} bytes are those of the model"
        for kind in kinds:
            if kind.likeness == 1:
                yield f"a bus with the fault {kind.fault} would leave the same bytes"
        return
    yield (f"{where}: {len(wrong)} of {len(output.found)} bytes differ from the model, first at "
           f"byte {wrong[0]}: 0x{output.found[wrong[0]]:02x}, expected "
           f"0x{output.expected[wrong[0]]:02x}")
    yield from found
    yield from causes
    if not found and not causes:
        yield "no pattern explains half of them"
    yield ("most similar faults of a bus, from "
           + (f"{runs} runs of this network on the RTL:" if runs else "runs of other networks:"))
    for number, kind in enumerate(kinds):
        if kind.likeness > 0 and (number < _RANKS or kind.likeness == 1):
            yield (f"    {kind.likeness * 100:3.0f} %  {kind.fault}"
                   + (": the same bytes" if kind.likeness == 1 else ""))


def main(given: types.SimpleNamespace) -> int:
    """Compares, and prints what differs and its patterns. Returns the exit status."""
    at = _Comparison(given)
    output, ranking = at.output, Ranking()
    shares: list[tuple[Kind, Pattern]] = [
        (kind, fit) for kind, fit in zip(Kind, pattern.patterns(output)) if fit.share >= _LEAST]
    causes = at.causes() if output.wrong else []
    numbers = features(output)
    if output.wrong:
        ranking.by_atlas(numbers)
    clocks = _RUN_CLOCKS if given.run_clocks is None else given.run_clocks
    runs = plays.play(at.compiled, at.check, output, clocks, ranking) if clocks else 0
    if given.json:
        said: dict[str, typing.Any] = {
            "output": at.name, "bytes": len(output.found), "wrong": len(output.wrong),
            "first": output.wrong[0] if output.wrong else None,
            "patterns": [{"pattern": pattern.text(output, kind, fit), "share": fit.share}
                         for kind, fit in shares],
            "causes": causes, "runs": runs,
            "faults": [{"fault": kind.fault.kind, "parameter": kind.fault.parameter,
                        "likeness": kind.likeness, "from": "run" if kind.played else "atlas"}
                       for kind in ranking.order() if kind.likeness > 0],
            "features": numbers}
        if at.dumps:
            said["dumps_compared"] = at.dumps
        print(json.dumps(said, indent=1, ensure_ascii=False))
    else:
        lines = [f"{fit.share * 100:.0f} %: {pattern.text(output, kind, fit)}"
                 for kind, fit in shares]
        print(*_text(at, lines, causes, ranking.order(), runs), sep="\n")
    return EXIT_DIFFERENT if output.wrong else EXIT_OK
