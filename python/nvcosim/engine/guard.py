"""Processes that end with this one, however it ends, even by SIGKILL.

A guard is a small process, a shell, that reads from a pipe until no process has its other end any
more. Then it kills the process groups that it has been told of, and runs a last command. A child
tells it its group itself before it executes its program, so that there is no moment at which a
killed runner leaves one behind."""
import contextlib
import math
import os
import select
import signal
import subprocess
import time
import types
import typing

TICK_SECONDS = 0.05
_PAGE = os.sysconf("SC_PAGE_SIZE")
_GUARD = """trap '' HUP INT QUIT TERM PIPE
groups=' '
while read -r sign group; do
    case $sign in
    +) groups="$groups$group " ;;
    -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ $# = 0 ] || exec "$@"
"""
_CHILD = """ulimit -c 0
[ "$1" = 0 ] || ulimit -d "$1"
shift
echo "+ $$" >"$0" && exec "$@"
"""


class Guard:
    """last: words of a command that it runs when everything has ended, with signals ignored; its
    output is discarded. OSError if it cannot be started."""

    def __init__(self, *last: str) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "nvcosim-guard", *last], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0,
            cwd="/")
        assert self._shell.stdin
        self._pipe = self._shell.stdin

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Kills what still runs, and returns when the last command has ended."""
        self._pipe.close()
        self._shell.wait()

    def start(self, words: typing.Sequence[str], memory: int = 0,
              **settings: typing.Any) -> "subprocess.Popen[bytes]":
        """Starts a program in a process group of its own, which leaves no core file; end() has to
        be called for it. memory: bytes that it can allocate, 0: no limit. settings: of Popen."""
        path = f"/proc/{os.getpid()}/fd/{self._pipe.fileno()}"
        return subprocess.Popen(["/bin/sh", "-c", _CHILD, path, str(memory // 1024), *words],
                                process_group=0, **settings)

    def end(self, process: "subprocess.Popen[bytes]") -> int:
        """Kills what is left of its group; its exit status, 128 + N: signal N ended it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(BrokenPipeError):
            self._pipe.write(f"- {process.pid}\n".encode())
        status = process.wait()
        return status if status >= 0 else 128 - status

    def run(self, words: typing.Sequence[str], seconds: float = math.inf,
            tick: typing.Callable[[], None] = lambda: None, **settings: typing.Any) -> int | None:
        """Starts a program and waits for it; calls tick() meanwhile. Returns its status as end()
        does, None if it was killed after so many seconds."""
        process = self.start(words, **settings)
        end = time.monotonic() + seconds
        file = os.pidfd_open(process.pid)
        try:
            while not select.select([file], [], [], TICK_SECONDS)[0]:
                tick()
                if time.monotonic() > end:
                    self.end(process)
                    return None
        finally:
            os.close(file)
        return self.end(process)


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has ended. It is not waited for: its group keeps its name."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def memory(pid: int) -> int:
    """Resident bytes of a process and its descendants; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return 0
    return pages * _PAGE + sum(memory(int(child)) for child in children)
