"""The pattern of a wrong output: what the bytes that differ from the right ones have in common.
Each pattern has a share: how many of the wrong bytes it explains. A pattern fits by chance as well,
above all in a small output; the shares are evidence, not proof."""
import dataclasses
import enum
import typing

_PERIOD_MAX, _HALF_MAX, _WORD_MAX = 256, 256, 64
_ELSEWHERE_ATOMS = 256


class Kind(enum.IntEnum):
    """distance and phase: of Pattern."""
    ZEROS = 0      # found 0
    STALE = 1      # found what was there before the run
    SHIFTED = 2    # found the right bytes distance bytes further on, or (negative) further back
    EXCHANGED = 3  # found the right bytes with pieces of distance bytes exchanged: halves of a word
    REVERSED = 4   # found the right bytes in reverse order inside words of distance bytes
    SATURATED = 5  # found the largest or smallest integer where it is not right
    HALF = 6       # wrong only in the lower or (phase 1) upper half of blocks of 2 * distance bytes
    PERIODIC = 7   # wrong in every distance-th beat, from beat phase on, and in no other


@dataclasses.dataclass
class Pattern:
    """share: of the wrong bytes, 0 to 1. distance: 0: the kind has none."""
    share: float = 0
    distance: int = 0
    phase: int = 0

    def offer(self, share: float, distance: int, phase: int = 0) -> None:
        """Takes a better fit."""
        if share > self.share:
            self.share, self.distance, self.phase = share, distance, phase


@dataclasses.dataclass
class Output:
    """An output and what it should be. before: content before the run, None: unknown. element:
    bytes of an integer, 1 or 2; 0: not integers, or unknown. beat: bytes of a beat of the memory
    port. atom, line, surface: bytes; 0: unknown. wrong: the places that differ."""
    found: bytes
    expected: bytes
    before: bytes | None
    element: int
    beat: int
    atom: int
    line: int
    surface: int
    wrong: list[int] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.wrong = [] if self.found == self.expected else [
            i for i, (a, b) in enumerate(zip(self.found, self.expected)) if a != b]

    def share(self, holds: typing.Callable[[int], bool]) -> float:
        """The part of the wrong places for which this holds."""
        return sum(map(holds, self.wrong)) / len(self.wrong)

    def is_right_at(self, i: int, other: int) -> bool:
        """Whether a place has the right byte of another."""
        return 0 <= other < len(self.expected) and self.found[i] == self.expected[other]

    def is_extreme(self, i: int) -> bool:
        """Whether the integer of a place is the largest or smallest: 7f or 80 in its highest byte,
        ff or 00 below."""
        start = i - i % self.element
        return self.found[start:start + self.element] in (
            (b"\x7f", b"\x80") if self.element == 1 else (b"\xff\x7f", b"\x00\x80"))


def _shift(output: Output, best: Pattern) -> None:
    for size in (output.atom, output.line, output.surface, output.beat):
        for distance in (size, -size) if 0 < size < len(output.found) else ():
            best.offer(output.share(lambda i: output.is_right_at(i, i - distance)), distance)


def _order(output: Output, exchanged: Pattern, turned: Pattern) -> None:
    size = 2
    while size <= min(_WORD_MAX, len(output.found)):
        exchanged.offer(output.share(lambda i: output.is_right_at(i, i ^ size // 2)), size // 2)
        if 2 < size <= 8:  # 2: the same as exchanged bytes
            turned.offer(output.share(lambda i: output.is_right_at(i, i ^ (size - 1))), size)
        size *= 2


def _half(output: Output, best: Pattern) -> None:
    """Wrong bytes in one half of each block, and none in the other; most blocks have some."""
    half, n = 2, len(output.found)
    while half <= _HALF_MAX and 4 * half <= n:
        upper = sum(i // half % 2 for i in output.wrong)
        blocks = len({i // (2 * half) for i in output.wrong})
        if 2 * blocks > n // (2 * half) and upper in (0, len(output.wrong)):
            best.offer(1, half, int(upper != 0))
        half *= 2


def _period(output: Output, best: Pattern) -> None:
    """All wrong beats are those of one phase, and most beats of that phase are wrong."""
    beats = -(-len(output.found) // output.beat)
    bad = sorted({i // output.beat for i in output.wrong})
    for period in range(2, min(_PERIOD_MAX, beats // 3) + 1):
        phase = bad[0] % period
        if 2 * len(bad) > len(range(phase, beats, period)) and \
                all(beat % period == phase for beat in bad):
            best.offer(1, period, phase)
            break


def patterns(output: Output) -> list[Pattern]:
    """The best fit of each kind, in the order of the kinds; all shares are 0 if nothing is
    wrong."""
    best = [Pattern() for _ in Kind]
    if not output.wrong:
        return best
    before = output.before or b""
    best[Kind.ZEROS].share = output.share(lambda i: output.found[i] == 0)
    best[Kind.STALE].share = output.share(lambda i: output.found[i:i + 1] == before[i:i + 1])
    _shift(output, best[Kind.SHIFTED])
    _order(output, best[Kind.EXCHANGED], best[Kind.REVERSED])
    best[Kind.SATURATED].share = output.share(output.is_extreme) if output.element else 0
    _half(output, best[Kind.HALF])
    _period(output, best[Kind.PERIODIC])
    return best


def elsewhere(output: Output, other: bytes) -> float:
    """Share of the wrong atoms that occur in the bytes of another cube. Atoms of equal bytes do not
    count, nor do more than the first; 0 if none remains or the size of an atom is unknown."""
    size = output.atom
    telling: list[bytes] = []
    for at in sorted({i - i % size for i in output.wrong}) if size else ():
        atom = output.found[at:at + size]
        if len(telling) < _ELSEWHERE_ATOMS and len(atom) == size and len(set(atom)) > 1:
            telling.append(atom)
    there = {other[at:at + size] for at in range(0, len(other), size or 1)}
    return sum(atom in there for atom in telling) / len(telling) if telling else 0


def _shift_text(output: Output, distance: int) -> str:
    size = abs(distance)
    unit = "an atom" if size == output.atom else "a line" if size == output.line else \
        "a surface" if size == output.surface else "a beat"
    return (f"shifted by {unit} ({size} bytes) to {'higher' if distance > 0 else 'lower'} "
            "addresses")


def text(output: Output, kind: Kind, pattern: Pattern) -> str:
    """One phrase, for example "shifted by a line (128 bytes) to higher addresses"."""
    distance, phase = pattern.distance, pattern.phase
    return {
        Kind.ZEROS: "zeros",
        Kind.STALE: "stale: what the memory held before the run",
        Kind.SHIFTED: _shift_text(output, distance),
        Kind.EXCHANGED: f"exchanged: neighbouring pieces of {distance} "
                        f"byte{'' if distance == 1 else 's'}",
        Kind.REVERSED: f"reversed: the bytes of each word of {distance} bytes (endianness)",
        Kind.SATURATED: "saturated: the largest or smallest integer (wrong table or scale?)",
        Kind.HALF: f"only in the {'upper' if phase else 'lower'} half of each block of "
                   f"{2 * distance} bytes",
        Kind.PERIODIC: f"only in every {distance}th beat of {output.beat} bytes, from beat "
                       f"{phase} on",
    }[kind]
