"""The tests of a night as processes of this machine: `nvcosim play-list` plays them. It is started
again if it is killed; what its tests have noted in the ledger by then is not played again."""
import dataclasses
import fcntl
import json
import os
import select
import subprocess
import time
import typing

from nvcosim.engine.launcher import Done, Ended, Event, Message, Play, Progress, Started
from nvcosim.store.results import Result
from nvcosim.text import plural
from nvcosim.tool import Failure, program

if typing.TYPE_CHECKING:
    from nvcosim.store.ledger import Ledger

ATTEMPTS = 3  # players that may be lost one after the other without a result
PATIENCE_SECONDS = 5  # for processes of a lost player to end; for a player that is to end
_PIPE_BYTES = 1 << 20  # results are collected there until they are read
_FEW = 4  # plays for each that runs: with fewer left, each result is read at once


class LocalLauncher:
    """jobs: tests at a time. ledger: in which each result is noted at once. progress: how
    far tests are is reported. simulators: folder of those to use, "": those that are built. end:
    time.monotonic() after which nothing starts, 0: never. pause: seconds between two looks at what
    has happened, so that short tests do not wake this process for each."""

    def __init__(self, jobs: int, ledger: "Ledger | None" = None, progress: bool = False,
                 simulators: str = "", end: float = 0, pause: float = 0.25) -> None:
        self.host = os.uname().nodename
        self.jobs, self.ledger, self.end = jobs, ledger, end
        self.pause = 0.0 if progress else pause
        self.command = [program(), "play-list", f"--jobs={jobs}"]
        if ledger:
            self.command.append(f"--ledger={ledger.file}")
        if progress:
            self.command.append("--progress")
        if simulators:
            self.command.append(f"--simulators={simulators}")
        self.open: dict[int, Play] = {}  # plays without a result, in their order
        self.running: set[int] = set()
        self.finished = self.stopped = self.killed = self.over = False
        self.lost = 0  # players, since the last result
        self.looked = 0.0  # time.monotonic() when results were read last
        self.events: list[Event] = []  # to be handed on
        self._start()

    # ---- to the player ----

    def _start(self) -> None:
        passed = (self.ledger.file,) if self.ledger else ()
        self.player = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       pass_fds=passed, bufsize=0)
        assert self.player.stdin and self.player.stdout
        self.input, self.output = self.player.stdin.fileno(), self.player.stdout.fileno()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        try:
            fcntl.fcntl(self.output, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        except OSError:  # this user has enough of them: it stays as it is
            pass
        self.unsent, self.received = bytearray(), b""
        self.sets: dict[tuple[str, ...], int] = {}

    def _say(self, line: dict[str, typing.Any]) -> None:
        self.unsent += json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _send(self, play: Play) -> None:
        if play.options not in self.sets:
            self._say({"options": len(self.sets), "words": play.options})
            self.sets[play.options] = len(self.sets)
        line: dict[str, typing.Any] = {
            "test": play.number, "trace": play.trace, "name": play.name, "config": play.config,
            "options": self.sets[play.options], "seed": str(play.seed)}
        for name in ("command", "max_seconds", "max_memory", "clean"):
            if getattr(play, name):
                line[name] = getattr(play, name)
        if play.layer:
            line["layer"] = {"generator": play.layer[0], "seed": str(play.layer[1])}
        if play.noted is not None:
            line["noted"] = play.noted
        self._say(line)

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
        self._say({"end": True})

    def stop(self) -> int:
        if not self.stopped:
            self.stopped = True
            self._say({"stop": True})
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
        if "done" in line:
            number = line["done"]
            self.running.discard(number)
            self.lost = 0
            if self.open.pop(number, None):
                self.events.append(Done(number, self.host, Result.of(line["result"]),
                                        line["noted"]))
        elif "started" in line:
            self.running.add(line["started"])
            self.events.append(Started(line["started"], self.host))
        elif "progress" in line:
            self.events.append(Progress(line["progress"], line["part"]))
        elif "message" in line:
            self.events.append(Message(line["message"]))
        elif line.get("ended") != "killed" or self.killed:
            self._end("stopped" if self.stopped and not self.killed else line["ended"])

    def _end(self, how: str, why: str = "") -> None:
        self.over = True
        self.events.append(Ended(how, why))

    def _read(self) -> None:
        self.looked = time.monotonic()
        try:
            while not self.over:
                more = os.read(self.output, _PIPE_BYTES)
                *lines, self.received = (self.received + more).split(b"\n")
                for line in lines:
                    self._take(json.loads(line))
                if not more and not self.over:
                    self._lose()
        except BlockingIOError:
            pass

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
        left = {number: dataclasses.replace(play, clean=False, noted=noted.get(number))
                for number, play in self.open.items() if number in noted or not self.stopped}
        again = sum(number not in noted for number in self.running)
        self.running.clear()
        self._start()
        for play in sorted(left.values(), key=lambda play: play.noted is None):
            self._send(play)
        if self.finished or self.stopped:
            self._say({"end": True})
        self.events.append(Message(f"{why}; another one plays the rest, {plural(again, 'test')} "
                                   "once more" if again and not self.stopped else why))

    # ---- waiting ----

    def _check_time(self) -> None:
        if not self.end or self.stopped or time.monotonic() < self.end:
            return
        left = len(self.open) - self.stop()
        if left > 0:
            self.events.append(Message(f"the time of the night is over: {plural(left, 'test')} not "
                                       f"started, {len(self.running)} running"))

    def wait(self, seconds: float, wake: int = -1) -> list[Event]:
        end = time.monotonic() + seconds
        while not self.events and not self.over:
            self._check_time()
            self._flush()
            now = time.monotonic()
            if self.killed and now - self.killed_at > PATIENCE_SECONDS:
                self.player.kill()  # it was stopped
            resting = self.looked + self.pause - now if len(self.open) > _FEW * self.jobs else 0
            poll = select.poll()
            if resting <= 0:
                poll.register(self.output, select.POLLIN)
            if wake >= 0:
                poll.register(wake, select.POLLIN)
            if self.unsent:
                poll.register(self.input, select.POLLOUT)
            left = end - now if resting <= 0 else min(end - now, resting)
            ready = dict(poll.poll(max(0, 1000 * left)))
            if self.output in ready:
                self._read()
            if wake in ready or time.monotonic() >= end:
                break
        events, self.events = self.events, []
        return events

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
    path = os.readlink(f"/proc/self/fd/{file}")
    for process in os.listdir("/proc"):
        if not process.isdecimal() or int(process) == os.getpid():
            continue
        try:
            for name in os.listdir(f"/proc/{process}/fd"):
                if os.readlink(f"/proc/{process}/fd/{name}") == path:
                    return True
        except OSError:  # it has ended, or is another user's
            continue
    return False
