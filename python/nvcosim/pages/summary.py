"""The summary of a night for the user: the end of `nvcosim regress` and what --notify gets."""
import typing

from nvcosim.pages.review import Review, Test
from nvcosim.text import duration, shown

BUCKETS, TESTS = 10, 20
PIECE = 299  # characters of a piece of a line at most; the page has all


def _piece(text: str) -> str:
    return shown(text)[:PIECE]


def _buckets(review: Review) -> typing.Iterator[str]:
    if review.buckets:
        yield "\nBuckets:"
    for bucket in review.buckets[:BUCKETS]:
        yield f"  {bucket.count:4}  {'NEW ' * bucket.fresh}{_piece(bucket.title)}"
        yield f"        {_piece(bucket.command)}"
    yield from _rest(len(review.buckets) - BUCKETS)


def _rest(count: int) -> typing.Iterator[str]:
    if count > 0:
        yield f"  and {count} more"


def _tests(title: str, tests: list[Test]) -> typing.Iterator[str]:
    if tests:
        yield f"\n{title}:"
    for test in tests[:TESTS]:
        reason = f": {_piece(test.reason)}" if test.state == "failed" and test.reason else ""
        yield f"  {test.verdict or 'not run':<7} {_piece(test.key)}{reason}"
    yield from _rest(len(tests) - TESTS)


def _survivors(review: Review) -> typing.Iterator[str]:
    faults = [fault for fault in review.faults if fault.state == "survived"]
    if faults:
        yield "\nFaults that survive:"
    for fault in faults[:TESTS]:
        yield f"  {_piece(fault.file)}:{fault.line}: " \
              f"{_piece(fault.original)} -> {_piece(fault.changed)}"
    yield from _rest(len(faults) - TESTS)


def summary_text(review: Review, page: str | None = None) -> str:
    """The whole text. page: path of the page, None: there is none."""
    since, revision = f" since night {review.before}", review.revision or "not known"
    changes = " with changes" if review.dirty else ""
    loose = [test for test in review.tests
             if test.state == "failed" and test.bucket is None and not test.new_failure]
    return "".join(f"{line}\n" for line in [
        f"{review.outcome} {_piece(review.plan)} night {review.night}: "
        f"{_piece(review.sentence())}\n",
        f"{review.started} on {_piece(review.host)}, {duration(review.seconds)}, revision "
        f"{revision[:12]}{changes}, nvcosim {review.version}, seed {review.seed}",
        *_buckets(review),
        *_tests(f"New failures{since}", [test for test in review.tests if test.new_failure]),
        *_tests("Failures in no bucket", loose),
        *_tests(f"New passes{since}", [test for test in review.tests if test.new_pass]),
        *_survivors(review),
        *([f"\nPage: {_piece(page)}"] if page else [])])
