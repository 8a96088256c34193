"""Tables on terminals of any width, the rows of a query in each form, and the history of nights and tests that is made of them.
tests/cli/history.sh runs the whole command."""
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import re
import sqlite3
import tempfile
import unittest

from nvcosim.pages import history, query
from nvcosim.pages.metrics import METRICS
from nvcosim.store.database import Store
from nvcosim.table import Column, Table, cut
from nvcosim.text import Style
from nvcosim.tool import Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]


def style(**more):
    return Style(io.StringIO(), **more)


class Tables(unittest.TestCase):
    def printed(self, width, columns, *rows, **more):
        made = style(width=width, **more)
        table = Table(made, columns)
        for row in rows:
            table.add(*row)
        table.print()
        return made.out.getvalue().splitlines()

    def columns(self):
        return [Column("id", right=True), Column("name", least=4), Column("spare", spare=1), Column("more", spare=3),
                Column("empty", spare=1)]

    def test_widths(self):
        row = ("7", "a long name here", "some", "any", "")
        self.assertEqual(self.printed(0, self.columns(), row),
                         ["id  name              spare  more", " 7  a long name here  some   any"])
        self.assertEqual(self.printed(27, self.columns(), row), ["id  name        spare  more", " 7  a long na>  some   any"])
        self.assertEqual(self.printed(20, self.columns(), row, utf8=True), ["id  name       spare", " 7  a long n…  some"])
        self.assertEqual(self.printed(10, self.columns(), row), ["id  name", " 7  a lon>"])
        self.assertEqual(self.printed(3, self.columns(), row), ["id  name", " 7  a l>"])

    def test_colours_are_not_counted(self):
        self.assertEqual(self.printed(8, [Column("a", least=3), Column("b", right=True)], (("long text", "bad"), ("", "good")),
                                      ("x", ("12", "good")), colour=True),
                         ["\033[2ma\033[0m      \033[2mb\033[0m", "\033[31mlon>\033[0m", "x     \033[32m12\033[0m"])

    def test_what_is_shown(self):
        self.assertEqual(self.printed(0, [Column("\033")], ("\033[31m\udcff\nü",)), ["\\x1b", "\\x1b[31m\\xff\\nü"])
        self.assertEqual([cut(style(), "abcdef", width) for width in (0, 6, 4, 1)], ["abcdef", "abcdef", "abc>", ">"])

    def test_later_rows_and_notes(self):
        made = style(width=12)
        table = Table(made, [Column("a"), Column("b")])
        table.add("1", "2", note="a note that is long")
        table.print()
        table.add("123", "4")
        table.print()
        self.assertEqual(made.out.getvalue(), "a  b\n1  2\n    a note >\n>  4\n")


class Values(unittest.TestCase):
    def test_json(self):
        for value in (0.1, 1 / 3, 1e20, 1e-7, 2.5e-310, -0.0, 100.0, 12345678.9e10, 1 << 62,
                      "\"\\/\b\f\n\r\t\x01\x1f\x7f\u2028\uffffü", "", None):
            said = query.json_text(value)
            self.assertEqual(json.loads(said), value)
            self.assertIs(type(json.loads(said)), type(value))
        self.assertEqual([query.json_text(value) for value in (1e20, 1e-7, 0.1, 2.0, math.inf, -math.inf, b"\0\xff",
                                                                "\x1b\u2028", "é\udcff")],
                         ["1e+20", "1e-07", "0.1", "2.0", '"Infinity"', '"-Infinity"', '"00ff"', '"\\u001b\u2028"', '"\u00e9?"'])

    def test_text(self):
        self.assertEqual([query.value_text(value) for value in (1e20, 0.1, 1 / 3, 2.0, -5, None, b"\1\2", "a\0b")],
                         ["1.0e+20", "0.1", "0.333333333333333", "2.0", "-5", "", "0102", "a\1b"])

    def rows(self, form, names, *rows, **more):
        made = style(**more)
        query.print_rows(made, form, names, iter(rows))
        return made.out.getvalue()

    def test_forms(self):
        row = (None, b"\0\xff", "\t\n", "", 'a"b,', 1.5, 2)
        said = self.rows("csv", list("nbceqrr"), row)
        self.assertEqual(list(csv.reader(io.StringIO(said, newline=""))),
                         [list("nbceqrr"), ["", "00ff", "\t\n", "", 'a"b,', "1.5", "2"]])
        self.assertEqual(said.split("\r\n")[1], ',00ff,"\t\n","","a""b,",1.5,2')
        self.assertIn(",\\t\\n,", self.rows("csv", list("nbceqrr"), row, width=80))  # the user looks on
        self.assertEqual(self.rows("tabs", list("nb"), row[1:3]), "n\tb\n00ff\t\\t\\n\n")
        self.assertEqual(json.loads(self.rows("json", list("nbceqrr"), row)),
                         [{"n": None, "b": "00ff", "c": "\t\n", "e": "", "q": 'a"b,', "r": 1.5, "r:2": 2}])
        self.assertEqual(self.rows("json", ["a"]), "[]\n")
        self.assertEqual(self.rows("table", ["a", "number"], (None, 5), (b"123", 66)),
                         "a        number\nNULL          5\n3 bytes      66\n")

    def test_metrics(self):
        speed, clock = METRICS["speed"].format, METRICS["night_seconds"].format
        self.assertEqual([speed(value) for value in (7, 999, 1000, 65_500, 655_000, 1.5e6, 1.23e13)],
                         ["7", "999", "1.00 k", "65.5 k", "655 k", "1.50 M", "12300 G"])
        self.assertEqual([clock(value) for value in (0, 59.4, 59.5, 423, 3599, 4020, 360_000)],
                         ["0s", "59s", "1m00", "7m03", "59m59", "1h07", "100h00"])
        self.assertEqual([METRICS[name].colour(change) for name,
                          change in (("cycles", 1), ("cycles", -1), ("speed", 1), ("speed", 0))], ["odd", "good", "good", ""])

    def test_sparklines(self):
        self.assertEqual(history.sparkline([0, None, 7, 3.5, 1], True), "▁ █▅▂")
        self.assertEqual(history.sparkline([5, 5], False), "==")
        self.assertEqual(history.sparkline([None], True), " ")


class History(unittest.TestCase):
    """On the invented nights of tests/cli/nights.py."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = os.path.join(folder, "n.db")
        with contextlib.closing(sqlite3.connect(self.path)) as made:
            made.executescript((ROOT / "python/nvcosim/store/schema.sql").read_text(encoding="utf-8"))
            made.executescript("PRAGMA application_id = 0x6e76636f; PRAGMA user_version = 2")
            for night in range(1, 9):
                made.execute("INSERT INTO night VALUES (?, ?, 'nightly', '', '', NULL, 7, ?, ?, NULL, ?, ?, 2, 999999, 'gone', '1', '/', "
                             "'abcdef0123', ?, 'local', '', '')", (
                    night, "qualify" if night == 2 else "regress", "running" if night == 8 else "done",
                            f"2026-01-1{night}T01:30:00Z", 60 * night, os.uname().nodename, night % 2))
                for number, (key, verdict, cycles) in enumerate((("a/one", "PASS", 100 + 50 * (night == 5)),
                                                                 ("a/two", "FAIL" if night % 2 else "HANG", 9),
                                                                 ("b/three", None, None))):
                    made.execute("INSERT INTO result (night, number, key, test, item, trace, path, config, dut, memory, seed, tags, "
                                 "known, verdict, reason, signature, cycles, seconds, cpu_seconds)"
                                 " VALUES (?, ?, ?, '', 'a', ?, ?, 'small', 'both', '', ?, '', ?, ?, ?, ?, ?, 2, 0.5)", (
                                     night, number, key, key[2:], f"t/{key[2:]}.nvt", -1 if night == 3 else 1,
                                             "issue 5" if night == 4 else None, verdict,
                                     "why\033" if verdict != "PASS" else "", "check" if verdict != "PASS" else None, cycles))
            made.commit()
        self.store = self.enterContext(Store.open_read_only(self.path))

    def said(self, word=None, form="table", limit=20, **more):
        made = style(**more)
        if word is None:
            history.print_nights(self.store, made, form, limit)
        else:
            history.print_tests(self.store, made, form, word, limit)
        return made.out.getvalue()

    def test_nights(self):
        lines = self.said().splitlines()
        self.assertEqual(lines[0],
                         "id  date (UTC)        plan     kind     state   pass  fail  hang  known  open  time  revision")
        self.assertEqual(lines[2],
                         " 2  2026-01-12 01:30  nightly  qualify  done       1     0     1            1  2m00  abcdef01")
        self.assertEqual(lines[4],
                         " 4  2026-01-14 01:30  nightly           done       1     0     0      1     1  4m00  abcdef01")
        self.assertIn("killed     1     0     1            1  8m00  abcdef01", lines[8])
        self.assertEqual(self.said(limit=1, width=50).splitlines()[0], "id  date (UTC)  plan   state   pass  fail  hang  time")
        for width in (40, 60, 80, 99, 100):
            self.assertLessEqual(max(map(len, self.said(width=width).splitlines())), max(width, 55))
        self.assertEqual([night["night"] for night in json.loads(self.said(form="json", limit=2))], [7, 8])

    def test_a_test(self):
        lines = self.said("a/one", utf8=True).splitlines()
        self.assertEqual(lines[:4], ["a/one", "  t/one.nvt: config small, dut both", "  verdicts  ████████  8 of 8 passed",
                                     "  cycles    ▁▁▁▁█▁▁▁  100 to 150"])
        self.assertEqual(lines[4].split(), ["night", "date", "(UTC)", "revision", "seed", "verdict", "cycles", "change",
                                            "seconds", "cycles/s"])
        self.assertIn("18446744073709551615", lines[7])
        self.assertIn("+50.00 %", lines[9])
        self.assertIn("     200", lines[8])
        lines = self.said("a/two").splitlines()
        self.assertEqual(lines[2], "  verdicts  FHFHFHFH  0 of 8 passed")
        self.assertIn("    known: issue 5; why\\x1b", lines)
        self.assertIn("\033[33m▄\033[0m", self.said("a/two", utf8=True, colour=True))
        self.assertIn("not run", self.said("three"))
        self.assertEqual(self.said("*").count("verdicts"), 3)

    def test_words_that_name_tests(self):
        for word, keys in (("a/one", ["a/one"]), ("a/*", ["a/one", "a/two"]), ("two", ["a/two"]), ("t*", ["a/two", "b/three"]),
                           ("any/where/one.nvt.gz", ["a/one"])):
            self.assertEqual(sorted({row["key"] for row in json.loads(self.said(word, "json"))}), keys)
        for word, near in (("on", "with it in their names: a/one"), ("tow", "did you mean two?"),
                           ("nothing", "nvcosim history '*' shows all tests"), ("\udcff\033", "'\\xff\\x1b'")):
            self.assertRaisesRegex(Failure, re.escape(near), self.said, word)

    def sql(self, text, form="tabs"):
        made = style()
        with Store.open_read_only(self.path) as store:
            query.print_sql(store, text, form, made)
        return made.out.getvalue()

    def test_queries_read_only(self):
        self.assertEqual(self.sql(" ; SELECT count(*) AS n FROM night; -- all"), "n\n8\n")
        self.assertEqual(self.sql("PRAGMA user_version"), "user_version\n2\n")
        self.assertEqual(self.sql("SELECT json_extract(value, '$.a') AS a FROM json_each('[{\"a\": 5}]')"), "a\n5\n")
        self.assertEqual(self.sql("SELECT name FROM pragma_table_info('bucket')").split()[1], "night")
        for text, words in (("", "expected a SELECT"), ("-- x", "expected a SELECT"),
                            ("SELECT 1; SELECT 2", "found more after the first statement: ' SELECT 2'; expected one"),
                            ("SELECT nokey FROM result", "no such column: nokey, at 'nokey FROM result'; docs/database.md"),
                            ("SELECT '\udcff'", "in UTF-8"), ("SELECT ?", "without parameters"),
                            *((text, "--sql: ") for text in (
                                "DELETE FROM night", "INSERT INTO night DEFAULT VALUES",
                                                             "UPDATE night SET plan = 'x' RETURNING 1", "DROP TABLE night",
                                                             "CREATE TEMP TABLE t (a)",
                                "ATTACH 'other.db' AS other", "VACUUM INTO 'other.db'", "PRAGMA user_version = 9",
                                                             "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1",
                                "BEGIN IMMEDIATE", "UPDATE sqlite_master SET sql = ''", "SELECT load_extension('x')",
                                                             "PRAGMA wal_checkpoint(TRUNCATE)"))):
            with self.subTest(text), self.assertRaises(Failure) as caught:
                self.sql(text)
            self.assertIn(words, str(caught.exception))
