"""What tests written in Python share: `check(title, good, found)` counts and reports a check, `finish()` ends with the counts,
`until()` waits."""
import contextlib
import pathlib
import random
import subprocess
import sys
import tempfile
import time

passed = failed = skipped = 0


def check(title, good, found=""):
    """Counts a check and tells it; found: what a reader of a failure wants to see."""
    global passed, failed
    print(f"ok    {title}" if good else f"FAIL  {title}: {found}", flush=True)
    passed, failed = passed + bool(good), failed + (not good)
    return good


def skip(what):
    """Reports a check that is skipped, and why."""
    global skipped
    print(f"SKIPPED {what}")
    skipped += 1


def finish():
    """Nothing that was checked or skipped is a failure, too."""
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed > 0 or passed + skipped == 0)


@contextlib.contextmanager
def scratch():
    """A folder that is removed at the end."""
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


def play_parts(*parts):
    """Calls functions of a scratch folder, each with random numbers of its own; then the closing line and the exit status."""
    with scratch() as work:
        for part in parts:
            random.seed(part.__name__)
            try:
                part(work)
            except Exception as error:  # a missing result, after a failure that has been reported
                check(part.__name__, False, repr(error))
    finish()


def run(*command, **how):
    """A program that has ended, with what it printed."""
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **how)


def until(condition, seconds=60):
    """What a condition gives when it holds, which has to be soon; else what it gave last."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.005)
    return found


def runs(pid):
    """Whether a process has not ended; one that has may still wait for its parent."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # before or while it is read
        return False
