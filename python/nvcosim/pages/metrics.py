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
    better: int
    format: typing.Callable[[float], str]

    def colour(self, change: float) -> str:
        """How a change of the value counts: "good", "odd" (worse), or "" (neither)."""
        effect = change * self.better
        return "good" if effect > 0 else "odd" if effect else ""


METRICS = {
    "cycles": Metric("cycles", -1, "{:.0f}".format),  # core clocks of the RTL
    # Per cent against the night before, of the same layer and seeds.
    "cycles_change": Metric("change", -1, "{:+.2f} %".format),
    "cycles_ratio": Metric("B/A", -1, "{:.3f}".format),  # of one night to another's
    "seconds": Metric("seconds", -1, "{:.2f}".format),  # wall time of the process
    "speed": Metric("cycles/s", 1, _scaled),  # core clocks a second of CPU time
    "speed_khz": Metric("kHz", 1, "{:.1f}".format),
    "speed_ratio": Metric("speed B/A", 1, "{:.3f}".format),
    "passed": Metric("pass", 1, "{:.0f}".format),
    "failed": Metric("fail", -1, "{:.0f}".format),  # mismatches, crashes, errors, refusals
    "hung": Metric("hang", -1, "{:.0f}".format),
    "known": Metric("known", -1, "{:.0f}".format),  # failures that the plan lists
    "open": Metric("open", -1, "{:.0f}".format),  # tests without a result
    "night_seconds": Metric("time", -1, _clock),  # wall time of the night
}
