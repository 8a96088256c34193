"""nvcosim calibrate: recommends convertor settings for the values of each layer. `nvcosim
calibration` (csrc/cli/calibration.c) plays the trace."""
import json
import math
import subprocess
import typing

from nvcosim import configurations, tool
from nvcosim.calibrate import (CACC_OUT, CDMA_CVT, Convertor, Estimate, Options, Setting, Stream,
                               expect, recommend, saturated)
from nvcosim.options import Parser, Wrong, number
from nvcosim.text import measure, plural

DOC = ("Plays a trace on the model, counts the values before each convertor by their leftmost bit, "
       "and recommends offset, scale and shift of the output convertors of SDP and CDP, those of "
       "CDMA's input convertor where it is enabled, and CACC's CLIP_TRUNCATE. FP16 layers have no "
       "such settings.")
AFTER = """\
Two lines for each convertor: the setting now and the recommended one, with the values that are \
expected to saturate, those that did, the expected and the measured root mean square error in \
units of the values, and the ratio of signal to expected error. A present setting that saturates \
nothing and has a smaller error than the best alternative is kept.
A setting changes the input of all later layers. So the trace is played repeatedly, one layer \
further each time, until every recommendation is applied; the numbers are those of the last play. \
Data in memory is not changed. Biases and pad values depend on the scale of the values and may \
need adjusting. The tables of CDP are made for its input convertor, so that convertor's \
recommendation is only printed.
The trace of --write has the new register values; checks of registers and memory that no longer \
hold are left out.

Examples:
  nvcosim calibrate net.cfg
  nvcosim calibrate --clip 0.001 --write better.nvt.gz net.cfg
  nvcosim run --histogram better.nvt.gz

Exit status: 0 done; 2 bad input or usage; 3 the trace hangs."""


class Place(typing.NamedTuple):
    """Where a convertor is programmed: registers and fields of its shift, scale and offset, as far
    as it has them. written: --write includes its setting."""
    name: str
    written: bool
    shift: str
    scale: str = ""
    offset: str = ""


_PLACES = {
    CDMA_CVT: Place("input convertor", True, "D_CVT_CFG CVT_TRUNCATE", "D_CVT_SCALE CVT_SCALE",
                    "D_CVT_OFFSET CVT_OFFSET"),
    CACC_OUT: Place("CLIP_TRUNCATE", True, "D_CLIP_CFG CLIP_TRUNCATE"),
    "SDP_CVT_IN": Place("output convertor", True, "D_CVT_SHIFT CVT_SHIFT", "D_CVT_SCALE CVT_SCALE",
                        "D_CVT_OFFSET CVT_OFFSET"),
    "CDP_IN": Place("input convertor", False, ""),
    "CDP_CVT_IN": Place("output convertor", True, "D_DATOUT_SHIFTER DATOUT_SHIFTER",
                        "D_DATOUT_SCALE DATOUT_SCALE", "D_DATOUT_OFFSET DATOUT_OFFSET"),
}
# Bits of the registers of offsets, for results of up to 9 bits and for wider ones; others have 32.
_OFFSET_BITS = {CDMA_CVT: (16, 16), "CDP_IN": (8, 16), "CDP_CVT_IN": (25, 32)}

Streams: typing.TypeAlias = dict[tuple[str, int, str], Stream]


class Spot:
    """A convertor of a layer, whose setting calibration may change. first: its stream with the
    present setting; now: with `setting`. head_room: bits of the results that it leaves unused."""
    setting: Setting

    def __init__(self, first: Stream, output: Stream | None) -> None:
        self.first = self.now = first
        self.place, self.obstacle = _PLACES[first.tap], first.obstacle()
        self.present = self.played = Convertor(*first.convertor)
        self.head_room = output.width - 1 - (output.highest() + 1) \
            if first.tap == "SDP_CVT_IN" and output and output.width else 0

    def take(self, streams: Streams, options: Options) -> bool:
        """Adopts the recommendation for the last play. Whether it differs from what was played."""
        if self.obstacle:
            return False
        self.now = streams[self.first.unit, self.first.ordinal, self.first.tap]
        bits = _OFFSET_BITS.get(self.first.tap, (32, 32))[self.present.bits > 9]
        self.setting, before = recommend(self.now, self.first, options, bits), self.played
        if self.place.written:
            self.played = self.setting.convertor
        return self.played != before

    def words(self) -> typing.Iterator[str]:
        """Lines for `nvcosim calibration`: the setting to play."""
        place, setting = self.place, self.played
        for field, value in ((place.shift, setting.shift), (place.scale, setting.scale),
                             (place.offset, setting.offset)):
            if field and not self.obstacle:
                yield f"{self.first.unit} {self.first.ordinal} {field} {value & 0xffffffff}\n"

    # ---- text ----

    def _row(self, name: str, setting: Convertor, expected: Estimate,
             numbers: typing.Sequence[float]) -> str:
        """numbers: values that saturate, expected and counted; the measured error."""
        text = f"{setting.shift:31}" if self.first.tap == CACC_OUT else \
            f"{setting.offset:12} {setting.scale:10} {setting.shift:7}"
        unset = math.nan if setting.scale == 0 else 0
        row = ((numbers[0] + unset, ".6g"), (numbers[1], ".0f"), (expected.error + unset, ".5g"),
               (numbers[2], ".5g"), (expected.ratio(), ".4g"))
        shown = (format(value, form) if math.isfinite(value) else "-" for value, form in row)
        return f"  {name:12} {text}" + "".join(f" {value:>11}" for value in shown)

    def text(self) -> str:
        """Its paragraph of the table."""
        first, now = self.first, self.now
        title = f"{first.unit} #{first.ordinal}, {self.place.name}: "
        if self.obstacle:
            return f"{title}{self.obstacle}\n"
        setting, expected, clipped = self.setting, Estimate(), 0.0
        if self.present.scale:
            expected, clipped = expect(first, self.present), saturated(first, first.keeps)
        head = f"{'truncate':>31}" if first.tap == CACC_OUT else \
            f"{'offset':>12} {'scale':>10} {'shift':>7}"
        found = (now.clipped, now.measured_error()) if self.place.written else (math.nan, math.nan)
        lines = [f"{title}{now.total} values, {now.minimum} .. {now.maximum}; bin {setting.bin}, "
                 f"{setting.above} values above it",
                 f"  {'':12} {head}   saturated   (counted)   RMS error  (measured)         S/N",
                 self._row("present", self.present, expected,
                           (clipped, first.clipped, first.measured_error())),
                 self._row("as it is" if setting.stays else "recommended", setting.convertor,
                           setting.expected, (setting.saturated, *found))]
        if self.head_room > 0:
            lines.append(f"  the present setting leaves {plural(self.head_room, 'bit')} of the "
                         "results unused")
        if not self.place.written:
            lines.append("  not written: the tables of this layer are made for the present setting")
        return "\n".join([*lines, ""])


def _settled(process: "subprocess.Popen[str]", options: Options) -> list[Spot] | None:
    """The convertors when every recommendation is played; None: the process has ended with an
    error. Layers depend on earlier ones only, so each play settles at least one more convertor."""
    assert process.stdin and process.stdout
    spots: list[Spot] | None = None
    while line := process.stdout.readline():
        streams = {(found[0], found[1], found[2]): Stream(*found) for found in json.loads(line)}
        if spots is None:
            spots = [Spot(stream, streams.get((stream.unit, stream.ordinal, "SDP_OUT")))
                     for stream in streams.values() if stream.tap in _PLACES]
        if not any([spot.take(streams, options) for spot in spots]):
            return spots
        process.stdin.writelines(words for spot in spots for words in spot.words())
        process.stdin.write("play\n")
        process.stdin.flush()
    return None


def _share(given: str) -> float:
    share, unit = measure(given)
    if unit or not 0 <= share <= 1:
        raise Wrong(f"found '{given}', expected a share from 0 to 1")
    return share


def _trace_name(given: str) -> str:
    if not given.endswith((".nvt", ".nvt.gz")) or given in (".nvt", ".nvt.gz"):
        raise Wrong(f"found '{given}', expected a name that ends in .nvt or .nvt.gz")
    return given


def _parser() -> Parser:
    parser = Parser("calibrate", "TRACE", doc=DOC, after=AFTER)
    parser.add("config", arg="NAME", kind=configurations.named, dest="passed", repeat=True,
               passed=True, help="NVDLA configuration (default: small for .cfg, full for .txn, "
                                 "the header's for .nvt); an unknown NAME lists them")
    parser.add("clip", arg="P", kind=_share,
               help="Share of a layer's values that may saturate, 0 to 1 (default 0)")
    parser.add("asymmetric",
               help="Use all codes for values that are never negative: 0 gets the lowest code, so "
                    "the next layer needs matching settings (pad value, CDMA offset). CDMA: the "
                    "middle of the input becomes 0")
    parser.add("minimum-error", help="Minimise the expected error instead of using --clip")
    parser.add("write", arg="OUT", kind=_trace_name,
               help="Write the trace with these settings, .nvt or .nvt.gz")
    parser.add("threads", arg="N", kind=number(1, 256), dest="passed", repeat=True,
               passed=True, help="Compute each convolution with N threads (default 1)")
    parser.add("allow-undefined", dest="passed", repeat=True, passed=True,
               help="Accept settings whose result the spec leaves undefined, with a warning")
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if len(given.words) > 1:
        parser.error(f"found '{given.words[1]}', expected one trace only")
    if not given.words:
        parser.error("no trace is given; expected a .cfg, .txn, .nvt or .nvt.gz file, or a "
                     "directory that holds one")
    if given.clip is not None and given.minimum_error:
        parser.error("--clip and --minimum-error exclude each other")
    words = [*given.passed, "--", *given.words, *[given.write] * bool(given.write)]
    options = Options(given.clip or 0, given.minimum_error, given.asymmetric)
    with subprocess.Popen([tool.program(), "calibration", *words], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, encoding="utf-8") as process:
        spots = _settled(process, options)
        for spot in spots or ():
            if spot.first.tap != CDMA_CVT or spot.obstacle != "not enabled":
                print(spot.text())
        if spots == []:
            print("no layer has a convertor")
        if given.write and spots is not None:
            assert process.stdin
            process.stdin.write("write\n")
    return tool.shell_status(process.returncode)
