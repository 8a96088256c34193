"""Processes that end with this one, however it ends, even by SIGKILL.

A guard is a small process, a shell, that reads from a pipe until no process has its other end open.
Then it kills the process groups that were announced to it, and runs a last command. A child
announces its group itself before it executes its program, so that there is no moment at which a
killed runner leaves one behind."""
import contextlib
import math
import os
import select
import signal
import subprocess
import time
import typing

TICK_SECONDS = 0.05
GRACE_SECONDS = 5  # to obey SIGTERM
MEMORY_ROOM = 256 << 20  # bytes for stacks and libraries beyond 1.5 times the limit
OUTPUT_MOST = 256 << 20  # bytes that a child may print
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


class Child:
    """A program that Guard.start() has started, and its limits. output: a file of its own with what
    it prints. fileno(): readable when it has ended."""

    def __init__(self, process: "subprocess.Popen[typing.Any]", output: int, seconds: float,
                 memory: int) -> None:
        self.pid, self.process, self.output, self.memory = process.pid, process, output, memory
        self.end = time.monotonic() + seconds
        self.file = os.pidfd_open(self.pid)
        self.late = False  # it was asked to end for the time that it took

    def fileno(self) -> int:
        return self.file

    def has_ended(self) -> bool:
        """Whether it has. One that exceeds a limit is made to. It is not waited for: its group
        keeps its name."""
        over = time.monotonic() - self.end
        if over > 0 and not self.late:
            self.late = True
            os.killpg(self.pid, signal.SIGTERM)
        if over > GRACE_SECONDS or (self.memory and memory_of(self.pid) > self.memory) or \
                os.fstat(self.output).st_size > OUTPUT_MOST:
            os.killpg(self.pid, signal.SIGKILL)
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


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

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Kills what still runs, and returns when the last command has ended."""
        self._pipe.close()
        self._shell.wait()

    def start(self, words: typing.Sequence[str], seconds: float = math.inf, memory: int = 0,
              **settings: typing.Any) -> Child:
        """Starts a program in a process group of its own, which leaves no core file; end() has to
        be called for it. seconds, memory (bytes resident, 0: no limit): Child.has_ended() ends it
        beyond. settings: of Popen; by default it prints into Child.output, and reads nothing."""
        path = f"/proc/{os.getpid()}/fd/{self._pipe.fileno()}"
        data = (memory * 3 // 2 + MEMORY_ROOM) // 1024 if memory else 0
        output = os.memfd_create("output")
        settings = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output} | settings
        try:
            process: subprocess.Popen[typing.Any] = subprocess.Popen(
                ["/bin/sh", "-c", _CHILD, path, str(data), *words], process_group=0, **settings)
        except OSError:
            os.close(output)
            raise
        return Child(process, output, seconds, memory)

    def end(self, child: Child) -> tuple[int, str]:
        """Kills the rest of its group; its exit status, 128 + N: signal N ended it, and what
        it has printed."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        with contextlib.suppress(BrokenPipeError):
            self._pipe.write(f"- {child.pid}\n".encode())
        status = child.process.wait()
        said = os.pread(child.output, OUTPUT_MOST, 0).decode("utf-8", "surrogateescape")
        os.close(child.output)
        os.close(child.file)
        return status if status >= 0 else 128 - status, said

    def ask(self, words: typing.Sequence[str], tick: typing.Callable[[], None] | None = None,
            **settings: typing.Any) -> tuple[int, str]:
        """Starts a program as start() does and waits for it; calls tick() meanwhile. Returns its
        status and what it has printed, as end()."""
        child = self.start(words, **settings)
        while not child.has_ended():
            select.select([child], [], [], TICK_SECONDS)
            if tick:
                tick()
        return self.end(child)

    def run(self, words: typing.Sequence[str], **settings: typing.Any) -> int:
        """The same, but it reads from and prints to where this process does, unless settings say
        otherwise. Returns its status."""
        own: dict[str, typing.Any] = dict.fromkeys(("stdin", "stdout", "stderr"))
        return self.ask(words, **own | settings)[0]


def memory_of(pid: int) -> int:
    """Resident bytes of a process and its descendants; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return 0
    return pages * _PAGE + sum(map(memory_of, map(int, children)))
