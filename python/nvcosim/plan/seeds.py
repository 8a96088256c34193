"""Seeds that stay: a test draws the same on every machine, from the night's seed and its key."""
import functools

_MASK = 2 ** 64 - 1
GAMMA = 0x9e3779b97f4a7c15  # of SplitMix64: what its state grows by


def fnv(text: str) -> int:
    """FNV-1a, 64 bits, of the text's UTF-8."""
    end = text.rfind("-") + 1  # keys of a group of layers are alike up to there
    return _fnv(text[end:], _head(text[:end]))


@functools.lru_cache(1000)
def _head(text: str) -> int:
    return _fnv(text, 0xcbf29ce484222325)


def _fnv(text: str, value: int) -> int:
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x100000001b3 & _MASK
    return value


def splitmix(state: int) -> int:
    """The first number of SplitMix64 from that state."""
    z = state + GAMMA & _MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & _MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & _MASK
    return z ^ z >> 31


_of_night = functools.lru_cache(1)(splitmix)


def plan_seed(night: int, text: str) -> int:
    """A seed, 1 to 2^32, that the seed of the night and a text decide: of a test's key, its --seed;
    of "layer KEY", KEY without DUT, memory setting and reseed, that of its layer."""
    return (splitmix(_of_night(night) ^ fnv(text)) >> 32) + 1
