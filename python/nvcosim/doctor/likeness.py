"""Which fault of a bus a wrong output is most like: its features beside those of outputs that runs
with each fault left, of the same network (played for it) or of the networks of the atlas
(atlas.csv, made by scripts/atlas.py)."""
import csv
import dataclasses
import itertools
import math
import os
import typing

from nvcosim.doctor.pattern import Output, patterns

_SCALE = 0.2  # likeness falls to 1/e when features differ by this on average
# Weights of equal bytes and of equal features in the likeness to a run; at most their sum if not
# all bytes are equal. The atlas knows other networks only.
_BYTES, _FEATURES, _ATLAS = 0.55, 0.4, 0.5
# Parameters to try of each kind, the usual one first; of those with ... then all other numbers.
_BURSTS = (4, 2, 8, 3, 16, 5, 32, 6, 64, 7, 1, 10, ...)
_BEATS = (64, 32, 128, 16, 256, 8, 100, 4, 50, 10, 2, 512, 1000, 20, ...)
_CLOCKS = (2000, 500, 1000, 5000, 200, 100, 10000, 300, 3000, 20000, 50, 50000, 100000)
_BITS = (12, 13, 11, 14, 10, 15, 9, 16, 8, 17, 7, 18, 6, 19, 5, 20, 4, 21, 3, 22, 23, 24)
_BLOCKS = (256, 4096, 32, 64, 128, 512, 1024, 2048, 16, 8)
TRIALS: dict[str, tuple[typing.Any, ...]] = {
    "same-id": _BURSTS, "early-response": _CLOCKS, "lost-beat": _BEATS, "repeated-beat": _BEATS,
    "strobes": (None,), "address": _BITS, "wrap": _BLOCKS, "stale": _CLOCKS, "narrow": (None,),
    "swapped": (None,)}


@dataclasses.dataclass(frozen=True)
class Fault:
    """Of the bus, as `run --bus-fault` takes it. parameter: None: the kind has none."""
    kind: str
    parameter: int | None

    def __str__(self) -> str:
        return self.kind if self.parameter is None else f"{self.kind}:{self.parameter}"


def trial(kind: str, number: int) -> Fault | None:
    """The number-th fault of a kind to play, from 0: usual parameters first. None: no more."""
    values = TRIALS[kind]
    known = [value for value in values if value is not ...]
    if number < len(known):
        return Fault(kind, known[number])
    if known == list(values):
        return None
    others = (value for value in itertools.count(1) if value not in known)
    return Fault(kind, next(itertools.islice(others, number - len(known), None)))


def features(output: Output) -> list[float]:
    """Each 0 to 1: wrong bytes; the shares of the patterns, in the order of their kinds; mean
    difference of the wrong bytes / 128; place of the first wrong byte; wrong atoms; zeros among all
    bytes; bytes of the longest wrong run."""
    wrong, n, atom = output.wrong, len(output.found) or 1, output.atom or 1
    signed = [(output.found[i] ^ 128) - (output.expected[i] ^ 128) for i in wrong]
    # Of the wrong bytes in a row, place and number differ by the same.
    runs = [len(list(run)) for _, run in itertools.groupby(enumerate(wrong), lambda p: p[1] - p[0])]
    return [len(wrong) / n, *(pattern.share for pattern in patterns(output)),
            min(sum(abs(by) for by in signed) / len(wrong) / 128, 1) if wrong else 0,
            wrong[0] / n if wrong else 0, len({i // atom for i in wrong}) / -(-n // atom),
            output.found.count(0) / n, max(runs, default=0) / n]


def _alike(a: typing.Sequence[float], b: typing.Sequence[float]) -> float:
    return math.exp(-sum(abs(x - y) for x, y in zip(a, b)) / len(a) / _SCALE)


@dataclasses.dataclass
class Likeness:
    """Of a kind. fault: the most similar one. likeness: 0 to 1; 1: a run of the same network left
    the same bytes. played: by a run of the same network, otherwise by the atlas. usual_is_same: the
    run with the usual parameter left the same bytes. others: whether runs with other parameters
    did."""
    fault: Fault
    likeness: float = 0
    played: bool = False
    usual_is_same: bool = False
    others: list[bool] = dataclasses.field(default_factory=list)

    def offer(self, fault: Fault, likeness: float, played: bool) -> None:
        """Takes a more similar one; runs count more than the atlas."""
        if (played, likeness) > (self.played, self.likeness):
            self.fault, self.likeness, self.played = fault, likeness, played

    def weight(self) -> float:
        """How likely it is that a fault of that kind left the bytes: as likely with the usual
        parameter as with all others."""
        if self.likeness < 1:
            return self.likeness
        others = sum(self.others) / len(self.others) if self.others else self.usual_is_same
        return 1 + (self.usual_is_same + others) / 2


class Ranking:
    """The kinds of faults."""

    def __init__(self) -> None:
        self._kinds = {kind: Likeness(Fault(kind, values[0])) for kind, values in TRIALS.items()}

    def by_atlas(self, found: typing.Sequence[float]) -> None:
        """Ranks by the features of outputs of other networks."""
        with open(f"{os.path.dirname(__file__)}/atlas.csv", newline="", encoding="ascii") as file:
            for _, kind, parameter, *values in csv.reader(file):
                self._kinds[kind].offer(Fault(kind, int(parameter) if parameter else None),
                                        _ATLAS * _alike(found, list(map(float, values))), False)

    def by_run(self, output: Output, left: bytes, fault: Fault) -> None:
        """Takes a run into account, which left those bytes instead of output.found."""
        kind, other = self._kinds[fault.kind], dataclasses.replace(output, found=left)
        counts = {*output.wrong, *other.wrong}
        equal = sum(output.found[i] == left[i] for i in counts) / len(counts) if counts else 1
        if fault.parameter == TRIALS[fault.kind][0]:
            kind.usual_is_same = equal == 1
        else:
            kind.others.append(equal == 1)
        kind.offer(fault, 1 if equal == 1 else _BYTES * equal + _FEATURES * _alike(
            features(output), features(other)), True)

    def is_exact(self) -> bool:
        """Whether some run left the same bytes."""
        return any(kind.likeness == 1 for kind in self._kinds.values())

    def order(self) -> list[Likeness]:
        """The kinds, the most similar first. Of kinds that leave the same bytes, the one that does
        it with the usual parameter, and with more of the others that were played."""
        return sorted(self._kinds.values(), key=lambda kind: -kind.weight())
