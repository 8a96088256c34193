"""Settings of convertors for the values before them, from histograms of the values, and the
expected effect of a setting: docs/nvdla/90-statistics.md, sections B.5, B.9 and B.10."""
import math
import typing

CACC_OUT, CDMA_CVT = "CACC_OUT", "CDMA_CVT"
_MOST_TRUNCATE = 31


class Convertor(typing.NamedTuple):
    """result = saturate((value - offset) * scale / 2^shift, bits)"""
    offset: int
    scale: int
    shift: int
    bits: int

    def step(self) -> float:
        """Distance of neighbouring results in units of the value. The scale is not 0."""
        return math.ldexp(1, self.shift) / abs(self.scale)

    def value(self, result: int) -> float:
        """What a result represents. The scale is not 0."""
        return self.offset + result * (math.ldexp(1, self.shift) / self.scale)


class Estimate(typing.NamedTuple):
    """Expected effect of a setting, with values spread evenly over each bin: root mean square of
    the error by quantisation and clipping in units of the values, and of the values."""
    error: float = 0
    signal: float = 0

    def ratio(self) -> float:
        """Of signal to error; NaN without an error."""
        return self.signal / self.error if self.error > 0 else math.nan


class Stream(typing.NamedTuple):
    """The values of a stream in a play, as `nvcosim calibration` counts them (histogram.h), with
    bins up to the highest that is not empty, at least one.
    enabled: the convertor of CDMA is. Of the convertor behind integers: its setting, with 0 bits if
    there is none, the values that it does not clip, the number of those that it clipped, the sum of
    squared errors. candidates: for each bin of symmetric and of asymmetric settings offset, scale,
    shift, bits, and how many values they clip."""
    unit: str
    ordinal: int
    tap: str
    width: int
    total: int
    zeros: int
    minus_ones: int
    minimum: int
    maximum: int
    positive: list[int]
    negative: list[int]
    enabled: bool
    convertor: typing.Sequence[int]
    keeps: typing.Sequence[int]
    clipped: int
    error_squares: float
    candidates: typing.Sequence[typing.Sequence[typing.Sequence[int]]]

    def highest(self) -> int:
        """The highest bin that is not empty, -1 if all are."""
        return len(self.positive) - 1 if any(self.positive) or any(self.negative) else -1

    def above(self, lowest: int) -> int:
        """Values in the bins above one."""
        return sum(self.positive[lowest + 1:]) + sum(self.negative[lowest + 1:])

    def measured_error(self) -> float:
        """Root mean square; NaN if the scale is 0."""
        return math.sqrt(self.error_squares / self.total) if self.convertor[1] else math.nan

    def obstacle(self) -> str:
        """Why nothing is recommended; "": something is."""
        if self.width == 0:
            return "FP16, not applicable"
        if self.convertor[3] == 0:
            return "compares, not applicable" if self.tap != CDMA_CVT else \
                "each component has its own mean (MEAN_FORMAT), not changed" if self.enabled else \
                "not enabled"
        if self.total == 0:
            return "no data"
        return "" if self.candidates or self.tap == CACC_OUT else "results are FP16, not applicable"


class Options(typing.NamedTuple):
    """clip: share of the values that may be clipped. minimum_error: instead choose the bin with the
    smallest expected error. asymmetric: 0 becomes the lowest result of streams without negative
    values; in CDMA the middle of the range becomes 0."""
    clip: float = 0
    minimum_error: bool = False
    asymmetric: bool = False


class Setting(typing.NamedTuple):
    """A recommended setting, for the values up to a bin. above: values in the bins above it;
    saturated: exact number; stays: it is the present one, which clips nothing and has a smaller
    expected error than any other."""
    convertor: Convertor
    bin: int
    expected: Estimate
    above: int = 0
    saturated: int = 0
    stays: bool = False


# ---- expectation ----


def saturated(stream: Stream, keeps: typing.Sequence[int]) -> float:
    """Expected number of values that are clipped where those of an interval are not."""
    def outside(count: int, low: int, high: int) -> float:
        if not count or low > high:
            return 0
        values = float(high) - float(low) + 1
        above = high - max(float(keeps[1]), float(low) - 1) if keeps[1] < high else 0
        below = min(float(keeps[0]), float(high) + 1) - low if keeps[0] > low else 0
        return count * min((above + below) / values, 1)
    total = outside(stream.zeros, 0, 0) + outside(stream.minus_ones, -1, -1)
    for bin, (positive, negative) in enumerate(zip(stream.positive, stream.negative)):
        low, high = 1 << bin, (2 << bin) - 1
        total += outside(positive, low, min(high, stream.maximum))
        total += outside(negative, max(-high - 1, stream.minimum), -low - 1)
    return total


def expect(stream: Stream, setting: Convertor) -> Estimate:
    """For a scale other than 0 and a stream that is not empty."""
    step = setting.step()
    within = 0 if step == 1 else step * step / 12  # a step of 1 changes no integer
    highest = (1 << setting.bits - 1) - 1
    # A symmetric setting does not use the lowest result.
    ends = setting.value(highest), setting.value(-highest - (setting.offset != 0))
    low, high = min(ends), max(ends)

    def change(value: float) -> float:
        beyond = value - high if value > high else low - value if value < low else 0
        return beyond * beyond if beyond > 0 else within
    changes = squares = 0.0
    for bin, (positive, negative) in enumerate(zip(stream.positive, stream.negative)):
        if positive or negative:
            middle = math.ldexp(1.5, bin)
            squares += (positive + negative) * middle * middle
            changes += positive * change(middle) + negative * change(-middle)
    return Estimate(math.sqrt(changes / stream.total), math.sqrt(squares / stream.total))


# ---- recommendation ----


def bin_of(stream: Stream, clip: float) -> int:
    """The lowest bin with at most that share of all values in the bins above it."""
    bin = stream.highest()
    while bin > 0 and stream.above(bin - 1) <= clip * stream.total:
        bin -= 1
    return max(bin, 0)


def _fits(value: int, bits: int) -> bool:
    return -1 << bits - 1 <= value < 1 << bits - 1


def _candidate(stream: Stream, bin: int, asymmetric: bool) -> tuple[Convertor, int]:
    """The setting for a bin, and how many values it clips."""
    *setting, clipped = stream.candidates[asymmetric][bin]
    return Convertor(*setting), clipped


def _fresh(stream: Stream, options: Options, offset_bits: int) -> Setting:
    """The setting of step 5 or 8, independent of the present one."""
    def with_bin(asymmetric: bool) -> int:
        return bin_of(stream, options.clip) if not options.minimum_error else min(
            range(max(stream.highest(), 0), -1, -1),
            key=lambda bin: expect(stream, _candidate(stream, bin, asymmetric)[0]).error)
    middle = (stream.minimum + stream.maximum) >> 1
    if options.asymmetric and stream.tap == CDMA_CVT and _fits(middle, offset_bits):
        bin = max((stream.maximum - middle - 1).bit_length() - 1, 0)  # holds all values
        centred = _candidate(stream, bin, False)[0]._replace(offset=middle)
        return Setting(centred, bin, expect(stream, centred))
    asymmetric = options.asymmetric and stream.tap != CDMA_CVT and stream.minimum >= 0
    bin = with_bin(asymmetric)
    convertor, clipped = _candidate(stream, bin, asymmetric and _fits(1 << bin, offset_bits))
    return Setting(convertor, bin, expect(stream, convertor), stream.above(bin), clipped)


def truncate(stream: Stream) -> int:
    """CLIP_TRUNCATE for accumulators: the smallest that saturates none of them. Section B.9."""
    return next((t for t in range(_MOST_TRUNCATE)
                 if _fits(stream.maximum + (1 << t >> 1) >> t, 32)
                 and _fits(stream.minimum >> t, 32)), _MOST_TRUNCATE)


def recommend(stream: Stream, present: Stream, options: Options, offset_bits: int) -> Setting:
    """A setting for a stream that is not empty. present: the stream with the present setting.
    offset_bits: of the signed register of the offset."""
    now = Convertor(*present.convertor)
    if stream.tap == CACC_OUT:
        changed = now._replace(shift=truncate(stream))
        return Setting(changed, stream.highest(), expect(stream, changed), stays=changed == now)
    setting = _fresh(stream, options, offset_bits)
    if now.scale and present.keeps[0] <= stream.minimum and stream.maximum <= present.keeps[1]:
        expected = expect(stream, now)
        if expected.error <= setting.expected.error:
            return setting._replace(convertor=now, saturated=0, expected=expected, stays=True)
    return setting
