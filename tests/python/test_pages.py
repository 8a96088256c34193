"""What a night says (pages/review.py), that everything written about it stays whole and bounded whatever the database holds, and which
tests of two nights are compared. What it looks like: tests/regress/outputs.py, page.py and compare.py."""
import json
import pathlib
import re
import tempfile
import types
import unittest
import xml.etree.ElementTree

from nvcosim.pages.compare import compare_read, pair_name
from nvcosim.pages.compare_page import compare_page
from nvcosim.pages.junit import junit_write
from nvcosim.pages.page import page_write
from nvcosim.pages.review import review_read
from nvcosim.pages.summary import summary_text
from nvcosim.store.database import Store
from nvcosim.tool import Failure


class Nights(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.store = self.enterContext(Store.open(f"{self.folder}/nights.db", create=True))

    def insert(self, table, **row):
        self.store.connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))

    def night(self, number, plan="p", state="done", **more):
        self.insert("night", **{"id": number, "kind": "regress", "plan": plan, "plan_path": "p.yml", "plan_text": "", "seed": -1, "state": state,
                                "started": "2026-01-31T23:59:59Z", "host": "h", "cores": 2, "pid": 1, "birth": "", "version": "1", "directory": "/", "engine": "local",
                                "command": "nvcosim regress", "folder": f"/nights/night-{number}", **more})

    def add(self, night, number, key, verdict="PASS", **more):
        self.insert("result", **{"night": night, "number": number, "key": key, "test": "{", "item": "item", "trace": "t", "path": "t", "config": "small", "dut": "both",
                                 "memory": "", "seed": 1, "tags": " ", "verdict": verdict, "cycles": 100, "command": "nvcosim run t", **more})

    def review(self, night=1):
        return review_read(self.store, night)

    def written(self, review):
        """The page, its data, and junit.xml."""
        page, junit = self.folder / "index.html", self.folder / "junit.xml"
        page_write(review, str(page))
        junit_write(review, str(junit))
        return page.read_text(), data_of(page), junit.read_text()


def data_of(page):
    return json.loads(re.search('id="tests-data">(.*)</script>', page.read_text()).group(1))


class Reviews(Nights):
    def test_the_night_before_is_of_the_same_plan_and_selection(self):
        for number, plan, selected, state in ((1, "p", None, "done"), (2, "p", "fast", "done"), (3, "other", None, "done"), (4, "p", None, "interrupted"), (5, "p", None, "done")):
            self.night(number, plan, state, selected=selected)
            last = number == 5
            self.add(number, 0, "item/breaks", "FAIL" if last else "PASS")
            self.add(number, 1, "item/heals", "PASS" if last else "HANG")
            self.add(number, 2, "item/slower", cycles=150 if last else 100)
            self.add(number, 3, "item/gone" if number == 1 else "item/comes", "CRASH" if last else None, cycles=0)
        review = self.review(5)
        breaks, heals, slower, comes = review.tests
        self.assertEqual((review.before, review.gone), (1, 1))
        self.assertTrue(breaks.new_failure and breaks.before == "PASS" and heals.new_pass and comes.new_failure and not comes.was_there)
        self.assertEqual([test.past for test in review.tests], ["PPPF", "HHHP", "PPPP", "...C"])
        self.assertEqual([test.ratio for test in review.tests], [0, 0, 1.5, 0])
        self.assertEqual(comes.name, "comes")
        self.assertEqual(review.sentence(), "2 of 4 tests fail, 2 of them new since night 1; 2 pass.")
        self.assertIn("seed 18446744073709551615", summary_text(review))

    def test_a_bucket_of_known_failures_counts_neither_in_the_sentence_nor_as_new(self):
        self.night(1)
        for n in range(3):
            self.add(1, n, f"item/{n}", "FAIL", bucket=n + 1, known="issue 7" if n == 2 else None)
            self.insert("bucket", night=1, number=n + 1, signature=f"s{n}", title="t", count=1, smallest=n, command="c")
        review = self.review()
        self.assertEqual(review.sentence(), "2 of 3 tests fail in 2 buckets; 1 fails as known; 0 pass.")
        self.assertEqual([bucket.all_known for bucket in review.buckets], [False, False, True])

    def test_flaky_tests(self):
        for number, verdict in enumerate(("PASS", "FAIL", "PASS", "FAIL", "PASS"), 1):
            self.night(number, revision="a" * 40 if number < 3 else None)
            self.add(number, 0, "item/same", verdict if number < 3 else "PASS")
            self.add(number, 1, "item/turns", verdict, seed=number)
            self.add(number, 2, "item/random", verdict, layer_seed=number)
        self.assertEqual([test.flaky for test in self.review(5).tests], [
            "PASS in night 1, FAIL in night 2: same revision, same seeds", "changed 4 times between passing and failing in 5 nights, with other seeds", None])

    def test_a_long_command_is_shown_short_and_copied_whole(self):
        traces = [f"'a b/t{n:03}.nvt.gz'" if n % 2 else f"some/where/t{n:03}.nvt.gz" for n in range(300)]
        whole = " ".join(["nvcosim qualify --count 60 --name=own", *traces])
        self.night(1, command=whole)
        for n in range(300):
            self.add(1, n, f"item/t{n:03}", trace=f"t{n:03}")
        data = self.written(self.review())[1]
        self.assertEqual((data["command"], data["whole"]), ("nvcosim qualify --count 60 --name=own (300 traces)", whole))

    def test_texts_are_bounded_and_safe(self):
        self.night(1)
        self.add(1, 0, "item/</script>", "FAIL")
        reason = b'\x01<"\xff' + "\u20ac".encode() * 100000
        self.store.connection.execute("UPDATE result SET reason = CAST(? AS TEXT)", (reason,))
        page, data, junit = self.written(self.review())
        self.assertTrue(len(junit.encode()) < 20000 and len(summary_text(self.review()).encode()) < 2000 and len(page.encode()) < 90000)
        message = xml.etree.ElementTree.fromstring(junit).find(".//failure").get("message")
        self.assertRegex(message, '^\\\\x01<"\\\\xff\u20ac{1300,} \\.\\.\\.$')
        self.assertEqual(data["tests"]["reason"], [message])
        self.assertNotIn("item/</script>", page)

    def test_what_cannot_be_written_is_told(self):
        self.night(1)
        for write in (junit_write, page_write):
            with self.assertRaisesRegex(Failure, "/nowhere/out: cannot write: No such file"):
                write(self.review(), "/nowhere/out")


class Comparisons(Nights):
    def test_keys_without_what_the_sides_choose_by(self):
        test = types.SimpleNamespace(key="a/one,large,rtl-mine@slow+2", item="a", config="large", dut="rtl:mine", memory="slow")
        for drop, name in (((), test.key), (("item",), "one,large,rtl-mine@slow+2"), (("config", "memory"), "a/one,rtl-mine+2"), (("dut",), "a/one,large@slow+2")):
            self.assertEqual(pair_name(test, drop), name)

    def test_changes(self):
        fail = {"verdict": "FAIL", "signature": "s"}
        cases = {  # of A, of B
            "new failure": ({}, fail), "fails otherwise": (fail, {**fail, "signature": "t"}), "fails in both": (fail, fail), "fixed": (fail, {}),
            "not run in both": ({"verdict": None}, {}), "now fails as known": ({}, {**fail, "known": "why"}), "passes in both": ({}, {"cycles": 110}), "only in A": ({}, None),
            "only in B": (None, {})}
        for night in (1, 2):
            self.night(night)
            for number, (change, sides) in enumerate(cases.items()):
                if sides[night - 1] is not None:
                    self.add(night, number, f"item/{change}", **sides[night - 1])
        comparison = compare_read(self.store, "1", "2", 9)
        self.assertEqual([(pair.told.key, pair.change) for pair in comparison.pairs], [(f"item/{change}", change) for change in cases])
        self.assertTrue(comparison.worse())
        self.assertEqual(comparison.sentence(), "1 new failure, 1 fixed, 2 fail in both (1 otherwise), 1 passes in both, 1 now fails as known, 1 not run in both, "
                                                "1 only in A, 1 only in B. 1 test takes more than 9 % more cycles.")
        page = self.folder / "compare.html"
        self.assertEqual(compare_page(comparison, str(page)), str(page))
        self.assertEqual(len(data_of(page)["tests"]), len(cases))
