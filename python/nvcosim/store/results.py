"""Results of tests: what `nvcosim run --results` says (docs/results.md), how the database keeps it,
and how long tests have taken by it."""
import dataclasses
import json
import os
import time
import typing

from nvcosim import tool
from nvcosim.store.signature import signature
from nvcosim.store.sql import Database
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    from nvcosim.plan.test import Test

STATUSES = {"PASS": tool.EXIT_OK, "FAIL": tool.EXIT_DIFFERENT, "HANG": tool.EXIT_HANG,
            "REFUSED": tool.EXIT_BAD_INPUT, "CRASH": tool.EXIT_CRASH, "ERROR": tool.EXIT_BAD_INPUT}
Members = dict[str, typing.Any]
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


@dataclasses.dataclass
class Result:
    """members: the JSON object of a result; those without a value are left out."""
    members: Members

    @classmethod
    def from_json(cls, text: str) -> "Result | None":
        """None: it is not a result: not an object, or without a verdict or a configuration."""
        try:
            return cls.of(json.loads(text))
        except ValueError:
            return None

    @classmethod
    def of(cls, value: typing.Any) -> "Result | None":
        """The same of a value that was JSON."""
        good = isinstance(value, dict) and value.get("verdict") in STATUSES \
            and isinstance(value.get("config"), str)
        return cls(value) if good else None

    @classmethod
    def error(cls, test: "Test", reason: str) -> "Result":
        """Of a test that was not played."""
        return cls({"verdict": "ERROR", "status": STATUSES["ERROR"], "trace": test.file_name(),
                    "path": test.trace, "config": test.config, "dut": test.dut, "seed": test.seed,
                    "reason": reason, "exit_status": 0, "seconds": 0.0, "cpu_seconds": 0.0,
                    "findings": [], "devices": [], "version": tool.version()})

    def to_json(self) -> str:
        """One line without the line end."""
        return _encode(self.members)

    def text(self, name: str) -> str | None:
        """A member that is a text; None: there is none."""
        value = self.members.get(name)
        return value if isinstance(value, str) else None

    def figure(self, name: str) -> float:
        """A member that is a number; 0: there is none."""
        value = self.members.get(name)
        return value if isinstance(value, (int, float)) else 0

    def _list(self, name: str) -> list[Members]:
        value = self.members.get(name)
        return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

    @property
    def verdict(self) -> str:
        """"PASS", "FAIL", "HANG", "REFUSED", "CRASH", "ERROR"."""
        return str(self.members["verdict"])

    @property
    def status(self) -> int:
        """Exit status of the verdict."""
        return STATUSES[self.verdict]

    @property
    def reason(self) -> str:
        """One line, "" of PASS."""
        return self.text("reason") or ""

    @property
    def dut(self) -> str:
        return self.text("dut") or ""

    @property
    def limit(self) -> str | None:
        """Of a hang: the option whose limit was reached."""
        return self.text("limit")

    @property
    def exit_status(self) -> int:
        """Of the simulator; 128 + N: ended by signal N."""
        return int(self.figure("exit_status"))

    @property
    def seconds(self) -> float:
        """Wall time of the process."""
        return self.figure("seconds")

    @property
    def cpu_seconds(self) -> float:
        return self.figure("cpu_seconds")

    @property
    def devices(self) -> list[Members]:
        """The RTL before the model."""
        return self._list("devices")

    @property
    def findings(self) -> list[Members]:
        return self._list("findings")

    @property
    def mismatch(self) -> Members | None:
        """The first byte that differs; None: nothing differs."""
        value = self.members.get("mismatch")
        return value if isinstance(value, dict) and value.get("space") else None

    @property
    def disagrees(self) -> Members:
        """Who disagrees with whom (docs/debug.md); {}: not known."""
        value = self.members.get("disagrees")
        return value if isinstance(value, dict) else {}

    def clocks(self, name: str) -> int | None:
        """"cycles" or "op_cycles" of the RTL; None: it did not play."""
        first = self.devices[0] if self.devices else {}
        return int(first.get(name, 0)) if first.get("clocked") else None


@dataclasses.dataclass(frozen=True)
class Row:
    """A result of a test of a night. at: seconds since 1970 when it ended; None: now."""
    number: int
    host: str | None
    result: Result
    at: int | None = None


def plain(text: str | None) -> str | None:
    """A text as it can be kept: bytes that are not UTF-8 become question marks."""
    return text and text.encode("utf-8", "replace").decode("utf-8")


def _describe(mismatch: Members | None) -> str | None:
    """ "SDP #0 surface 0, line 1, column 2, channel 3: primary 0xa0000000, 128 bytes, cycle 8"."""
    if not mismatch:
        return None
    where = ""
    if mismatch.get("unit"):
        where = f"{mismatch['unit']} #{mismatch.get('launch', 0)} {mismatch.get('element') or ''}: "
    count = mismatch.get("bytes", 0)
    golden = ", from a golden" if mismatch.get("golden") else ""
    cycle = f", cycle {mismatch['cycle']}" if mismatch.get("cycle") else ""
    return (f"{where}{mismatch['space']} 0x{mismatch.get('address', 0):x}, {count} "
            f"byte{'' if count == 1 else 's'}{golden}{cycle}")


def _inside(folder: str, path: str | None) -> str | None:
    """A path inside the folder of the night without the folder, another one as it is."""
    if not path or not folder:
        return path
    for base, whole in ((folder, path), (os.path.realpath(folder), os.path.realpath(path))):
        if whole.startswith(base + "/"):
            return whole[len(base) + 1:]
    return path


def _columns(row: Row, folder: str) -> Members:
    result = row.result
    members = {name: value for name, value in result.members.items() if name != "coverage"}
    try:
        coverage = bytes.fromhex(result.text("coverage") or "") or None
    except ValueError:
        coverage = None
    texts = {
        "verdict": result.verdict, "reason": result.reason, "signature": signature(result),
        "mismatch": _describe(result.mismatch), "host": row.host,
        "report": _inside(folder, result.text("report")),
        "page": _inside(folder, result.text("page")), "command": result.text("command"),
        "debug_command": result.text("debug_command"), "result": Result(members).to_json()}
    return {
        **{name: plain(text) for name, text in texts.items()},
        "cycles": result.clocks("cycles"), "op_cycles": result.clocks("op_cycles"),
        "macs": result.members.get("macs", 0) if result.devices else None,
        "seconds": result.seconds, "cpu_seconds": result.cpu_seconds,
        "memory_peak": result.figure("memory_peak") or None, "coverage": coverage}


class Results(Database):
    """The table of results."""
    HISTORY = 5  # results by which the time of a test is expected

    def store_results(self, night: int, rows: typing.Iterable[Row], safe: bool = True,
                      spent: float = 0) -> None:
        """Keeps results, each once, all of them or none; Failure if a test has one already. Paths
        of reports inside the folder of the night are kept relative to it. Costs milliseconds for
        the disk: worth doing for several at a time. safe: also of a power cut; otherwise it only
        survives the end of this process, however that ends. spent: wall time to add to the night,
        which has it even if this process is killed."""
        doing = "a result cannot be kept"
        found = self.row("SELECT folder FROM night WHERE id = ?", night)
        if not found:
            raise Failure(f"{self.path}: there is no night {night}")
        if not safe:
            self.run("PRAGMA synchronous = NORMAL", doing=doing)
        try:
            with self.transaction(doing):
                if spent:
                    self.run("UPDATE night SET seconds = seconds + ? WHERE id = ?",
                             [spent, night], doing)
                for row in rows:
                    columns = _columns(row, found["folder"])
                    at = time.time() if row.at is None else row.at
                    if not self.run(
                            f"UPDATE result SET {', '.join(f'{name} = ?' for name in columns)}, "
                            "ended = strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch') "
                            "WHERE night = ? AND number = ? AND verdict IS NULL",
                            [*columns.values(), int(at), night, row.number], doing):
                        self._explain_unchanged(night, row.number)
        finally:
            if not safe:
                self.run("PRAGMA synchronous = FULL", doing=doing)

    def _explain_unchanged(self, night: int, number: int) -> typing.NoReturn:
        found = self.row("SELECT verdict FROM result WHERE night = ? AND number = ?", night, number)
        if not found:
            raise Failure(f"{self.path}: night {night} has no test {number}")
        raise Failure(f"{self.path}: test {number} of night {night} has its result already: "
                      f"{found['verdict']}")

    def expect(self, tests: "typing.Iterable[Test]") -> None:
        """Sets expected_seconds of each test: wall time, the median of its last nights in which it
        was played, up to five; -1: it never was."""
        for test in tests:
            took = sorted(row["seconds"] or 0.0 for row in self.rows(
                "SELECT seconds FROM result WHERE key = ? AND verdict NOT IN ('CRASH', 'ERROR') "
                "ORDER BY night DESC LIMIT ?", plain(test.key), self.HISTORY))
            test.expected_seconds = took[len(took) // 2] if took else -1
