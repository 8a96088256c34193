"""Options as argp reads and explains them, and messages that are safe to show."""
import contextlib
import io
import unittest

from nvcosim import options, tool


class Options(unittest.TestCase):
    def setUp(self):
        self.parser = options.Parser("x", "PLAN", doc="Does it.", after="More.")
        self.parser.add("jobs", short="j", arg="N", kind=options.number(1, 9), help="So many")
        self.parser.add("select", arg="WORD", kind=options.text("a word"), repeat=True)
        self.parser.add("seed", arg="N")
        self.parser.add("resume", arg="NIGHT", optional=True)
        self.parser.add("dry-run")

    def wrong(self, *words):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            self.parser.parse(words)
        self.assertEqual(ended.exception.code, tool.EXIT_BAD_INPUT)
        return errors.getvalue().split("\n")[0].removeprefix("nvcosim x: ")

    def test_words_are_read(self):
        given = self.parser.parse(["a", "-j3", "--dry", "--select", "b", "--sel=c", "--resume", "d", "--", "-e"])
        self.assertEqual((given.words, given.jobs, given.dry_run, given.select, given.resume, given.seed),
                         (["a", "d", "-e"], 3, True, ["b", "c"], "", None))
        self.assertEqual(self.parser.parse(["--resume=7", "-j", "0x4"]).resume, "7")

    def test_wrong_usage_is_told(self):
        for words, message in ((["--job"], "option '--jobs' requires an argument"),
                               (["--se=3"], "option '--se=3' is ambiguous; possibilities: '--select' '--seed'"),
                               (["--dry-run=3"], "option '--dry-run' doesn't allow an argument"),
                               (["--obs=3"], "unrecognized option '--obs=3'; did you mean --jobs?"),
                               (["-x"], "invalid option -- 'x'"), (["-j"], "option requires an argument -- 'j'"),
                               (["-j", "10"], "--jobs: found '10', expected a number from 1 to 9"),
                               (["--select="], "--select: found '', expected a word")):
            with self.subTest(words):
                self.assertEqual(self.wrong(*words), message)

    def test_help_is_laid_out_as_argp_does(self):
        lines = self.parser.help()
        self.assertEqual(lines[:3], ["Usage: nvcosim x [OPTION...] PLAN", "Does it.", ""])
        self.assertIn("  -j, --jobs=N               So many", lines)
        self.assertTrue(all(len(line) < options.WIDTH + 1 for line in lines))
        self.parser.heads[1] = "For others"
        self.parser.add("odd-long-option", arg="WORDS", group=1, help="word " * 12)
        lines = self.parser.help()
        at = lines.index(" For others")
        self.assertEqual((lines[at - 1], lines[at + 3]), ("", ""))
        self.assertEqual(lines[at + 1:at + 3], ["      --odd-long-option=WORDS   " + "word " * 8 + "word", " " * 29 + "word word word "])

    def test_messages_are_safe_to_show(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            tool.complain("a\x1b[31m\n  ^\udcff")
        self.assertEqual(errors.getvalue(), "nvcosim: a\\x1b[31m\n  ^\\xff\n")
