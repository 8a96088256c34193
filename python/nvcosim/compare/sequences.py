"""Pairs the elements of two sequences in their order, so that what is missing or inserted leaves a
gap."""
import typing

_PAIRS_MOST = 16 << 20
_PAIR, _FIRST, _SECOND = range(3)
T = typing.TypeVar("T")


def _steps(a: typing.Sequence[T], b: typing.Sequence[T], gap: int,
           cost: typing.Callable[[T, T], int]) -> list[bytearray]:
    """steps[i][k]: the last step of the cheapest way to i elements of the first and k of the
    second."""
    costs = [k * gap for k in range(len(b) + 1)]  # of the current row; right of k the row above
    steps = [bytearray([_SECOND] * len(costs))]
    for i, element in enumerate(a, 1):
        row, diagonal, left = bytearray(len(costs)), costs[0], i * gap
        row[0], costs[0] = _FIRST, left
        for k, other in enumerate(b, 1):
            above = costs[k]
            best, step = diagonal + cost(element, other), _PAIR
            if above + gap < best:
                best, step = above + gap, _FIRST
            if left + gap < best:
                best, step = left + gap, _SECOND
            diagonal = above
            left = costs[k] = best
            row[k] = step
        steps.append(row)
    return steps


def pair(a: typing.Sequence[T], b: typing.Sequence[T], gap: int,
         cost: typing.Callable[[T, T], int]) -> tuple[list[int | None], bool]:
    """The partner of each element of the first sequence, by its index in the second, with the least
    sum of costs. cost: how different two elements are, 0 if they are equal; gap: cost of an element
    without a partner. False: the sequences are too long, and are paired by number."""
    n, m, skipped = len(a), len(b), 0
    partners: list[int | None] = [i if i < m else None for i in range(n)]
    while skipped < n and skipped < m and cost(a[skipped], b[skipped]) == 0:
        skipped += 1
    while n > skipped and m > skipped and cost(a[n - 1], b[m - 1]) == 0:
        n, m = n - 1, m - 1
        partners[n] = m
    i, k = n - skipped, m - skipped
    if i * k > _PAIRS_MOST:
        return [i if i < len(b) else None for i in range(len(a))], False
    steps = _steps(a[skipped:n], b[skipped:m], gap, cost)
    while i > 0:
        step = steps[i][k]
        i -= step != _SECOND
        k -= step != _FIRST
        if step != _SECOND:
            partners[skipped + i] = skipped + k if step == _PAIR else None
    return partners, True
