"""Begins a night, or takes up one that was interrupted."""
import dataclasses
import errno
import fcntl
import os
import struct
import time
import typing

from nvcosim.engine.builds import Builds
from nvcosim.night.recover import recover_nights
from nvcosim.plan.expand import expand, today
from nvcosim.plan.read import Plan, Settings
from nvcosim.store.database import DATABASE, FOLDER, Store
from nvcosim.store.ledger import Ledger
from nvcosim.store.nights import NightFacts, runner
from nvcosim.tool import Failure, complain, version

if typing.TYPE_CHECKING:
    import sqlite3
    from nvcosim.plan.test import Test


@dataclasses.dataclass
class Options:
    """Of a night. plan: file; "": that of the resumed night. command: as it was given. jobs, 0: the
    plan's, or one for each core. seed, None: the date. resumed: number of the night that is taken
    up, 0: the last of the plan that is not done, None: a new night begins. engine: "local" or
    "slurm", "": that of the resumed night, or local."""
    plan: str
    command: str = ""
    select: str | None = None
    out: str = ""
    database: str = ""
    notify: str = ""
    engine: str = ""
    slurm: str = ""  # words for sbatch, "": the plan's
    chunk_seconds: int = 0
    jobs: int = 0
    seed: int | None = None
    resumed: int | None = None
    dry_run: bool = False


def report(line: str) -> None:
    """A line for the user, before the tests."""
    complain(line)


class Begun:
    """A night before its first test: plan, tests, folder, simulators."""
    plan: Plan
    settings: Settings
    builds: Builds
    jobs = 0

    def __init__(self, options: Options) -> None:
        self.options = options
        self.start = time.monotonic()
        self.id, self.seed, self.folder, self.database = 0, 0, "", ""
        self.tests: "list[Test]" = []
        self.done: list[bool] = []
        self.store: Store | None = None
        self.ledger: Ledger | None = None
        self.lock = -1  # file that is locked while the night runs
        self.engine = options.engine or "local"

    def prepare(self) -> None:
        """Failure: it cannot begin."""
        options = self.options
        if options.plan:
            self._settle(Plan.read(options.plan))
        if options.resumed is None:
            self._expand()
        else:
            self._resume(options.resumed)
        if self.engine != "slurm" and (options.slurm or options.chunk_seconds):
            raise Failure(("--slurm-options" if options.slurm else "--chunk-seconds") + " is for "
                          "nights on Slurm (--engine=slurm), and this one is not")
        self._expect()
        if options.dry_run:
            return
        self.builds = Builds(self.left(), self.folder, report)
        if options.resumed is None:
            self._begin()
        self.builds.keep(self.folder)

    def left(self) -> "list[Test]":
        """Tests that have no result."""
        return [test for test, done in zip(self.tests, self.done) if not done]

    def close(self) -> None:
        if self.store:
            self.store.close()
        if self.ledger:
            self.ledger.close()
        if self.lock >= 0:
            os.close(self.lock)

    # ---- what is to be done ----

    def _settle(self, plan: Plan) -> None:
        self.plan, self.settings = plan, plan.settings
        self.jobs = self.options.jobs or self.settings.jobs or len(os.sched_getaffinity(0))
        self.database = self.database or absolute(
            self.options.database or self.settings.database or database_of(self.options.out))

    def _expand(self) -> None:
        """The tests of a new night."""
        day, select = today(), self.options.select
        self.seed = int(day.replace("-", "")) if self.options.seed is None else self.options.seed
        found = expand(self.plan, self.seed, day, select)
        for warning in found.warnings:
            complain(f"warning: {warning}")
        self.tests, self.done = found.tests, [False] * len(found.tests)
        if not self.tests:
            raise Failure(f"{self.options.plan}: no test"
                          + (f" is selected by {select}" if select else ""))

    def _expect(self) -> None:
        """Expected durations, where there is a database already."""
        if self.store:
            self.store.expect(self.tests)
        elif os.path.exists(self.database):
            with Store.open_read_only(self.database) as store:
                store.expect(self.tests)

    # ---- the folder ----

    def _lock(self) -> None:
        """Locks the night for this process, until it ends in whatever way; other processes of this
        machine, and of those that share the folder, see the lock."""
        path = f"{self.folder}/lock"
        try:
            self.lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            fcntl.lockf(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN) and self.lock >= 0:
                form = "hhqqi4x"  # struct flock
                asked = struct.pack(form, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
                kind, *_, pid = struct.unpack(form, fcntl.fcntl(self.lock, fcntl.F_GETLK, asked))
                if kind != fcntl.F_UNLCK:
                    raise Failure(f"night {self.id} is still running as process {pid}; end that "
                                  "one first") from None
            raise Failure(f"{path}: {error.strerror}") from None

    def _take_folder(self, store: Store, out: str) -> None:
        """OUT/night-ID, which is known once the night has its number."""
        name = f"/night-{self.id}"
        self.folder = out if out.endswith(name) else out + name
        store.set_folder(self.id, self.folder)
        make_folder(f"{self.folder}/reports")
        self._lock()
        self.ledger = Ledger.open(self.folder)

    # ---- a new night, or an interrupted one ----

    def _begin(self) -> None:
        options, out = self.options, absolute(self.options.out or FOLDER)
        facts = NightFacts(
            kind="regress", plan=self.settings.name, plan_path=absolute(options.plan),
            plan_text=self.plan.text, seed=self.seed, version=version(), engine=self.engine,
            command=options.command, folder=out, selected=options.select,
            directory=self.builds.tested_folder())
        make_folder(out)
        self.store = Store.open(self.database, create=True)
        self.store.expect(self.tests)
        self.id = self.store.begin_night(facts, self.tests)
        self._take_folder(self.store, out)

    def _check_night(self, row: "sqlite3.Row") -> None:
        """Failure if the night cannot be resumed."""
        night = f"night {self.id}"
        if row["kind"] != "regress":
            raise Failure(f"{night} is one of nvcosim {row['kind']}")
        if row["state"] == "done":
            raise Failure(f"{night} is done: nothing is left to resume")
        if row["state"] != "running":
            return
        found = runner(row["host"], row["pid"], row["birth"])
        if found == "elsewhere":
            raise Failure(f"{night} runs on {row['host']}; resume it there")
        if found == "lives":
            raise Failure(f"{night} is still running as process {row['pid']}; end that one first")

    def _read_night(self, store: Store) -> None:
        """Takes the night as the database has it."""
        row = store.row("SELECT kind, plan_path, plan_text, seed, state, host, pid, birth, engine, "
                        "folder FROM night WHERE id = ?", self.id)
        if not row:
            raise Failure(f"{self.database}: there is no night {self.id}")
        self._check_night(row)
        self.seed, self.engine = row["seed"] % (1 << 64), row["engine"]
        self._settle(Plan.parse(row["plan_path"],
                                row["plan_text"].encode("utf-8", "surrogateescape")))
        if not self.options.dry_run:
            self._take_folder(store, row["folder"])

    def _check_traces(self) -> None:
        """A trace that is gone, or whose path depends on where one is, would be reported as a
        failure of the RTL."""
        for test in self.left():
            if not test.generator and not os.access(test.trace, os.R_OK):
                number = errno.EACCES if os.path.exists(test.trace) else errno.ENOENT
                raise Failure(f"{test.trace}: {os.strerror(number)}: the trace of {test.key}, "
                              "which is still to run; nothing was resumed")

    def _resume(self, night: int) -> None:
        if not self.database:
            self.database = absolute(self.options.database or database_of(self.options.out))
        recover_nights(self.database)
        self.store = store = Store.open(self.database)
        self.id = night or store.unfinished(self.settings.name)
        if not self.id:
            raise Failure(f"{self.database}: no night of plan {self.settings.name} is left to "
                          "resume")
        self._read_night(store)
        self.tests, self.done = store.tests(self.id)
        self._check_traces()
        self._expect()
        if not self.options.dry_run:
            store.state(self.id, "running")


def absolute(path: str) -> str:
    """Seen from here; nothing else is changed."""
    return path if path.startswith("/") else f"{os.getcwd()}/{path}"


def database_of(out: str) -> str:
    """The database of a folder of nights, "": the default one."""
    return f"{out or FOLDER}/{DATABASE}"


def make_folder(path: str) -> None:
    """With those above it. Failure: it cannot be made."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise Failure(f"{error.filename or path}: {error.strerror}") from None
