"""The faults that are planted in an RTL (scripts/plant.py), and the state of each: rows of table
`fault`, and the table that is printed at the end."""
import collections
import dataclasses
import itertools
import json
import typing

from nvcosim.text import plural
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    from nvcosim.faults.campaign import Trial
    from nvcosim.faults.equivalents import Equivalent, Equivalents
    from nvcosim.store.database import Store

OPEN, NOTICED, SURVIVED, UNREACHED, EQUIVALENT = (
    "open",  # not known yet
    "noticed",  # a test does not pass with it
    "survived",  # every test that could notice it passes
    "unreached",  # in every test the changed expression has the original value
    "equivalent")  # the list of equivalents has it: it is not played
_PLACE = ("folder", "file", "module", "line", "original", "changed", "statement")


@dataclasses.dataclass(eq=False)
class Fault:
    """number: what chooses it, from 1. folder, file: relative to the RTL. original, changed: an
    operator or a constant, and what takes its place. statement: on one line, with the change
    marked, a [[+ -> -]] b. trials: the tests that could notice it, the shortest first."""
    number: int
    folder: str
    file: str
    module: str
    line: int
    original: str
    changed: str
    statement: str
    state: str = OPEN
    reason: str | None = None  # of an equivalent
    noticed_by: str | None = None  # key of the test
    verdict: str | None = None  # of that test
    runs: int = 0  # tests that were played with it
    seconds: float = 0  # CPU time
    trials: "list[Trial]" = dataclasses.field(default_factory=list)


class Faults(list[Fault]):
    """statements: of all places of the RTL, "FILE\\tSTATEMENT"."""
    statements: set[str]

    @classmethod
    def read(cls, path: str) -> "Faults":
        """Of faults.json; Failure."""
        try:
            with open(path, encoding="utf-8") as file:
                table = json.load(file)
            found = cls(Fault(number, **{name: each[name] for name in _PLACE})
                        for number, each in enumerate(table["faults"], 1))
            found.statements = set(table["statements"])
        except OSError as error:
            raise Failure(f"{path}: cannot open: {error.strerror}") from None
        except (ValueError, LookupError, TypeError) as error:
            raise Failure(f"{path}: found no table of faults: {error}") from None
        return found

    def exempt(self, known: "Equivalents") -> "list[Equivalent]":
        """Marks those that are in the list of equivalents. Returns the entries of the list that fit
        no place of the RTL."""
        for fault in self:
            entry = known.get((fault.file, fault.statement))
            if entry:
                fault.state, fault.reason = EQUIVALENT, entry.reason
        return [entry for entry in known.values()
                if f"{entry.file}\t{entry.statement}" not in self.statements]

    def share(self) -> float:
        """Per cent of the faults that are not equivalent that were noticed; 100 if there are
        none."""
        counts = _counts(self)
        real = len(self) - counts[EQUIVALENT]
        return 100 * counts[NOTICED] / real if real else 100

    # ---- the database ----

    def begin(self, store: "Store", night: int) -> None:
        """The rows of a new night; the state of an open fault is NULL."""
        names = ("night", "number", *_PLACE, "reason")
        with store.transaction("the faults cannot be kept"):
            store.connection.executemany(
                f"INSERT INTO fault ({', '.join(names)}, state) VALUES "
                f"(:{', :'.join(names)}, nullif(:state, '{OPEN}'))",
                ({**vars(fault), "night": night} for fault in self))

    def resume(self, store: "Store", night: int) -> None:
        """Takes the states that an earlier call of the night stored. Failure: the faults are not
        those of the night."""
        rows = list(store.rows("SELECT file, statement, state, noticed_by, verdict, runs FROM "
                               "fault WHERE night = ? ORDER BY number", night))
        if [(row["file"], row["statement"]) for row in rows] != \
                [(fault.file, fault.statement) for fault in self]:
            raise Failure("the RTL has other faults now than when the night began: begin a new one")
        for fault, row in zip(self, rows):
            if fault.state == OPEN and row["state"]:
                for name in ("state", "noticed_by", "verdict", "runs"):
                    setattr(fault, name, row[name])

    # ---- for the user ----

    def print(self, out: typing.TextIO) -> None:
        """The table by folder and module, then every fault that no test noticed."""
        ordered = sorted(self, key=lambda f: (f.folder, f.module, f.file, f.line))
        print(f"{'':34} {'planted':>8} {NOTICED:>8} {SURVIVED:>9} {UNREACHED:>10} {EQUIVALENT:>11} "
              f"{'share':>8}", file=out)
        for folder, inside in itertools.groupby(ordered, lambda f: f.folder):
            faults = list(inside)
            print(_row(folder, faults), file=out)
            for module, some in itertools.groupby(faults, lambda f: f.module):
                print(_row(f"  {module}", list(some)), file=out)
        print(_row("all", self), file=out)
        for state, title in (
                (SURVIVED, "Survived: the change had an effect on its expression in these tests, "
                           "and none failed"),
                (UNREACHED, "Unreached: in no test has the changed expression ever another value "
                            "than the original")):
            some_faults = [fault for fault in ordered if fault.state == state]
            if some_faults:
                print(f"\n{title}", file=out)
            for f in some_faults:
                played = f", {plural(f.runs, 'test')} played" if state == SURVIVED else ""
                print(f"  {f.file}:{f.line}: fault {f.number} in {f.module}{played}\n"
                      f"    {f.statement}", file=out)


def keep(store: "Store", night: int, faults: typing.Iterable[Fault]) -> None:
    """Stores the states of faults that are known now, in one transaction."""
    with store.transaction("the state of a fault cannot be kept"):
        store.connection.executemany(
            "UPDATE fault SET state = :state, noticed_by = :noticed_by, verdict = :verdict, "
            "runs = :runs, seconds = :seconds WHERE night = :night AND number = :number",
            ({**vars(fault), "night": night} for fault in faults))


def _counts(faults: typing.Iterable[Fault]) -> collections.Counter[str]:
    return collections.Counter(fault.state for fault in faults)


def _row(name: str, faults: typing.Sequence[Fault]) -> str:
    counts = _counts(faults)
    real = len(faults) - counts[EQUIVALENT]
    share = f"{100 * counts[NOTICED] / real:.1f} %" if real else "-"
    more = f"   {counts[OPEN]} not known yet" if counts[OPEN] else ""
    return (f"{name:34} {len(faults):8} {counts[NOTICED]:8} {counts[SURVIVED]:9} "
            f"{counts[UNREACHED]:10} {counts[EQUIVALENT]:11} {share:>8}{more}")
