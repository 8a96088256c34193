"""Plans: what a file says becomes tests, errors have their place; selections; the order of
tests; a test as JSON, as words, as a command."""
import csv
import dataclasses
import os
import pathlib
import re
import tempfile
import unittest

from nvcosim.engine.schedule import Schedule
from nvcosim.plan.expand import expand
from nvcosim.plan.read import Plan
from nvcosim.plan.seeds import fnv, plan_seed
from nvcosim.plan.test import Test
from nvcosim.tool import Failure

HERE = pathlib.Path(__file__).parent
TODAY = "2026-06-15"
SELECTED = """
memories: {slow: [--latency=200]}
items:
- {name: c, traces: ../traces/small/*, memories: [default, slow], tags: [fast, own]}
- {name: m, traces: ../traces/full/*, dut: model, tags: slower}
- {name: r, random: {engines: [mix, sdp], seeds: 1-2}, tags: [random]}
"""


def rows(name):
    """Of a table: its cells as bytes, with \\n, \\t, \\\\ and \\xHH for what is not printed."""
    def byte(found):
        return {b"n": b"\n", b"t": b"\t", b"\\": b"\\"}.get(found[1]) or bytes.fromhex(found[1][1:].decode())
    with open(HERE / name, newline="", encoding="ascii") as file:
        for row in list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
            yield [re.sub(rb"\\(n|t|\\|x..)", byte, cell.encode()) for cell in row]


class WithTraces(unittest.TestCase):
    """A folder with traces: plan.yml lies in FOLDER/plans, traces in FOLDER/traces."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.file = str(self.folder / "plans/plan.yml")
        for name in ("small/a_1.nvt.gz", "small/a_2.nvt.gz", "small/b_1.nvt", "twins/1/a.nvt", "twins/2/a.nvt"):
            self.put("traces/" + name, "nvt 1\nconfig small\nmode streams\n")
        self.put("traces/full/f_1.nvt", "nvt 1\nconfig full\nmode streams\n")
        self.put("traces/broken/x.nvt", "nvt 7\n")
        for name in ("traces/cfg/c_1/c_1.cfg", "traces/txn/t_1/input.txn", "traces/odd/notes.txt", "plans/plan.yml"):
            self.put(name, "")
        os.environ["PLAN_TRACES"] = "../traces"
        os.environ.pop("PLAN_NOTHING", None)

    def put(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def expand(self, text, seed=1, select=None, file=None):
        data = text if isinstance(text, bytes) else text.encode()
        return expand(Plan.parse(file or self.file, data), seed, TODAY, select)

    def refusal(self, text, select=None):
        """What is said of a plan or a selection that is wrong, behind the path of the plan."""
        with self.assertRaises(Failure, msg=text) as caught:
            self.expand(text, select=select)
        return str(caught.exception).removeprefix(self.file)

    def keys(self, found, expected):
        self.assertEqual(" ".join(test.key for test in found.tests), expected)


class Messages(WithTraces):
    def test_what_is_wrong_is_told_with_its_place(self):
        for plan, message in rows("wrong_plans.tsv"):
            with self.subTest(plan):
                told, expected = self.refusal(plan), message.decode()
                placed = re.match(r":\d", expected)
                self.assertTrue(told.startswith(expected) if placed else expected in told, f"{told}\nnot\n{expected}")

    def test_what_is_no_selection_is_told_with_its_place(self):
        for selection, message in rows("wrong_selections.tsv"):
            with self.subTest(selection):
                self.assertIn(message.decode(), self.refusal(SELECTED, selection.decode()))
        self.assertIn("more than 50 parentheses", self.refusal(SELECTED, 60 * "("))
        self.assertIn("found 401 bytes, expected at most 400", self.refusal(SELECTED, 401 * "x"))

    def test_aliases_cannot_blow_up(self):
        lines = ["a0: &a0 [" + ", ".join(10 * "x") + "]"]
        lines += [f"a{i}: &a{i} [" + ", ".join(10 * [f"*a{i - 1}"]) + "]" for i in range(1, 10)]
        self.assertIn(": found more than 100000 values, aliases counted as what they ", self.refusal("\n".join(lines)))
        many = "".join(f"a{i}: b\n" for i in range(1001))
        self.assertIn(":1001:1: found more than 1000 keys in one mapping", self.refusal(many))
        self.assertIn(": found more than 1048576 bytes", self.refusal(2 ** 20 * "#" + "\n"))

    def test_a_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(Failure, "/nonexistent/plan.yml: cannot open: No such file"):
            Plan.read("/nonexistent/plan.yml")


class Tests(WithTraces):
    def test_everything_is_multiplied_in_order(self):
        found = self.expand("""
memories: {slow: [--latency=200], rough: [--stall=300, --reorder]}
limits: {seconds: 5m, memory: 2G}
items:
- name: c
  traces: [../traces/small/a_*, '${PLAN_TRACES}/small/*']
  dut: [both, 'rtl:mine', model]
  memories: [default, rough]
  options: [--strict, --pin=a=1]
  exclude: a_2
  reseed: 1
  tags: [x, y]
  limits: {cycles: 20M, memory: none}
""", 7)
        variants = ("", "@rough", ",rtl-mine", ",rtl-mine@rough", ",model")
        self.keys(found, " ".join(f"c/{name}{variant}{reseed}" for name in ("a_1", "b_1") for variant in variants
                                  for reseed in ("", "+1")))
        self.assertEqual(found.tests[3], Test(
            "c/a_1@rough+1", "c", f"{self.folder}/traces/small/a_1.nvt.gz", None, 0, "small", "both", "rough",
            plan_seed(7, "c/a_1@rough+1"), ("--stall=300", "--reorder", "--strict", "--pin=a=1"), ("x", "y"), 300,
            20000000, 0))
        self.assertEqual((found.tests[0].seed, found.tests[2].seed), (1, 1))
        self.assertEqual((found.tests[8].options, found.tests[8].memory), (("--strict",), ""))

    def test_known_differences_of_an_rtl(self):
        items = "items:\n- {name: s, traces: ../traces/small/b_1.nvt, dut: 'rtl:mine', options: ['--except=GLB.S_INTR_MASK=0x3c0:none of BDMA']}"
        self.assertEqual(self.expand(items).tests[0].options, ("--except=GLB.S_INTR_MASK=0x3c0:none of BDMA",))
        self.assertIn("--except: found 'GLB.NONE=1', expected a register", self.refusal(items.replace("GLB.S_INTR_MASK=0x3c0:none of BDMA", "GLB.NONE=1")))

    def test_a_trace_keeps_its_configuration_unless_another_is_asked_for(self):
        found = self.expand("""items:
- {name: s, traces: ../traces/small/b_1.nvt, config: [small, large]}
- {name: f, traces: ../traces/full/*, dut: model}
- {name: c, traces: ../traces/cfg/*/*.cfg}
- {name: d, traces: ../traces/cfg/*, config: large}
- {name: t, traces: ../traces/txn/*/input.txn, dut: 'rtl:theirs', seed: 5}
""")
        self.keys(found, "s/b_1 s/b_1,large f/f_1,model c/c_1 d/c_1,large t/t_1,rtl-theirs")
        self.assertEqual([test.config for test in found.tests], ["small", "large", "full", "small", "large", "full"])
        self.assertEqual(found.tests[5].seed, 5)

    def test_configurations_by_values(self):
        items = """items:
- {name: a, traces: ../traces/small/b_1.nvt, config: 'small,macs=16x16,cbuf=64K'}
- {name: r, random: {engines: mix, count: 2}, config: [small_256, random 2, small+bank_depth-128]}
"""
        tests = self.expand(items, 5).tests
        self.assertEqual((tests[0].key, tests[0].config), ("a/b_1,small_256+macs-16x16", "small_256+macs-16x16"))
        names = [test.config for test in tests[1:]]
        self.assertEqual([names[0], names[-1], len(names), len(set(names))], ["small_256", "small+bank_depth-128", 8, 4])
        self.assertEqual([test.config for test in self.expand(items, 5).tests[1:]], names)
        self.assertNotEqual([test.config for test in self.expand(items, 6).tests[1:]], names)
        self.assertEqual(self.expand(items.replace("macs=16x16,cbuf=64K", "lut=0"), 5).tests[0].config, "small")
        self.assertIn("config: k=16: expected 8, with c=8", self.refusal(items.replace("small+bank_depth-128", "small+macs-8x16")))
        self.assertIn("config: found 'random 3', expected it in an item with random layers",
                      self.refusal(items.replace("'small,macs=16x16,cbuf=64K'", "random 3")))

    def test_random_layers_follow_the_seed_of_the_night(self):
        plan = """memories: {slow: [--latency=200]}
items:
- name: r
  random: {engines: [mix, 'sdp,pdp'], count: 2}
  config: [small, large]
  memories: [default, slow]
- {name: fixed, random: {engines: mix, seeds: [3-4, 9]}}
- {name: aimed, random: {engines: 'sdp,corners', seeds: 1}}
"""
        tests, other = self.expand(plan, 7).tests, self.expand(plan, 8).tests
        self.assertEqual([test.key for test in other], [test.key for test in tests])
        self.assertEqual({i: tests[i].key for i in (0, 1, 4, 8, 16)},
                         {0: "r/mix-0001", 1: "r/mix-0001@slow", 4: "r/sdp-pdp-0001", 8: "r/mix-0001,large",
                          16: "fixed/mix-s3"})
        self.assertEqual(tests[18], Test("fixed/mix-s9", "fixed", "layers/small_mix_9.nvt.gz", "mix", 9, "small",
                                         "both", "", 1))
        self.assertEqual((tests[19].key, tests[19].trace),
                         ("aimed/sdp-corners-s1", "layers/small_sdp-corners_1.nvt.gz"))
        self.assertEqual((len(tests), tests[4].generator), (20, "sdp,pdp"))
        self.assertEqual(tests[0].trace, tests[1].trace)  # one layer, two memories
        self.assertEqual(tests[0].layer_seed, plan_seed(7, "layer r/mix-0001"))
        self.assertNotEqual(tests[0].seed, tests[1].seed)
        for a, b in zip(tests[:16], other):
            self.assertNotEqual((a.seed, a.layer_seed), (b.seed, b.layer_seed))

    def test_varied_layers_are_the_legal_combinations(self):
        tests = self.expand("""items:
- {name: v, random: {engines: sdp, seeds: 1, vary: ['h=1:2', 'w=1:9:8']}}
""").tests
        self.assertEqual([test.key for test in tests],
                         ["v/sdp-s1-h=1-w=1", "v/sdp-s1-h=1-w=9", "v/sdp-s1-h=2-w=1", "v/sdp-s1-h=2-w=9"])
        self.assertEqual((tests[1].trace, tests[1].generator),
                         ("layers/small_sdp_1_h=1_w=9.nvt.gz", "sdp;h=1,w=9"))
        self.assertTrue(tests[1].command().startswith(
            "nvcosim gen -q --config=small --engine=sdp --seed=1 --vary=h=1 --vary=w=9 --out=layers && "))
        for keys, message in (("seeds: 1, vary: [q=1]", "vary: nvcosim gen: --vary: 'q' is not a setting of a layer"),
                              ("count: 2, vary: [w=1]", "random: found vary and count, expected the key seeds")):
            with self.assertRaisesRegex(Failure, message):
                self.expand(f"items:\n- {{name: v, random: {{engines: sdp, {keys}}}}}\n")

    def test_the_seeds_of_a_night_stay(self):
        self.assertEqual((fnv(""), fnv("a")), (0xcbf29ce484222325, 0xaf63dc4c8601ec8c))
        self.assertEqual(plan_seed(1, "layer random/mix-0001"), 0x7cab5a3f)

    def test_known_failures_excuse_until_their_day(self):
        found = self.expand("""memories: {slow: [--latency=200]}
items:
- {name: c, traces: ../traces/small/*, memories: [default, slow]}
known_failures:
- {test: 'c/a_*@slow', reason: issue 1, until: 2026-06-15}
- {test: ['c/b_?', 'c/zzz'], reason: issue 2, until: 2026-06-14}
- {test: 'd/*', reason: issue 3, until: 2027-01-01}
- {test: 'c/a_1@*', reason: issue 4, until: 2027-01-01}
""")
        known = ("issue 1", TODAY)
        self.assertEqual([(test.known, test.known_until) for test in found.tests],
                         [(None, None), known, (None, None), known, (None, None), (None, None)])
        self.assertEqual([warning.removeprefix(self.file) for warning in found.warnings], [
            ":6:3: known failure (issue 2): it was known until 2026-06-14; 1 test has to pass again",
            ":7:3: known failure (issue 3): no test of the plan is called like that"])

    def test_what_is_optional_may_be_missing(self):
        found = self.expand("""items:
- {name: a, traces: ../traces/small/*, exclude: zzz}
- {name: b, traces: [../traces/none/*, '${PLAN_NOTHING}/x'], optional: yes}
- {name: e, traces: '${PLAN_NOTHING}/x', optional: yes}
- {name: d, traces: [../traces/none/*, '../traces/{small,full/none,cfg}/{b_*,*1,*.nvt}'], optional: yes}
- {name: c, traces: '${PLAN_NOTHING:-../traces}/small/b_1*'}
""")
        self.keys(found, "a/a_1 a/a_2 a/b_1 d/c_1 d/b_1 c/b_1")
        for warning, expected in zip(found.warnings, (
                ":3:22: traces: found no file that matches ", ":4:21: traces: the variable PLAN_NOTHING of the environment "
                "is not set", ":2:49: exclude: 'zzz' matches the name of no trace"), strict=True):
            self.assertIn(expected, warning)

    def test_the_night_has_its_settings(self):
        little = "items: [{name: a, random: {engines: mix, count: 1}}]\n"
        settings = Plan.parse(self.file, ("name: nightly run\ndatabase: ../nights.db\njobs: 3\nnight_seconds: 8h\n"
                              "slurm_options: --partition=night\n"
                              "triage: {debug: 0, debug_seconds: 90, shrink_seconds: 1.5m}\n" + little).encode()).settings
        self.assertEqual(dataclasses.astuple(settings), ("nightly run", f"{self.folder}/nights.db", "--partition=night", 3,
                                                         0, 90, 90, 28800))
        self.assertEqual(dataclasses.astuple(Plan.parse(self.file, little.encode()).settings),
                         ("plan", None, None, 0, 20, 600, 60, 0))

    def test_a_selection_leaves_what_it_names(self):
        for selection, keys in (
                ("fast and not slow", "c/a_1 c/a_2 c/b_1"), ("slow", "c/a_1@slow c/a_2@slow c/b_1@slow"),
                ("default and fast", "c/a_1 c/a_2 c/b_1"), ("m", "m/f_1,model"), ("c/b_1", "c/b_1"),
                ("model or r and r/sdp-*", "m/f_1,model r/sdp-s1 r/sdp-s2"),
                ("(model OR r) AND *1*", "m/f_1,model r/mix-s1 r/sdp-s1"), ("not not full", "m/f_1,model"),
                ("not(fast or not random)and not r/mix-s?", "r/sdp-s1 r/sdp-s2")):
            self.keys(self.expand(SELECTED, select=selection), keys)
        self.keys(self.expand("items:\n- {name: a, tags: &t [x, y], traces: &p ../traces/small/*}\n"
                              "- {name: b, tags: *t, traces: *p}\n", select="b and y"), "b/a_1 b/a_2 b/b_1")

    def test_a_folder_may_be_called_like_a_pattern(self):
        for name in ("[odd]*/x/t.nvt", "odd/x/u.nvt"):
            self.put(name, "nvt 1\nconfig small\nmode streams\n")
        self.keys(self.expand("items: [{name: a, traces: 'x/*'}, {name: b, traces: '../[o]*/x/*'}]",
                              file=f"{self.folder}/[odd]*/plan.yml"), "a/t b/u")

    def test_the_plans_of_this_project_are_right(self):
        os.environ["NVDLA_CONFORMANCE"] = "/nonexistent"
        for file, warnings in (("plans/smoke.yml", 0), ("plans/nightly.yml", 6)):  # one for each folder of added traces
            found = expand(Plan.read(file), 20261122, TODAY)
            self.assertTrue(1000 <= len(found.tests) <= 30000)
            self.assertEqual(len(found.warnings), warnings)

    def test_the_plans_of_the_manual_are_right(self):
        manual = pathlib.Path("docs/plans.md").read_text(encoding="utf-8")
        examples = re.findall(r"^    name: .*\n(?:    .*\n|\n)*", manual, re.M)
        names = [Plan.parse(self.file, re.sub("(?m)^    ", "", text).encode()).settings.name for text in examples]
        self.assertEqual(names, ["my", "nightly"])


class Order(WithTraces):
    """seconds < 0: no history."""

    def make(self, *tests):
        return [Test(str(i), "c", str(self.folder / trace), None, 0, "small", "both", memory, 1, expected_seconds=seconds)
                for i, (trace, memory, seconds) in enumerate(tests)]

    def test_the_longest_first(self):
        schedule = Schedule.make(self.make(("-", "", 2), ("-", "", 5), ("-", "", 3), ("-", "", 5)))
        self.assertEqual((schedule.order, schedule.unknown), ([1, 3, 2, 0], 0))
        self.assertEqual([schedule.span(jobs) for jobs in (1, 2, 9)], [15, 8, 5])

    def test_what_is_done_is_left_out(self):
        schedule = Schedule.make(self.make(("-", "", 2), ("-", "", 5), ("-", "", -1)), [False, True, False])
        self.assertEqual((schedule.order, schedule.unknown, schedule.seconds), ([2, 0], 1, [2, 5, 3.5]))

    def test_the_size_stands_for_history(self):
        self.put("a", 100 * "x")
        self.put("b", 300 * "x")
        tests = self.make(("a", "", -1), ("b", "", -1), ("a", "", 1), ("a", "slow", 4), ("b", "slow", -1), ("b", "other", -1))
        self.assertEqual(Schedule.make(tests[:2]), Schedule([1, 0], [0, 0], 2))
        schedule = Schedule.make(tests)
        self.assertEqual(schedule.seconds, [1, 3, 1, 4, 12, 7.5])
        self.assertEqual(schedule.order[:2], [4, 5])


class OneTest(unittest.TestCase):
    def setUp(self):
        self.sample = Test('c/rand "x"\n@slow+2', "c", "/folder of traces/r\u00e4nd.nvt.gz", None, 0, "small", "rtl:mine",
                           "slow", 2 ** 63 - 1, ("--latency=200", "--pin=a=1"), ("x",), 0.1, 20000000, 2 ** 31, "issue \x1b",
                           "2026-12-31")
        self.layer = Test("random/sdp-pdp-0017", "random", "layers/small_sdp-pdp_77.nvt.gz", "sdp,pdp", 77, "small", "both",
                          "", 5, expected_seconds=1 / 3)

    def test_json_is_read_back(self):
        self.assertEqual(self.sample.to_json(), r'{"key":"c/rand \"x\"\n@slow+2","item":"c","trace":"/folder of traces/'
                         'r\u00e4nd.nvt.gz","layer_seed":0,"config":"small","dut":"rtl:mine","memory":"slow",'
                         '"seed":9223372036854775807,"options":["--latency=200","--pin=a=1"],"tags":["x"],'
                         '"max_seconds":0.10000000000000001,"max_cycles":20000000,"max_memory":2147483648,'
                         r'"known":"issue \u001B","known_until":"2026-12-31","expected_seconds":-1.0}')
        for test in self.sample, self.layer:
            self.assertEqual(Test.from_json(test.to_json()), test)

    def test_what_is_no_test_is_told(self):
        line = self.layer.to_json()
        for old, new, message in (
                ("{", "", "expected a test as a JSON object: "),
                ('"key":', '"kay":', "member key of a test: found nothing, expected a text"),
                ('seed":77', 'seed":-77', "member layer_seed of a test: found -77, expected a whole number from 0"),
                ('seed":77', 'seed":"x"', 'member layer_seed of a test: found "x", expected a whole number'),
                ('"sdp,pdp"', "1", "member generator of a test: found 1, expected a text, or no such"),
                ('"tags":[]', '"tags":[1]', "member tags of a test: found [1], expected a list of texts"),
                ('"max_seconds":0.0', '"max_seconds":[]', "max_seconds of a test: found [], expected a number of sec"),
                (line, "[]", "found '[]', expected a test as a JSON object")):
            self.assertRaisesRegex(Failure, re.escape(message), Test.from_json, line.replace(old, new, 1))

    def test_names_are_those_of_files(self):
        def name(key):
            return dataclasses.replace(self.layer, key=key).file_name()
        for key, expected in (("c/rand_000@slow+2", "c.rand_000@slow+2"), ("c/a.b,large,rtl-mine", "c.a.b,large,rtl-mine"),
                              ("c/a b", "c.a~20b"), ("c/a/b", "c.a~2fb"), ("c/~20", "c.~7e20"),
                              ("c/\u00e4#?%", "c.~c3~a4~23~3f~25")):
            self.assertEqual(name(key), expected)
        self.assertEqual(len(name("x/" + 297 * "x")), 200)
        self.assertNotEqual(name("x/" + 297 * "x"), name("x/" + 296 * "x" + "y"))

    def test_the_words_play_the_test(self):
        played = ["--config=small", "--dut=rtl:mine", "--seed=9223372036854775807", "--latency=200", "--pin=a=1",
                  "--max-cycles=20000000", "--max-seconds=1"]
        self.assertEqual(self.sample.words("/nights/1"), played + [
            "--out=/nights/1/reports", "--name=c.rand~20~22x~22~0a@slow+2", "--functional-coverage"])
        self.assertEqual(self.sample.command(), f"nvcosim run {' '.join(played)} '/folder of traces/r\u00e4nd.nvt.gz'")
        self.assertEqual(self.sample.trace_path("/nights/1"), "/folder of traces/r\u00e4nd.nvt.gz")
        self.assertEqual(self.layer.trace_path("/nights/1"), "/nights/1/layers/small_sdp-pdp_77.nvt.gz")
        self.assertEqual(self.layer.command(), "nvcosim gen -q --config=small --engine=sdp,pdp --seed=77 --out=layers && "
                         "nvcosim run --config=small --dut=both --seed=5 layers/small_sdp-pdp_77.nvt.gz")
