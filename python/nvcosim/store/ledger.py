"""The ledger of a night: a file to which the tests' own processes and their runner append each
result at once, one a line. What is in it survives any killed process. The database gets the results
later, in batches.

    {"test":12,"at":1767222000,"result":{...}}               by the process of test 12, at its end
    {"test":12,"at":1767222000,"host":"a","result":{...}}    by its runner: the result is final

test: number in the night; at: seconds since 1970; result: docs/results.md. Every line is appended
in one write, between two line ends, so a partial line of a killed process or from a full disk
spoils no other. The runner and all processes that it plays tests with share a lock on the file
(flock): it is free when the last of them has ended. csrc/run/result/ledger.h is the other half."""
import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import time
import typing

from nvcosim.store.results import Result
from nvcosim.tool import Failure

LOWEST = 16  # lower descriptors are for child processes
PATIENCE_SECONDS = 5


@dataclasses.dataclass(frozen=True)
class Entry:
    """A noted result. host: None: noted by the process of the test."""
    test: int
    at: int
    host: str | None
    result: dict[str, typing.Any]


@dataclasses.dataclass
class Ledger:
    """An open ledger. file: its descriptor, at least 16, closed by exec unless it is passed on."""
    folder: str
    file: int

    @classmethod
    def open(cls, folder: str, create: bool = True) -> "Ledger | None":
        """Opens the ledger of a folder, creates it if missing (create), and locks it. Waits some
        seconds for leftover processes of a killed runner, then continues without the lock. None:
        there is no ledger."""
        path = os.path.join(folder, "ledger")
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        try:
            low = os.open(path, flags, 0o666)
        except OSError as error:
            if error.errno == errno.ENOENT and not create:
                return None
            raise Failure(f"{path}: {os.strerror(error.errno or 0)}") from None
        try:
            file = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, LOWEST)
        finally:
            os.close(low)
        ledger = cls(folder, file)
        ledger._lock()
        return ledger

    def _lock(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(0.02)

    def close(self, remove: bool = False) -> None:
        """remove: all of it is in the database."""
        if remove:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, "ledger"))
        os.close(self.file)

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def note(self, test: int, host: str, result: Result) -> None:
        """Notes a final result. OSError if it was not written completely."""
        line = (f'\n{{"test":{test},"at":{int(time.time())},"host":{json.dumps(host)},'
                f'"result":{result.to_json()}}}\n').encode("utf-8", "replace")
        if os.write(self.file, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def read(self) -> list[Entry]:
        """What is noted, in that order; incomplete lines are ignored."""
        try:
            size, text = os.fstat(self.file).st_size, b""
            while len(text) < size and (more := os.pread(self.file, size - len(text), len(text))):
                text += more
        except OSError as error:
            raise Failure(f"the ledger of the night cannot be read: {error.strerror}") from None
        # Zeros are what a power cut leaves of a line.
        lines = text.replace(b"\0", b"\n").split(b"\n")[:-1]
        return [entry for entry in map(_entry, lines) if entry]

    def empty(self) -> None:
        """All of it is in the database."""
        try:
            os.ftruncate(self.file, 0)
        except OSError as error:
            raise Failure(f"{self.folder}/ledger: it cannot be emptied: {error.strerror}") from None


def _entry(line: bytes) -> Entry | None:
    if not line.startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    test, at, result = value.get("test"), value.get("at"), value.get("result")
    host = value.get("host")
    if type(test) is not int or test < 0 or not isinstance(result, dict):
        return None
    return Entry(test, at if isinstance(at, int) else 0, host if isinstance(host, str) else None,
                 result)
