"""What the guest and the server say, line by line, and how far a network is."""
import collections
import re
import sys
import time

from nvcosim.progress import Progress
from nvcosim.text import shown

LAST_LINES, LINE_BYTES, REPORT_SECONDS = 10, 1 << 20, 10
_LAUNCH = re.compile(r"(\w+) #(\d+) (armed|done) at clock ")
_TIME = re.compile(r"runtime: execution time = (\d+)\.\d* s$")
_SCRIPT_BEGINS, _SCRIPT_ENDS = "guest: script", "guest: script ended with status "


class Lines:
    """Cuts bytes into lines."""

    def __init__(self) -> None:
        self.rest = b""  # of a line that has not ended

    def take(self, more: bytes) -> list[bytes]:
        *lines, self.rest = (self.rest + more).split(b"\n")
        if len(self.rest) >= LINE_BYTES:  # no line is that long
            lines, self.rest = [*lines, self.rest], b""
        return lines


class Guest(Lines):
    """What the guest says. Lines that begin with "guest: " are for the user; the last ones are
    kept, for when something goes wrong. All that a script prints is for the user."""

    def __init__(self, progress: "Layers | None" = None) -> None:
        super().__init__()
        self.last: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        self.failed = False  # a program of the self-test, or the script
        self.broken = False  # the guest could not do its work
        self.done = False
        self.script = False  # it runs
        self.empty = 0  # lines of the script that were not printed yet
        self.progress = progress

    def hear(self, more: bytes) -> None:
        for line in self.take(more):
            if self.progress:
                self.progress.clear()
            self.hear_line(line.rstrip(b"\r") if self.script else line.partition(b"\r")[0])

    def hear_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "surrogateescape")
        self.last.append(text)
        if self.script and not text.startswith(_SCRIPT_ENDS):
            self._print_of_script(line)
            return
        said = text.removeprefix("guest: ")
        if said == text:
            return
        error = said.startswith("error: ")
        self.broken |= error
        self.failed |= "FAILED: " in said
        if text.startswith(_SCRIPT_ENDS):
            self.script = False
            status = text[len(_SCRIPT_ENDS):]
            self.failed |= status != "0"
            if status != "0":
                print(f"nvcosim linux: the script ended with status {shown(status)}",
                      file=sys.stderr, flush=True)
        elif text == _SCRIPT_BEGINS:
            self.script = True
        elif said == "done":
            self.done = True
        else:
            print(shown(said) + _in_seconds(said), file=sys.stderr if error else sys.stdout,
                  flush=True)

    def _print_of_script(self, line: bytes) -> None:
        """As it is, but for an empty line before its end: that is init's."""
        if not line:
            self.empty += 1
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(b"\n" * self.empty + line + b"\n")
        sys.stdout.buffer.flush()
        self.empty = 0


def _in_seconds(said: str) -> str:
    """NVIDIA's runtime prints microseconds as seconds."""
    found = _TIME.match(said)
    return f" ({int(found[1]) / 1e6:g} s: the runtime prints microseconds)" if found else ""


class Layers(Lines):
    """What the server prints. Launches are counted, and printed only if `verbose`: `wanted` are
    those of the network."""

    def __init__(self, wanted: set[tuple[str, int]], verbose: bool) -> None:
        super().__init__()
        self.wanted, self.verbose = wanted, verbose
        self.ended: set[tuple[str, int]] = set()
        self.line = Progress()
        self.reported = time.monotonic()

    def hear(self, more: bytes) -> None:
        for line in self.take(more):
            text = line.decode("utf-8", "surrogateescape")
            found = _LAUNCH.match(text)
            if found and not self.ended:
                self.line = Progress()  # the network begins
                self.reported = time.monotonic()
            if found and found[3] == "done":
                self.ended.add((found[1], int(found[2])))
            if not found or self.verbose:
                self.clear()
                print(text, flush=True)

    def show(self) -> None:
        """How far it is: on the terminal's line; without one, a line from time to time."""
        done = len(self.ended & self.wanted)
        if not done or self.verbose:
            return
        text = f"{done} of {len(self.wanted)} launches{self.line.left(done, len(self.wanted))}"
        self.line.show(text)
        if not self.line.terminal and time.monotonic() - self.reported >= REPORT_SECONDS:
            self.reported = time.monotonic()
            print(f"nvcosim linux: {text}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        self.line.clear()
