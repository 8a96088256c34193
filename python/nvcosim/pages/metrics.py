"""The figures of tests and nights: one table for history, compare, summary and pages. A new figure
is a row here, and a column of the SELECT of whatever is to show it."""
import dataclasses
import typing


def _scaled(value: float) -> str:
    """ "1.23 M", three digits."""
    units = ["", " k", " M", " G"]
    while value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    digits = 0 if not units[0] else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}{units[0]}"


def _clock(seconds: float) -> str:
    """ "45s", "7m03", "1h07"."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole}s"
    minutes = whole // 60
    return f"{minutes}m{whole % 60:02}" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02}"


@dataclasses.dataclass(frozen=True)
class Metric:
    """better: 1: more is better, -1: less is, 0: neither. format: of a value in its unit."""
    header: str
    unit: str
    better: int
    format: typing.Callable[[float], str]
    description: str

    def colour(self, change: float) -> str:
        """How a change of the value counts: "good", "odd" (worse), or "" (neither)."""
        effect = change * self.better
        return "good" if effect > 0 else "odd" if effect else ""


METRICS = {
    "cycles": Metric("cycles", "clocks", -1, "{:.0f}".format, "core clocks of the RTL"),
    "cycles_change": Metric("change", "%", -1, "{:+.2f} %".format,
                            "cycles against the night before, of the same layer and seeds"),
    "cycles_ratio": Metric("B/A", "", -1, "{:.3f}".format, "cycles of one night to another's"),
    "seconds": Metric("seconds", "s", -1, "{:.2f}".format, "wall time of the process"),
    "speed": Metric("cycles/s", "Hz", 1, _scaled, "core clocks a second of CPU time"),
    "speed_khz": Metric("kHz", "kHz", 1, "{:.1f}".format, "the same in thousands"),
    "speed_ratio": Metric("speed B/A", "", 1, "{:.3f}".format, "speed of one night to another's"),
    "passed": Metric("pass", "tests", 1, "{:.0f}".format, "tests that pass"),
    "failed": Metric("fail", "tests", -1, "{:.0f}".format, "mismatches, crashes, errors, refusals"),
    "hung": Metric("hang", "tests", -1, "{:.0f}".format, "tests that hang"),
    "known": Metric("known", "tests", -1, "{:.0f}".format, "failures that the plan lists"),
    "open": Metric("open", "tests", -1, "{:.0f}".format, "tests without a result"),
    "pass_rate": Metric("pass rate", "%", 1, "{:.4g}".format, "passed or known, of those that ran"),
    "night_seconds": Metric("time", "s", -1, _clock, "wall time of the night"),
}
