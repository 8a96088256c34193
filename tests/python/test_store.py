"""The database of regressions: what is kept is on the disk and is kept once, several processes write at a time, older databases are
brought up to date in one piece, and files that are none are refused with a word that helps. The ledger: what a killed process leaves."""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
import unittest.mock

from mock_launcher import MockLauncher
from nvcosim.night.recover import recover_night, recover_nights
from nvcosim.plan.test import Test
from nvcosim.store.database import Store
from nvcosim.store.ledger import Ledger
from nvcosim.store.nights import NightFacts, trace_name
from nvcosim.store.results import Result, Row
from nvcosim.store.revision import Revision, revision_named, revision_of
from nvcosim.store.signature import likeness, signature
from nvcosim.store.sql import Schema
from nvcosim.tool import Failure

HERE = os.uname().nodename


def some_tests(count):
    return [Test(key=f"item/t{i}", item="item", trace=f"traces/small/t{i}.nvt.gz", generator=None, layer_seed=0, config="small",
                 dut="both", memory="",
                 seed=(1 << 63) - 1 - i, tags=("fast", "conv")) for i in range(count)]


def facts(**more):
    return NightFacts(**{"kind": "regress", "plan": "nightly", "plan_path": "plans/nightly.yml", "plan_text": "name: nightly\n",
                         "seed": 7, "version": "1.2",
                         "engine": "local", "command": "nvcosim regress nightly", "folder": "/nights/1", **more})


def passed(number=0, **more):
    return Result({"verdict": "PASS", "trace": f"t{number}", "path": "t.nvt.gz", "config": "small", "dut": "rtl+model",
                   "reason": "", "coverage": "0123456789abcdefff01",
                   "report": "/nights/1/reports/t/report.json", "page": "/elsewhere/report.html", "macs": 77,
                   "seconds": 1.5 + number, "cpu_seconds": 1.25, "memory_peak": 4096,
                   "devices": [{"name": "rtl", "outcome": "passed", "clocked": True, "cycles": 13043, "op_cycles": 183}], **more})


class WithFolder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def opened(self, name="nights.db"):
        return self.enterContext(Store.open(self.path(name), create=True))

    def expect(self, store, sql, *expected):
        self.assertEqual(tuple(store.row(sql)), expected)

    def fails(self, words):
        return self.assertRaisesRegex(Failure, re.escape(words))


class Nights(WithFolder):
    def test_night_and_results(self):
        store, tests = self.opened("a/b/nights.db"), some_tests(3)  # folders are made
        for pragma, value in (("journal_mode", "wal"), ("synchronous", 2), ("user_version", 2), ("page_size", 16384),
                              ("foreign_keys", 1)):
            self.expect(store, f"PRAGMA {pragma}", value)
        tests[1].generator, tests[1].layer_seed, tests[2].known = "mix", (1 << 64) - 1, "issue 123"
        night = store.begin_night(facts(), tests)
        self.assertEqual(night, 1)
        store.store_results(night, [Row(2, "host", passed(2), 1_767_222_000)])
        self.expect(store,
                    "SELECT state, kind, plan, seed, host, cores > 0, started LIKE '20__-__-__T__:__:__Z', birth <> '' FROM night",
                    "running", "regress", "nightly", 7, HERE, 1, 1, 1)
        self.assertEqual([tuple(row) for row in store.rows("SELECT layer_seed, known, trace, seed, tags FROM result ORDER BY number")], [
            (None, None, "t0", (1 << 63) - 1, " fast conv "), (-1, None, "t1", (1 << 63) - 2, " fast conv "),
                    (None, "issue 123", "t2", (1 << 63) - 3, " fast conv ")])
        self.expect(store,
                    "SELECT verdict, cycles, op_cycles, macs, seconds, memory_peak, host, hex(coverage), report, page, ended "
                    "FROM result WHERE number = 2",
                    "PASS", 13043, 183, 77, 3.5, 4096, "host", "0123456789ABCDEFFF01", "reports/t/report.json",
                    "/elsewhere/report.html", "2025-12-31T23:00:00Z")
        self.expect(store, "SELECT count(*) FROM result WHERE result LIKE '%coverage%'", 0)
        read, done = store.tests(night)
        self.assertEqual((read, done), (tests, [False, False, True]))
        for number, of, words in ((2, night, "test 2 of night 1 has its result already: PASS"),
                                  (3, night, "night 1 has no test 3"), (0, 9, "there is no night 9")):
            with self.fails(words):
                store.store_results(of, [Row(0, "host", passed()), Row(number, "host", passed(2))])
        self.expect(store, "SELECT count(*) FROM result WHERE verdict IS NULL", 2)  # all of them or none
        store.state(night, "interrupted", 2.5)
        store.state(night, "running", 1)
        with self.fails("CHECK constraint failed"):
            store.state(night, "odd", 1)
        store.state(night, "done", 0)
        self.expect(store, "SELECT state, seconds, ended >= started FROM night", "done", 3.5, 1)
        with self.fails("there is no night 9"):
            store.state(9, "done")

    def test_expected_time_is_the_median(self):
        store, tests = self.opened(), some_tests(2)
        for took in (9, 1, 2, 100, 3, 4):  # the first is too long ago
            store.store_results(store.begin_night(facts(), tests), [Row(0, "host", passed(seconds=took))])
        store.store_results(store.begin_night(facts(), tests), [Row(0, "host", passed(seconds=77, verdict="CRASH"))])
        store.expect(tests)
        self.assertEqual([test.expected_seconds for test in tests], [3, -1])

    def test_names_that_are_not_utf8(self):
        store, odd = self.opened(), "/nights/caf\udce9"
        tests = some_tests(1)
        tests[0].trace = f"{odd}/t.nvt"
        night = store.begin_night(facts(folder=odd), tests)
        store.store_results(night, [Row(0, "host", passed(report=f"{odd}/r.json", page=f"{odd}x/p.html", reason="\udcff"))])
        self.assertEqual(store.row("SELECT folder FROM night")["folder"], odd)
        self.expect(store, "SELECT path, report, page, reason, ended LIKE '20__-__-__T__:__:__Z' FROM result", "/nights/caf?/t.nvt",
                    "r.json", "/nights/caf?x/p.html", "?", 1)

    def test_who_runs_is_not_resumed(self):
        store, tests = self.opened(), some_tests(1)
        self.assertEqual(store.unfinished("nightly"), 0)
        first, second = store.begin_night(facts(), tests), store.begin_night(facts(), tests)
        with self.fails("is still running as process"):
            store.unfinished("nightly")
        store.state(second, "done")
        store.state(first, "interrupted")
        self.assertEqual(store.unfinished("nightly"), first)
        store.state(second, "running")
        store.run("UPDATE night SET birth = birth || '0'")  # another process that has the same number by now
        self.assertEqual(store.unfinished("nightly"), second)
        store.run("UPDATE night SET host = 'far'")
        with self.fails("runs on far as process"):
            store.unfinished("nightly")
        self.assertEqual(store.unfinished("other"), 0)

    def test_zombie_does_not_run(self):
        pid = os.fork()
        if pid == 0:
            Store.open(self.path("nights.db"), create=True).begin_night(facts(), some_tests(1))
            os._exit(0)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        self.assertEqual(self.opened().unfinished("nightly"), 1)
        os.waitpid(pid, 0)

    def test_damaged_test(self):
        store = self.opened()
        night = store.begin_night(facts(), some_tests(2))
        store.run("UPDATE result SET test = '{' WHERE number = 1")
        with self.fails("night 1, test 1: found '{', expected a test"):
            store.tests(night)
        store.run("DELETE FROM result WHERE number = 0")
        with self.fails("night 1, test 0: a test is missing"):
            store.tests(night)

    def test_many_tests_at_once(self):
        store, start = self.opened(), time.monotonic()
        store.begin_night(facts(), some_tests(5000))
        self.assertLess(time.monotonic() - start, 10)
        self.expect(store, "SELECT count(*) FROM result", 5000)


class Writers(WithFolder):
    TESTS = 40

    def writer(self, told):
        """A night with all its results in a process of its own; says each that is kept."""
        pid = os.fork()
        if pid:
            return pid
        status = 1
        try:
            with Store.open(self.path("nights.db"), create=True) as store:
                night = store.begin_night(facts(), some_tests(self.TESTS))
                for number in range(self.TESTS):
                    store.store_results(night, [Row(number, "host", passed(number))], safe=False)
                    os.write(told, f"{night} {number}\n".encode())
                store.state(night, "done", 1)
            status = 0
        finally:
            os._exit(status)

    def test_four_writers(self):
        told = os.open(os.devnull, os.O_WRONLY)
        for pid in [self.writer(told) for _ in range(4)]:  # the first of them makes the database
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
        os.close(told)
        store = self.opened()
        self.expect(store, "SELECT count(*) FROM night WHERE state = 'done'", 4)
        self.expect(store, "SELECT count(*), count(DISTINCT night) FROM result WHERE verdict = 'PASS'", 4 * self.TESTS, 4)
        self.expect(store, "PRAGMA integrity_check", "ok")
        self.expect(store, "SELECT count(*) FROM pragma_foreign_key_check", 0)

    def test_killed_writer_loses_nothing(self):
        for most in range(1, 14, 3):
            reader, told = os.pipe()
            pid, lines = self.writer(told), []
            os.close(told)
            with open(reader, encoding="ascii") as news:
                for line in news:
                    lines.append(line)
                    if len(lines) == most:
                        os.kill(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
            night = int(lines[-1].split()[0])
            with Store.open(self.path("nights.db")) as store:
                self.assertGreaterEqual(store.row("SELECT count(*) FROM result WHERE night = ? AND verdict = 'PASS'", night)[0],
                                        len(lines))
                self.expect(store, "PRAGMA integrity_check", "ok")
                if os.WIFSIGNALED(status) and store.row("SELECT state FROM night WHERE id = ?", night)[0] == "running":
                    self.assertEqual(store.unfinished("nightly"), night)

    def test_full_disk_leaves_nothing_half_done(self):
        store = self.opened()
        night = store.begin_night(facts(), some_tests(2))
        self.expect(store, "PRAGMA max_page_count = 40", 40)
        with self.fails("no space is left on its disk"):
            store.begin_night(facts(), some_tests(2000))
        self.expect(store, "SELECT count(*), (SELECT count(*) FROM result) FROM night", 1, 2)
        store.store_results(night, [Row(1, "host", passed())])
        self.expect(store, "PRAGMA integrity_check", "ok")

    def test_locked(self):
        with unittest.mock.patch("nvcosim.store.sql.PATIENCE_SECONDS", 0.05):
            store = self.opened()
        other = self.enterContext(contextlib.closing(sqlite3.connect(self.path("nights.db"), isolation_level=None)))
        other.execute("BEGIN IMMEDIATE")
        with self.fails("another process has kept the database locked for 60 seconds; fuser"):
            store.begin_night(facts(), [])


class Versions(WithFolder):
    OLD = "CREATE TABLE night (id INTEGER PRIMARY KEY, plan TEXT); CREATE TABLE result (night INTEGER, verdict TEXT)"
    NEW = """CREATE TABLE night (id INTEGER PRIMARY KEY, plan TEXT, host TEXT NOT NULL DEFAULT ''); -- a comment; with a semicolon
             CREATE TABLE result (night INTEGER, verdict TEXT); CREATE TABLE fault (number INTEGER)"""
    STEPS = ("ALTER TABLE night ADD COLUMN host TEXT NOT NULL DEFAULT ''",
             "CREATE TABLE fault (number INTEGER); UPDATE result SET verdict = upper(verdict)",
             "CREATE TABLE fault (number INTEGER)")  # the last one fails: it is there

    @staticmethod
    def shape(connection):
        return connection.execute("SELECT s.name, c.name, c.type, c.dflt_value, c.\"notnull\" "
                                  "FROM sqlite_schema s, pragma_table_info(s.name) c ORDER BY 1, 2").fetchall()

    def test_steps_make_what_the_text_makes(self):
        first, third, fourth = Schema(99, self.OLD, ()), Schema(99, self.NEW, self.STEPS[:2]), Schema(99, "", self.STEPS)
        old, fresh = (self.enterContext(contextlib.closing(sqlite3.connect(":memory:", isolation_level=None))) for _ in range(2))
        self.assertEqual(first.look(old), ("empty", 0))
        first.bring(old)
        old.execute("INSERT INTO result VALUES (1, 'pass')")
        self.assertEqual(third.look(old), ("older", 1))
        third.bring(old)
        third.bring(fresh)
        self.assertEqual(self.shape(old), self.shape(fresh))
        self.assertEqual(first.look(old), ("newer", 3))
        with self.assertRaises(sqlite3.OperationalError):  # a step that fails leaves nothing
            fourth.bring(old)
        self.assertEqual(third.look(old), ("present", 3))
        self.assertEqual(old.execute("SELECT verdict FROM result").fetchall(), [("PASS",)])
        old.execute("PRAGMA application_id = 98")
        self.assertEqual(third.look(old)[0], "foreign")

    def test_database_of_version_1(self):
        self.opened().close()
        with contextlib.closing(sqlite3.connect(self.path("nights.db"))) as old:
            old.executescript("ALTER TABLE bucket DROP COLUMN note; ALTER TABLE bucket DROP COLUMN shrunk_command; PRAGMA user_version = 1")
        with Store.open_read_only(self.path("nights.db")) as store:
            self.expect(store, "PRAGMA user_version", 2)
            self.assertEqual(store.row("SELECT group_concat(name) FROM pragma_table_info('bucket')")[0].split(",")[-2:],
                             ["shrunk_command", "note"])

    def test_files_that_are_no_database(self):
        text = "this is a text of more than sixteen bytes\n"
        pathlib.Path(self.path("notes.txt")).write_text(text, encoding="ascii")
        pathlib.Path(self.path("empty.db")).touch()
        os.mkfifo(self.path("fifo"))
        with contextlib.closing(sqlite3.connect(self.path("foreign.db"))) as foreign:
            foreign.execute("CREATE TABLE recipes (name)")
        for name, create, words in (
                ("notes.txt", True, "this is not a SQLite database"), (".", True, "this is a folder"),
                                    ("fifo", True, "this is not a regular file"),
                ("none.db", False, "there is no such database"), ("notes.txt/x", True, "notes.txt"),
                                    ("/sys/nights.db", True, "/sys/nights.db: the database cannot be opened: "),
                ("empty.db", False, "the database is empty"), ("foreign.db", True, "none of nvcosim regress")):
            with self.subTest(name), self.fails(words):
                Store.open(self.path(name), create)
        self.assertEqual(pathlib.Path(self.path("notes.txt")).read_text(encoding="ascii"), text)
        self.assertFalse(os.path.exists(self.path("none.db")))
        self.opened("newer.db").run("PRAGMA user_version = 3")
        for way in (Store.open, Store.open_read_only):
            with self.fails("made by a newer nvcosim: found version 3 of the schema, this one knows up to 2"):
                way(self.path("newer.db"))

    def test_pages_after_the_first_are_gone(self):
        with self.opened() as store:
            store.begin_night(facts(), some_tests(20))
        os.truncate(self.path("nights.db"), 4096 * 2)
        with self.fails("it is damaged"):
            with Store.open(self.path("nights.db")) as store:
                store.tests(1)

    def test_message_that_quotes_what_is_damaged(self):
        self.opened().close()
        with open(self.path("nights.db"), "r+b") as file:
            whole = file.read()
            file.seek(whole.index(b"CREATE TABLE bucket") + 4)
            file.write(b"\xff\x1b")
        with self.fails("it is damaged (malformed database schema (bucket) - near \"CREA\\xff\""):
            Store.open_read_only(self.path("nights.db"))

    def test_read_only(self):
        os.mkdir(self.path("?locked#%20"))
        path = self.path("?locked#%20/nights.db")  # odd names are names
        Store.open(path, create=True).close()
        with Store.open_read_only(path) as store, self.fails("it can only be read; writing needs the rights"):
            store.run("DELETE FROM night")
        os.chmod(self.folder, 0o755)
        os.chmod(path, 0o444)
        os.chmod(os.path.dirname(path), 0o555)
        root = os.geteuid() == 0  # root may do everything
        try:
            if root:
                os.seteuid(65534)
            with self.fails("the file can only be read"):
                Store.open(path)
            with Store.open_read_only(path) as store:
                self.expect(store, "SELECT count(*) FROM night", 0)
        finally:
            if root:
                os.seteuid(0)
            os.chmod(os.path.dirname(path), 0o755)


class SmallParts(WithFolder):
    def test_signatures(self):
        for members, expected, alike in (
                ({"verdict": "PASS", "dut": "rtl+model"}, None, None),
                ({"verdict": "FAIL", "dut": "rtl+model", "reason": "a check failed"}, "check", "check"),
                ({"verdict": "FAIL", "dut": "model", "reason": "CRC at 0x80001fe0 is 12"}, "check", "check: CRC at # is #"),
                ({"verdict": "FAIL", "mismatch": {"space": "primary", "unit": "SDP"}}, "value:SDP", "value:SDP"),
                ({"verdict": "FAIL", "mismatch": {"space": "primary", "golden": True}}, "golden:none", "golden:none"),
                ({"verdict": "FAIL", "mismatch": {"space": "primary"}, "findings": [{"rule": "axi-aw-stable"}]},
                 "rule:axi-aw-stable", "rule:axi-aw-stable"),
                ({"verdict": "FAIL", "mismatch": {"space": "primary", "unit": "SDP"}, "sign": "check", "disagrees": {"who": "rtl"}}, "check", "check"),
                ({"verdict": "FAIL", "mismatch": {"space": "primary", "unit": "SDP"}, "sign": "check",
                  "disagrees": {"who": "trace", "suspect": "golden"}}, "trace:golden", "trace:golden"),
                ({"verdict": "HANG", "disagrees": {"who": "model"}, "dut": "rtl+model"}, "model:hang", "model:hang"),
                ({"verdict": "HANG", "limit": "--still"}, "hang", "hang"),
                ({"verdict": "HANG", "limit": "--still", "devices": [{}, {"engine": "cacc"}]}, "hang:cacc", "hang:cacc"),
                ({"verdict": "HANG", "limit": "--max-seconds"}, "limit", "limit"),
                ({"verdict": "HANG"}, "hang", "hang"),
                ({"verdict": "CRASH", "exit_status": 139}, "crash:SIGSEGV", "crash:SIGSEGV"),
                ({"verdict": "CRASH", "exit_status": 3}, "crash:3", "crash:3"),
                ({"verdict": "CRASH", "exit_status": 134, "dut": "rtl+model", "reason": "ended: %Error: /a/b.sv:17: no  end"},
                 "crash:SIGABRT", "crash:SIGABRT: ended: %Error: ... no end"),
                ({"verdict": "ERROR", "reason": "SDP3 is " + 121 * "m"}, "error", "error: SDP# is ..."),
                ({"verdict": "REFUSED"}, "refused", "refused")):
            with self.subTest(members):
                self.assertEqual((signature(Result(members)), likeness(Result(members))), (expected, alike))
        self.assertEqual(likeness(Result({"verdict": "ERROR", "reason": "word " * 99})), "error:" + 24 * " word")

    def test_first_difference(self):
        mismatch = {"space": "primary", "address": 0xa0000000, "bytes": 128, "unit": "SDP", "launch": 0,
                    "element": "surface 0, line 1", "cycle": 8339, "golden": False}
        store = self.opened()
        night = store.begin_night(facts(), some_tests(2))
        store.store_results(night, [Row(0, None, passed(verdict="FAIL", mismatch=mismatch)),
                                    Row(1, None, passed(verdict="FAIL", devices=[],
                                                        mismatch={"space": "sram", "address": 16, "bytes": 1, "golden": True}))])
        self.assertEqual([tuple(row) for row in store.rows("SELECT mismatch, cycles, macs, signature FROM result ORDER BY number")], [
            ("SDP #0 surface 0, line 1: primary 0xa0000000, 128 bytes, cycle 8339", 13043, 77, "value:SDP"),
                    ("sram 0x10, 1 byte, from a golden", None, None, "golden:none")])

    def test_trace_names(self):
        for path, name in (("a/b.nvt.gz", "b"), ("b.cfg/", "b"), ("x/sdp/input.txn", "sdp"), ("input.txn", "input"),
                           ("a/.nvt", ".nvt"), ("..", "trace"), ("/", "trace"), ("n.tflite", "n"), ("a.b.txn", "a.b")):
            self.assertEqual(trace_name(path), name)

    def test_revision_of_a_folder(self):
        tree = self.path("tree")
        self.assertEqual(revision_of(self.folder), Revision(None, None))
        subprocess.run("mkdir tree && cd tree && git init -q . && echo 1 >a && git add a && "
                       "git -c user.name=n -c user.email=e commit -qm c", shell=True, check=True, cwd=self.folder)
        self.assertRegex(revision_of(tree).commit, "^[0-9a-f]{40}$")
        self.assertEqual(revision_named(tree, revision_of(tree).commit[:9]), revision_of(tree).commit)
        self.assertIsNone(revision_named(tree, "--all"))
        store = self.opened()  # a night that is begun outside of git tells the revision of its plan
        self.enterContext(contextlib.chdir(self.folder))
        store.begin_night(facts(plan_path=f"{tree}/plan.yml"), [])
        self.expect(store, "SELECT length(revision), dirty, directory FROM night", 40, 0, os.path.realpath(tree))
        pathlib.Path(tree, "untracked").touch()
        self.assertIs(revision_of(tree).dirty, False)
        pathlib.Path(tree, "a").write_text("2", encoding="ascii")
        self.assertIs(revision_of(tree).dirty, True)


class Ledgers(WithFolder):
    def line(self, verdict="PASS", **more):
        return {"verdict": verdict, "config": "small", "dut": "model", "reason": "", "seconds": 2.5, **more}

    def test_lines_that_are_cut_spoil_no_other(self):
        ledger = self.enterContext(Ledger.open(self.folder))
        ledger.note(3, "node ü", Result({"a": "\u2028\udcff"}))
        os.write(ledger.file, b'\n{"test":4,"at":5,"result":{"verd')
        ledger.note(5, "b", Result({"b": "x"}))
        os.write(ledger.file,
                 b'\0\0\0\0\n{"test":-1,"result":{}}\n{"test":true,"result":{}}\n{"test":6,"result":7}\n'
                              b'[]\n\n{"test":7,"at":9,"result":{}}\n{"test":8,"result":{}}')
        self.assertEqual([(entry.test, entry.host, entry.result) for entry in ledger.read()],
                         [(3, "node ü", {"a": "\u2028?"}), (5, "b", {"b": "x"}), (7, None, {})])
        self.assertGreater(ledger.read()[0].at, 1_700_000_000)
        with open(f"{self.folder}/ledger", "rb") as other, self.assertRaises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)  # who has it, has it alone
        self.assertGreaterEqual(ledger.file, 16)
        ledger.empty()
        self.assertEqual(ledger.read(), [])

    def test_without_a_ledger(self):
        self.assertIsNone(Ledger.open(self.folder, create=False))
        with self.fails("/ledger: No such file or directory"):
            Ledger.open(self.path("none"))
        recover_nights(self.path("no such database"))

    def left(self, lines):
        """A night whose runner was killed, and what it has left."""
        with self.opened() as store:
            store.begin_night(facts(folder=self.folder), some_tests(4))
            store.run("UPDATE night SET birth = 'gone'")
        with Ledger.open(self.folder) as ledger:
            for line in lines:
                os.write(ledger.file, f"\n{json.dumps({'at': 1_767_222_000, **line})}\n".encode())
        return Store.open(self.path("nights.db"))

    def test_the_database_gets_each_result_once(self):
        lines = [{"test": 1, "host": "node", "result": self.line("CRASH", exit_status=139)},
                 {"test": 2, "host": "node", "result": {"odd": 1}},
                 {"test": 9, "host": "node", "result": self.line()}, {"test": 1, "host": "late", "result": self.line()}]
        with self.left(lines) as store:
            for _ in range(2):
                recover_nights(self.path("nights.db"))
                self.assertEqual([tuple(row) for row in store.rows(
                    "SELECT number, verdict, host, ended, signature FROM result WHERE verdict IS NOT NULL")],
                                 [(1, "CRASH", "node", "2025-12-31T23:00:00Z", "crash:SIGSEGV")])
                with Ledger.open(self.folder) as ledger:
                    self.assertEqual(ledger.read(), [])
                    ledger.note(1, "later", Result(self.line("FAIL")))

    def test_a_night_that_runs_is_left_alone(self):
        with self.left([{"test": 1, "host": "node", "result": self.line()}]) as store:
            store.state(1, "running")
            recover_nights(self.path("nights.db"))
            self.expect(store, "SELECT count(verdict) FROM result", 0)

    def test_what_tests_have_noted_is_completed(self):
        lines = [{"test": 0, "result": self.line()}, {"test": 1, "result": self.line()},
                 {"test": 1, "host": "node", "result": self.line("FAIL")}]  # its runner knows better
        launcher = MockLauncher(lambda play: Result({**play.noted, "command": play.name}))
        with self.left(lines) as store, Ledger.open(self.folder) as ledger:
            recover_night(store, 1, ledger, launcher)
            self.assertEqual([tuple(row) for row in store.rows(
                "SELECT number, verdict, host, command FROM result WHERE verdict IS NOT NULL")],
                             [(0, "PASS", HERE, "item.t0"), (1, "FAIL", "node", None)])
