"""Signals that end a program as numbers that a loop takes when it is ready for them."""
import contextlib
import os
import signal
import types


class Signals:
    """While it is entered, SIGINT, SIGTERM and SIGHUP end nothing. fileno(): readable when one has
    come. Afterwards they end the program again."""

    def __init__(self) -> None:
        self._caught: list[signal.Signals] = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup wants it
            self._caught.append(signal.SIGHUP)
        self._come: list[int] = []
        self._out, self._in = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def _note(self, number: int, _frame: types.FrameType | None) -> None:
        self._come.append(number)

    def __enter__(self) -> "Signals":
        signal.set_wakeup_fd(self._in, warn_on_full_buffer=False)
        for number in self._caught:
            signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number in self._caught:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.close(self._out)
        os.close(self._in)

    def fileno(self) -> int:
        return self._out

    def take(self) -> int:
        """The oldest signal that has come since, 0: none."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._out, 64)
        return self._come.pop(0) if self._come else 0
