"""Counts checks of tests written in Python: `check(title, good, found)` for each, `finish()` at the end."""
import sys

passed = failed = skipped = 0


def check(title, good, found=""):
    """Counts a check and tells it; found: what a reader of a failure wants to see."""
    global passed, failed
    print(f"ok    {title}" if good else f"FAIL  {title}: {found}", flush=True)
    passed, failed = passed + bool(good), failed + (not good)


def skip(what):
    """Reports a check that is skipped, and why."""
    global skipped
    print(f"SKIPPED {what}")
    skipped += 1


def finish():
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed > 0)
