"""The progress line on a terminal. It appears after two seconds, is overwritten in place, and is
erased at the end. Without a terminal on stderr there is no line."""
import os
import sys
import time

FIRST_SECONDS, PAUSE_SECONDS = 2, 0.2


class Progress:
    """seconds: since it began."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.last = 0.0
        self.terminal = sys.stderr.isatty()
        self.shown = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def show(self, text: str) -> None:
        """Shows the text if it is time for it, cut to the width of the terminal."""
        now = time.monotonic()
        if not self.terminal or now - self.began < FIRST_SECONDS or now - self.last < PAUSE_SECONDS:
            return
        self.last = now
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except OSError:
            width = 80
        print(f"\r{text[:width - 1]}\033[K", end="", file=sys.stderr, flush=True)
        self.shown = True

    def left(self, done: float, total: float) -> str:
        """", 1:05 left" for `done` of `total` equal parts since it began; "" if nothing is done."""
        if done <= 0 or total < done:
            return ""
        left = int(self.seconds * (total - done) / done + 0.5)
        hours = f"{left // 3600}:{left // 60 % 60:02}" if left >= 3600 else f"{left // 60}"
        return f", {hours}:{left % 60:02} left"

    def clear(self) -> None:
        """Erases the line, before anything else is printed."""
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self.shown = False
