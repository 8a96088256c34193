"""The tests of a night as processes of this machine: `nvcosim play-list` plays them. It is started
again if it is killed; what its tests have noted in the ledger by then is not played again."""
import contextlib
import dataclasses
import glob
import json
import os
import select
import subprocess
import time
import typing

from nvcosim.engine.launcher import Done, Ended, Launcher, Message, Play, Progress, Started
from nvcosim.store.results import Result
from nvcosim.text import plural
from nvcosim.tool import Failure, program

if typing.TYPE_CHECKING:
    from nvcosim.store.ledger import Ledger

ATTEMPTS = 3  # players that may be lost one after the other without a result
PATIENCE_SECONDS = 5  # for processes of a lost player to end; for a player that is to end
_AT_ONCE = 1 << 20  # bytes


class LocalLauncher(Launcher):
    """jobs: tests at a time. ledger: in which each result is noted at once. progress: how
    far tests are is reported. simulators: folder of those to use, "": those that are built."""

    def __init__(self, jobs: int, ledger: "Ledger | None" = None, progress: bool = False,
                 simulators: str = "", end: float = 0) -> None:
        super().__init__(end)
        self.host, self.ledger = os.uname().nodename, ledger
        self.command = [program(), "play-list", f"--jobs={jobs}"]
        self.command += [f"--ledger={ledger.file}"] if ledger else []
        self.command += ["--progress"] if progress else []
        self.command += [f"--simulators={simulators}"] if simulators else []
        self.open: dict[int, Play] = {}  # plays without a result, in their order
        self.running: set[int] = set()
        self.finished = False
        self.killed_at = 0.0
        self.lost = 0  # players, since the last result
        self._start()

    # ---- to the player ----

    def _start(self) -> None:
        self.player = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       pass_fds=(self.ledger.file,) if self.ledger else (),
                                       bufsize=0)
        assert self.player.stdin and self.player.stdout
        self.input, self.output = self.player.stdin.fileno(), self.player.stdout.fileno()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self.unsent, self.received = bytearray(), b""
        self.sets: dict[tuple[str, ...], int] = {}

    def _say(self, **line: typing.Any) -> None:
        self.unsent += json.dumps(line, ensure_ascii=False).encode() + b"\n"

    def _send(self, play: Play) -> None:
        if play.options not in self.sets:
            self._say(options=len(self.sets), words=play.options)
            self.sets[play.options] = len(self.sets)
        more = {name: getattr(play, name) for name in (
            "command", "max_seconds", "max_memory", "clean") if getattr(play, name)}
        if play.layer:
            more["layer"] = {"generator": play.layer[0], "seed": str(play.layer[1])}
        if play.noted is not None:
            more["noted"] = play.noted
        self._say(test=play.number, trace=play.trace, name=play.name, config=play.config,
                  options=self.sets[play.options], seed=str(play.seed), **more)

    def submit(self, play: Play) -> None:
        try:
            self._send(play)
            self.open[play.number] = play
        except UnicodeEncodeError:
            self.events.append(Done(play.number, self.host, Result.of({
                "verdict": "ERROR", "status": 2, "trace": play.name, "path": play.trace,
                "config": play.config, "seed": play.seed, "command": play.command,
                "reason": f"{play.trace}: the name is not UTF-8"}), False))

    def finish(self) -> None:
        self.finished = True
        self._say(end=True)

    def stop(self) -> int:
        if not self.stopped:
            self.stopped = True
            self._say(stop=True)
            self._flush()
        return len(self.running)

    def kill(self) -> None:
        if not self.killed:
            self.stopped = self.killed = True
            self.killed_at = time.monotonic()
            self.player.terminate()

    def _flush(self) -> None:
        try:
            while self.unsent:
                del self.unsent[:os.write(self.input, self.unsent)]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it has died, as its output shows
            self.unsent.clear()

    # ---- from the player ----

    def _take(self, line: dict[str, typing.Any]) -> None:
        match line:
            case {"started": number}:
                self.running.add(number)
                self.events.append(Started(number, self.host))
            case {"progress": number, "part": part}:
                self.events.append(Progress(number, part))
            case {"done": number, "result": result, "noted": noted}:
                self.running.discard(number)
                self.lost = 0
                if self.open.pop(number, None):
                    self.events.append(Done(number, self.host, Result.of(result), noted))
            case {"ended": how} if how != "killed" or self.killed:
                self._end("stopped" if self.stopped and not self.killed else how)

    def _end(self, how: str, why: str = "") -> None:
        self.over = True
        self.events.append(Ended(how, why))

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while not self.over:
                more = os.read(self.output, _AT_ONCE)
                *lines, self.received = (self.received + more).split(b"\n")
                for line in lines:
                    self._take(json.loads(line))
                if not more and not self.over:
                    self._lose()

    def _lose(self) -> None:
        """The player has ended, and has not said so."""
        status = self.player.wait()
        if self.killed:
            self._end("killed")
            return
        died = f"nvcosim play-list was ended by signal {-status}" if status < 0 \
            else f"nvcosim play-list ended with status {status}"
        self.lost += 1
        if status == 2 or self.lost > ATTEMPTS:
            self._end("failed", died)
            return
        self._close()
        try:
            self._begin_again(died, self._noted() if self.ledger else {})
        except Failure as failure:
            self._end("failed", str(failure))

    def _noted(self) -> dict[int, typing.Any]:
        """What the tests of a player that is gone have noted, as soon as the last of them is. What
        it has noted itself is done."""
        assert self.ledger
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and _in_use(self.ledger.file):
            time.sleep(0.02)
        entries = self.ledger.read()
        for entry in entries:
            if entry.host is not None and entry.test in self.open:
                del self.open[entry.test]
                self.events.append(Done(entry.test, entry.host, Result.of(entry.result), True))
        return {entry.test: entry.result for entry in entries if entry.host is None}

    def _begin_again(self, why: str, noted: dict[int, typing.Any]) -> None:
        left = [dataclasses.replace(play, clean=False, noted=noted.get(number))
                for number, play in self.open.items() if number in noted or not self.stopped]
        again = len(self.running - noted.keys())
        self.running.clear()
        self._start()
        for play in sorted(left, key=lambda play: play.noted is None):
            self._send(play)
        if self.finished or self.stopped:
            self._say(end=True)
        self.events.append(Message(f"{why}; another one plays the rest, {plural(again, 'test')} "
                                   "once more" if again and not self.stopped else why))

    # ---- waiting ----

    def _check_time(self) -> None:
        if self.stopped or not self.time_is_over():
            return
        left = len(self.open) - self.stop()
        if left > 0:
            self.events.append(Message(f"the time of the night is over: {plural(left, 'test')} not "
                                       f"started, {len(self.running)} running"))

    def turn(self, seconds: float, wake: int) -> bool:
        self._check_time()
        self._flush()
        if self.killed and time.monotonic() - self.killed_at > PATIENCE_SECONDS:
            self.player.kill()  # it was stopped
        poll = select.poll()
        poll.register(self.output, select.POLLIN)
        if wake >= 0:
            poll.register(wake, select.POLLIN)
        if self.unsent:
            poll.register(self.input, select.POLLOUT)
        ready = dict(poll.poll(1000 * seconds))
        if self.output in ready:
            self._read()
        return wake in ready

    def _close(self) -> None:
        assert self.player.stdin and self.player.stdout
        self.player.stdin.close()
        self.player.stdout.close()

    def close(self) -> None:
        if not self.over:
            self.kill()
        self._close()
        try:
            self.player.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.player.kill()
            self.player.wait()


def _in_use(file: int) -> bool:
    """Whether another process has the file open too."""
    path, own = os.readlink(f"/proc/self/fd/{file}"), f"/proc/{os.getpid()}/"
    for link in glob.iglob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):  # it has ended
            if os.readlink(link) == path and not link.startswith(own):
                return True
    return False
