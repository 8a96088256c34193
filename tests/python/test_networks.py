"""Files of labels, places of classes, the sample for the RTL; points of a sweep as a page."""
import pathlib
import tempfile
import unittest

from nvcosim.commands import accuracy
from nvcosim.pages import sweep
from nvcosim.sizes import Size
from nvcosim.networks import labels
from nvcosim.tool import Failure


class Labels(unittest.TestCase):
    def read(self, text, classes=(), count=10):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "l"
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
            try:
                return [(p.line, p.file, p.label) for p in labels.read(str(path), list(classes), count)]
            except Failure as failure:
                return str(failure).replace(folder, "F")

    def test_lines(self):
        self.assertEqual(self.read('file,label\n\n"./0.png","zero"\r\n1.png\tone\n 2.png , 0x1\na b.png 2\nc.png "a, b"', ["zero", "one", "a, b"]),
                         [(3, "0.png", 0), (4, "1.png", 1), (5, "2.png", 1), (6, "a b.png", 2), (7, "c.png", 2)])
        self.assertEqual(self.read('"a,b.png","2"\nFile Label\n', ["Label"]), [(1, "a,b.png", 2), (2, "File", 0)])

    def test_wrong_lines(self):
        for text, message in (("a.png", "F/l:1: found 'a.png', expected FILE LABEL or FILE,LABEL"), ("a.png ,", "F/l:1: found 'a.png ,', expected"),
                              (",3", "F/l:1: found ',3', expected"), ('"3"', "F/l:1: found '\"3\"', expected"),
                              ("a -1", "F/l:1: found the label '-1', expected a class from 0 to 9; names need --classes"),
                              ("a 1\n./a 2", "F/l:2: found a, which line 1 names; expected one line"), ("\n \n", "F/l: found no label")):
            with self.subTest(text):
                self.assertTrue(self.read(text).startswith(message), self.read(text))
        self.assertIn("or a name in the file of --classes", self.read("a two", ["zero", "one", "two"], 2))


class Places(unittest.TestCase):
    def test_of_equals_the_first_and_no_number_last(self):
        self.assertEqual(accuracy.places([1.0, None, 3.0, -2.0, 3.0, None]), [2, 4, 0, 3, 1, 5])


class Page(unittest.TestCase):
    def test_names_are_texts_and_bars_are_of_a_network(self):
        def point(network, clocks, measured=0.0):
            return sweep.Point(network, "small", "<m>", None, 1000, clocks, 12.34, 5, 20000, 1, "MACs", "macs", 99.6, measured)
        page = sweep.page([point("</style>", 1000.0), point("</style>", 4000.0, 5000.0), point("b", 10.0)])
        self.assertEqual(page.count('\n<tr><td class="n">'), 3)
        self.assertEqual((page.count("</style>"), page.count("<td>&lt;m&gt;</td>"), page.count("<h3>")), (1, 6, 2))
        self.assertIn('<td class="n">5,000</td><td class="n">-20.0</td>', page)
        self.assertIn("width:420px\"></span> 1000000.00", page)
        self.assertIn("width:105px\"></span> 250000.00", page)
        self.assertIn("20.0 KB", page)
        self.assertNotIn('<svg class="plot"', page)

    def test_the_best_points_are_those_that_no_other_beats(self):
        def point(frames, luts):
            size = luts and Size(luts, 1, 2, luts // 10)
            return sweep.Point("net", f"c{luts}", "m", None, 1, 1e6 / frames, 1, 5, 2, 1, "MACs", "macs", 99, 0, size)
        points = [point(10, 1000), point(30, 3000), point(20, 4000), point(10, 900), point(50, None), point(30, 3100)]
        self.assertEqual([p.config for p in sweep.best(points, "luts")], ["c900", "c3000"])
        page = sweep.page(points)
        self.assertEqual((page.count('<svg class="plot"'), page.count("<circle"), page.count('<circle class="best"')), (2, 10, 4))
        self.assertIn("<title>c4000, m: 20.00 frames a second, 400 DSPs</title>", page)
        self.assertIn('<td class="n">4,000</td><td class="n">1</td><td class="n">2</td><td class="n">400</td></tr>', page)
