"""Patterns of wrong outputs: each kind made on purpose in a cube of random bytes. nvcosim doctor --output as a whole:
tests/doctor/outputs.py and bus.py."""
import random
import unittest

from nvcosim.doctor import likeness, pattern
from nvcosim.doctor.pattern import Kind, Output

SIZE, ATOM, LINE, SURFACE, BEAT = 4096, 8, 128, 1024, 8
RANDOM = random.Random(7)
EXPECTED, BEFORE = (bytes(RANDOM.randrange(120) for _ in range(SIZE)) for _ in range(2))  # never saturated


def output(found, before=BEFORE, element=1, n=SIZE):
    return Output(bytes(found)[:n], EXPECTED[:n], before, element, BEAT, ATOM, LINE, SURFACE)


def flipped(places):
    return bytes(b ^ 0x55 if places(i) else b for i, b in enumerate(EXPECTED))


class Patterns(unittest.TestCase):
    def found(self, made, kind, distance=0, phase=0, alone=False):
        fits = pattern.patterns(made)
        self.assertGreater(fits[kind].share, 0.99)
        self.assertEqual((fits[kind].distance, fits[kind].phase), (distance, phase))
        if alone:
            self.assertLess(max(fit.share for other, fit in zip(Kind, fits) if other != kind), 0.1)
        return fits

    def test_a_right_output_has_none(self):
        self.assertEqual({fit.share for fit in pattern.patterns(output(EXPECTED))}, {0})

    def test_zeros_stale_bytes_and_saturation(self):
        self.found(output(bytes(SIZE)), Kind.ZEROS, alone=True)
        self.found(output(BEFORE), Kind.STALE, alone=True)
        self.assertEqual(pattern.patterns(output(BEFORE, before=None))[Kind.STALE].share, 0)
        ends = [0x7f if i % 3 else 0x80 for i in range(SIZE)]
        self.found(output(ends), Kind.SATURATED, alone=True)
        self.assertEqual(pattern.patterns(output(ends, element=0))[Kind.SATURATED].share, 0)
        self.found(output(b"\xff\x7f\x00\x80" * (SIZE // 4), element=2), Kind.SATURATED)

    def test_shifts_in_both_directions(self):
        for size in ATOM, LINE, SURFACE:
            self.found(output(EXPECTED[:size] + EXPECTED[:-size]), Kind.SHIFTED, size)
            self.found(output(EXPECTED[size:] + EXPECTED[-size:]), Kind.SHIFTED, -size)

    def test_exchanged_and_reversed_words(self):
        for mask in 1, 2, 4, 8, 16, 32:
            self.found(output(EXPECTED[i ^ mask] for i in range(SIZE)), Kind.EXCHANGED, mask)
        for size in 4, 8:
            self.found(output(EXPECTED[i ^ size - 1] for i in range(SIZE)), Kind.REVERSED, size, alone=True)

    def test_the_place_of_wrong_bytes(self):
        for phase in 0, 1:
            fits = self.found(output(flipped(lambda i: i // 4 % 2 == phase)), Kind.HALF, 4, phase)
            self.assertEqual(fits[Kind.PERIODIC].share, 0)
        wrong = flipped(lambda i: i % BEAT == 0 and i // BEAT % 7 == 5)
        fits = self.found(output(wrong), Kind.PERIODIC, 7, 5)
        self.assertTrue(fits[Kind.HALF].share == 0 or fits[Kind.HALF].distance < BEAT)
        self.assertEqual(pattern.patterns(output(bytes([wrong[0] ^ 1]) + wrong[1:]))[Kind.PERIODIC].share, 0)

    def test_bytes_of_another_cube(self):
        made = output(BEFORE[LINE:] + EXPECTED[-LINE:])
        self.assertEqual(pattern.elsewhere(made, BEFORE), 1)
        self.assertEqual(pattern.elsewhere(made, EXPECTED[:LINE]), 0)
        same = output(bytes([3]) * SIZE)
        self.assertEqual(pattern.elsewhere(same, same.found), 0)  # atoms of equal bytes

    def test_any_size(self):
        for n in range(1, 300):
            made = output(bytes([0xa5]) * SIZE, element=n % 3, n=n)
            self.assertEqual(len(made.wrong), n)
            self.assertEqual(likeness.features(made)[0], 1)


class Ranking(unittest.TestCase):
    def test_trials_begin_with_the_usual_one_and_do_not_repeat(self):
        for kind, values in likeness.TRIALS.items():
            faults = [likeness.trial(kind, number) for number in range(40)]
            known = [fault for fault in faults if fault]
            self.assertEqual(len(set(known)), len(known))
            self.assertEqual(len(known), 40 if ... in values else len(values))
            self.assertEqual(known[0].parameter, values[0])

    def test_the_run_that_left_the_same_bytes_comes_first(self):
        ranking, made = likeness.Ranking(), output(bytes(SIZE))
        ranking.by_atlas(likeness.features(made))
        self.assertFalse(ranking.is_exact())
        ranking.by_run(made, EXPECTED, likeness.Fault("narrow", None))
        ranking.by_run(made, bytes(SIZE), likeness.Fault("wrap", 4096))
        self.assertTrue(ranking.is_exact())
        first = ranking.order()[0]
        self.assertEqual((str(first.fault), first.likeness, first.played), ("wrap:4096", 1, True))
