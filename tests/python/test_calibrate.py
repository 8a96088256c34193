"""Settings of convertors from counts by bins: chapter 90, sections B.5, B.9 and B.10."""
import unittest

from nvcosim.calibrate import Options, Stream, bin_of, recommend, saturated, truncate

B5 = ({5: 2, 8: 1, 9: 2, 10: 3, 11: 8, 12: 17, 13: 46, 14: 87, 15: 172, 16: 266, 17: 310, 18: 120, 19: 5},
      {4: 1, 5: 1, 6: 1, 8: 1, 9: 1, 10: 4, 11: 9, 12: 19, 13: 39, 14: 72, 15: 184, 16: 279, 17: 294, 18: 101, 19: 3}, (-552003, 591643))
IDENTITY = {"convertor": (0, 1, 0, 8), "keeps": (-128, 127)}


def stream(positive, negative=None, extremes=(0, 0), rest=0, tap="SDP_CVT_IN", bits=8, **members):
    """rest: zeros. A candidate clips what is above its bin."""
    bins = range(max([0, *positive, *(negative or {})]) + 1)
    counts = [[of.get(bin, 0) for bin in bins] for of in (positive, negative or {})]
    above = [sum(counts[0][bin + 1:] + counts[1][bin + 1:]) for bin in bins]
    scale, shift = (32512, 9) if bits == 8 else (32767, 1)
    candidates = [[(0, scale, bin + shift, bits, above[bin]) for bin in bins], [(1 << bin, 32640, bin + 8, bits, above[bin]) for bin in bins]]
    others = {"enabled": True, "convertor": (0, 0, 0, bits), "keeps": (0, 0), "clipped": 0, "error_squares": 0, "candidates": candidates}
    return Stream("SDP", 0, tap, 34, sum(counts[0] + counts[1]) + rest, rest, 0, *extremes, *counts, **{**others, **members})


class Recommended(unittest.TestCase):
    def check(self, of, wanted, offset_bits=32, **options):
        found = recommend(of, of, Options(**options), offset_bits)
        offset, scale, shift, _ = found.convertor
        self.assertEqual(f"(x - {offset}) * {scale} >> {shift} bin {found.bin}, above {found.above}, saturated {found.saturated}, "
                         f"error {found.expected.error:.1f}{', stays' * found.stays}", wanted)

    def test_the_example_of_b5(self):
        # half a step: 2^20 / 127 / sqrt(12); clipped are 8 by 1.5 * 2^19 - 2^19, the others err by half a step
        for share, wanted in ((0, "28 bin 19, above 0, saturated 0, error 2383.4"), (0.001, "28 bin 19, above 0, saturated 0, error 2383.4"),
                              (0.01, "27 bin 18, above 8, saturated 8, error 16427.1"), (0.05, "27 bin 18, above 8, saturated 8, error 16427.1")):
            self.check(stream(*B5), f"(x - 0) * 32512 >> {wanted}", clip=share)
        self.check(stream(*B5), "(x - 0) * 32512 >> 28 bin 19, above 0, saturated 0, error 2383.4", minimum_error=True)
        self.check(stream(*B5, bits=16), "(x - 0) * 32767 >> 20 bin 19, above 0, saturated 0, error 9.2")

    def test_the_tail_may_be_exactly_the_share(self):
        for share, wanted in ((0, 12), (0.0099, 12), (0.01, 9), (0.25, 3), (1, 0), (7, 0)):
            self.assertEqual(bin_of(stream({3: 75, 12: 1}, {9: 24}), share), wanted)

    def test_values_without_bin_have_a_setting(self):
        self.check(stream({}, rest=3), "(x - 0) * 32512 >> 9 bin 0, above 0, saturated 0, error 0.0")

    def test_one_value_far_out_costs_less_than_coarse_steps_for_many(self):
        self.check(stream({10: 10 ** 9, 14: 1}, {}, (1024, 20000)), "(x - 0) * 32512 >> 19 bin 10, above 1, saturated 1, error 4.7", minimum_error=True)

    def test_asymmetric_where_nothing_is_negative(self):
        of, asymmetric = stream({3: 100, 10: 100}, {}, (8, 1075)), "(x - 1024) * 32640 >> 18 bin 10, above 0, saturated 0, error 2.3"
        symmetric = "(x - 0) * 32512 >> 19 bin 10, above 0, saturated 0, error 4.7"
        self.check(of, asymmetric, asymmetric=True)
        self.check(of, asymmetric, asymmetric=True, minimum_error=True)
        self.check(of, symmetric, 11, asymmetric=True)  # 1024 does not fit
        self.check(stream({3: 100, 10: 100}, {2: 1}, (-5, 1075)), symmetric, asymmetric=True)

    def test_the_middle_of_the_extremes_may_be_0(self):
        of = stream({5: 1, 6: 1, 7: 1}, {}, (40, 200), tap="CDMA_CVT")
        self.check(of, "(x - 120) * 32512 >> 15 bin 6, above 0, saturated 0, error 0.3", asymmetric=True)  # 127/128: 80 and less on either side
        self.check(of, "(x - 0) * 32512 >> 16 bin 7, above 0, saturated 0, error 0.6", 7, asymmetric=True)

    def test_a_better_setting_stays(self):
        self.check(stream({6: 2}, {6: 1}, (-100, 120), **IDENTITY), "(x - 0) * 1 >> 0 bin 6, above 0, saturated 0, error 0.0, stays")
        self.check(stream({6: 2, 7: 1}, {6: 1}, (-100, 128), **IDENTITY), "(x - 0) * 32512 >> 16 bin 7, above 0, saturated 0, error 0.6")


class Clipped(unittest.TestCase):
    def test_saturation_is_expected_by_parts_of_bins(self):
        for of, wanted in ((({7: 64}, {}, (128, 255)), 0.5), (({7: 64, 8: 10}, {}, (128, 511)), 10.5), (({7: 64, 8: 10}, {8: 10}, (-260, 511)), 20.5)):
            self.assertEqual(saturated(stream(*of), (-256, 254)), wanted)

    def test_truncation_where_32_bits_saturate(self):  # rounding up saturates
        for value, wanted in ((2147483647, 0), (-2147483648, 0), (2147483648, 1), (4294967294, 1), (4294967295, 2),
                              (-4294967296, 1), (-4294967298, 2), (140737488355327, 17), (591643, 0)):
            self.assertEqual(truncate(stream({}, extremes=(value, value))), wanted)
