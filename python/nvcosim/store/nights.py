"""Nights and their tests in the database: who runs them, which are not done."""
import dataclasses
import os
import typing

from nvcosim.store.results import plain
from nvcosim.store.revision import Revision, revision_of
from nvcosim.store.sql import Database
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    import sqlite3
    from nvcosim.plan.test import Test

NOW = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
_SUFFIXES = (".nvt.gz", ".nvt", ".cfg.gz", ".cfg", ".txn.gz", ".txn", ".txn.raw.gz", ".txn.raw",
             ".nvdla.gz", ".nvdla", ".tflite")


def trace_name(path: str) -> str:
    """The name of a trace by its file: without folder and suffix; of input.txn that of its
    folder."""
    folder, _, name = path.rstrip("/").rpartition("/")
    if name in ("input.txn", "input.txn.raw") and folder:
        name = folder.rpartition("/")[2]
    suffix = next((s for s in _SUFFIXES if name.endswith(s) and len(name) > len(s)), "")
    name = name.removesuffix(suffix)
    return "trace" if name in ("", ".", "..") else name


def birth_of(pid: int) -> str | None:
    """The boot of the host and when the process started after it: no other process of the same
    number has both. None: there is no such process, or it is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{boot}/{fields[19]}"


def runner(host: str, pid: int, birth: str) -> str:
    """Whether the runner of a night "lives" or is "gone"; "elsewhere": on another host, which
    cannot be asked."""
    if host != os.uname().nodename:
        return "elsewhere"
    return "lives" if birth_of(pid) == birth else "gone"


def signed(number: int) -> int:
    """An unsigned number of 64 bits as SQLite keeps it."""
    return number - (1 << 64) if number >> 63 else number


@dataclasses.dataclass(frozen=True)
class NightFacts:
    """What a night is. directory: of what is tested, for the git revision: that of the RTL; None:
    the working directory, or that of the plan if only that one is in git."""
    kind: str
    plan: str
    plan_path: str
    plan_text: str
    seed: int
    version: str
    engine: str
    command: str
    folder: str = ""
    selected: str | None = None
    directory: str | None = None

    def tested(self) -> tuple[str, Revision]:
        """The folder of what is tested, and its revision; git has ten seconds for each answer."""
        folder = os.path.realpath(self.directory or ".")
        revision = revision_of(folder)
        plan = os.path.dirname(self.plan_path)
        if not revision.commit and not self.directory and plan:
            of_plan = revision_of(plan)
            if of_plan.commit:
                return os.path.realpath(plan), of_plan
        return folder, revision


def _this_process() -> dict[str, typing.Any]:
    return {"host": os.uname().nodename, "cores": len(os.sched_getaffinity(0)),
            "pid": os.getpid(), "birth": birth_of(os.getpid()) or ""}


def _bytes(text: str) -> bytes:
    """A text that need not be UTF-8 (names of folders); SQL has CAST(? AS TEXT) for it."""
    return text.encode("utf-8", "surrogateescape")


def _test_row(night: int, number: int, test: "Test") -> list[typing.Any]:
    random = test.generator is not None
    texts = [plain(text) for text in (test.key, test.to_json(), test.item, trace_name(test.trace),
                                      test.trace, test.config, test.dut, test.memory)]
    return [night, number, *texts, signed(test.seed),
            signed(test.layer_seed) if random else None,
            plain(" " + "".join(f"{tag} " for tag in test.tags)), plain(test.known)]


class Nights(Database):
    """The table of nights, and its tests before they have results."""

    def begin_night(self, facts: NightFacts, tests: "typing.Sequence[Test]") -> int:
        """Begins a night: its row, and one of each test, in one transaction. Host, cores, git
        revision and time are filled in. Returns its number."""
        folder, revision = facts.tested()
        values = {**dataclasses.asdict(facts), **_this_process(), "seed": signed(facts.seed),
                  "directory": folder, "revision": revision.commit, "dirty": revision.dirty,
                  "state": "running"}
        bound = [_bytes(value) if isinstance(value, str) else value for value in values.values()]
        places = ["CAST(? AS TEXT)" if isinstance(value, bytes) else "?" for value in bound]
        with self.transaction("the night cannot be begun"):
            night = self.connection.execute(
                f"INSERT INTO night ({', '.join(values)}, started) VALUES ({', '.join(places)}, "
                f"{NOW})", bound).lastrowid or 0
            self.connection.executemany(
                "INSERT INTO result (night, number, key, test, item, trace, path, config, dut, "
                f"memory, seed, layer_seed, tags, known) VALUES ({', '.join('?' * 14)})",
                (_test_row(night, number, test) for number, test in enumerate(tests)))
        return night

    def set_folder(self, night: int, folder: str) -> None:
        """Keeps the folder of the night, which is known once it has its number."""
        self.run("UPDATE night SET folder = CAST(? AS TEXT) WHERE id = ?", [_bytes(folder), night],
                 "the folder of the night cannot be kept")

    def state(self, night: int, state: str, seconds: float = 0) -> None:
        """Changes the state of a night ("interrupted", "done", or "running" again: by this process)
        and adds wall time to it."""
        values = {"state": state, **(_this_process() if state == "running" else {})}
        ended = "" if state == "running" else f", ended = {NOW}"
        changed = self.run(
            f"UPDATE night SET seconds = seconds + ?{ended}, "
            f"{', '.join(f'{name} = ?' for name in values)} WHERE id = ?",
            [seconds, *values.values(), night], "the state of the night cannot be kept")
        if not changed:
            raise Failure(f"{self.path}: there is no night {night}")

    def unfinished(self, plan: str) -> int:
        """The last night of the plan that is not done and whose runner is gone; 0: none. Failure if
        the last one's runner lives, or runs on another host, which cannot be asked."""
        night = self.row("SELECT id, host, pid, birth, started, state FROM night WHERE plan = ? "
                         "AND state <> 'done' ORDER BY id DESC LIMIT 1", plan)
        if night and night["state"] == "running":
            self._need_gone(night)
        return int(night["id"]) if night else 0

    def _need_gone(self, night: "sqlite3.Row") -> None:
        begun = f"{self.path}: night {night['id']}, begun {night['started']},"
        found = runner(night["host"], night["pid"], night["birth"])
        if found == "elsewhere":
            raise Failure(f"{begun} runs on {night['host']} as process {night['pid']}; resume it "
                          "there")
        if found == "lives":
            raise Failure(f"{begun} is still running as process {night['pid']}; end that one first")

    def tests(self, night: int) -> "tuple[list[Test], list[bool]]":
        """The tests of a night, and which of them have results."""
        from nvcosim.plan.test import Test
        tests: list[Test] = []
        done: list[bool] = []
        for row in self.rows("SELECT number, test, verdict IS NOT NULL AS done FROM result WHERE "
                             "night = ? ORDER BY number", night):
            at = len(tests)
            try:
                if row["number"] != at:
                    raise Failure("a test is missing")
                tests.append(Test.from_json(row["test"]))
            except Failure as failure:
                raise Failure(f"{self.path}: night {night}, test {at}: {failure}") from None
            done.append(bool(row["done"]))
        return tests, done
