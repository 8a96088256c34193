"""What a night would run, and for how long: a table on stdout."""
import sys
import typing

from nvcosim import text
from nvcosim.engine.schedule import Schedule
from nvcosim.plan.test import Test


def dry_run(tests: list[Test], done: list[bool] | None, jobs: int,
            out: typing.TextIO | None = None) -> None:
    """A line for each test that is not done (done: None: none is), the longest first, then counts
    by configuration, device under test and memory setting, and the time that they take, `jobs` at a
    time; 0: one after the other, for a cluster of unknown size. "~": of a test without a history,
    by others of its kind; nothing where there are none."""
    schedule = Schedule.make(tests, done)
    chosen = [(tests[i], schedule.seconds[i]) for i in schedule.order]
    width = max((len(test.key) for test, _ in chosen), default=4)
    lines = [f"{'seconds':>9}  {'test':{width}}  {'config':16} {'dut':10} {'memory':10} tags"]
    lines += [_line(test, seconds, width) for test, seconds in chosen]
    lines.append("")
    lines += _groups("configuration", [(test.config, seconds) for test, seconds in chosen])
    lines += _groups("dut", [(test.dut, seconds) for test, seconds in chosen])
    lines += _groups("memory", [(test.memory or "default", seconds) for test, seconds in chosen])
    lines += ["", _sum(schedule, jobs)]
    (out or sys.stdout).write("\n".join(lines) + "\n")


def _line(test: Test, expected: float, width: int) -> str:
    guessed = test.expected_seconds < 0
    seconds = "" if guessed and expected == 0 else f"{'~' if guessed else ''}{expected:.2f}"
    tags = " " + ",".join(test.tags) if test.tags else ""
    known = f"  known: {test.known}" if test.known else ""
    return (f"{seconds:>9}  {test.key:{width}}  {test.config:16} {test.dut:10} "
            f"{test.memory or 'default':10}{tags}{known}")


def _groups(title: str, tests: list[tuple[str, float]]) -> typing.Iterator[str]:
    groups: dict[str, list[float]] = {}
    for name, seconds in tests:
        groups.setdefault(name, []).append(seconds)
    for name, times in groups.items():
        time = clock(sum(times)) if any(times) else ""
        yield f"{title:14} {name:24} {text.plural(len(times), 'test'):>12} {time:>10}".rstrip()
        title = ""


def _sum(schedule: Schedule, jobs: int) -> str:
    line = text.plural(len(schedule.order), "test")
    if schedule.unknown:
        line += f", {schedule.unknown} without a history"
    if schedule.unknown and schedule.unknown == len(schedule.order):
        line += ": how long they take is known after the first night; the largest traces come first"
    else:
        span = schedule.span(max(jobs, 1))
        line += f"; about {'a second' if span < 1 else clock(span)}"
        line += f" with {jobs} at a time" if jobs > 0 else " of computing"
    return line


def clock(seconds: float) -> str:
    """Seconds as 5:07, or 1:05:07."""
    n = int(seconds + 0.5)
    return f"{n // 3600}:{n // 60 % 60:02}:{n % 60:02}" if n >= 3600 else f"{n // 60}:{n % 60:02}"
