"""A launcher that is a script, and signals that come in turn."""
import os

from nvcosim.engine.launcher import Done, Ended, Launcher, Started


class MockLauncher(Launcher):
    """script: the result of a play, or None if it does not end. Each wait() brings one result of the oldest of `jobs` plays that run; what was
    asked for is in `plays`, `stopped`, `killed`."""

    def __init__(self, script, jobs=1):
        super().__init__()
        self.script, self.jobs = script, jobs
        self.plays, self.waiting, self.running = [], [], []
        self.finished = False

    def submit(self, play):
        self.plays.append(play)
        self.waiting.append(play)

    def finish(self):
        self.finished = True

    def stop(self):
        self.stopped = True
        return len(self.running)

    def kill(self):
        self.stopped = self.killed = True
        self.running.clear()

    def turn(self, seconds, wake):
        while not self.stopped and self.waiting and len(self.running) < self.jobs:
            self.running.append(self.waiting.pop(0))
            self.events.append(Started(self.running[-1].number, "mock"))
        for play in self.running:
            result = self.script(play)
            if result:
                self.running.remove(play)
                self.events.append(Done(play.number, "mock", result, play.noted is not None))
                break
        if not self.running and (self.stopped or (self.finished and not self.waiting)):
            self.over = True
            self.events.append(Ended("killed" if self.killed else "stopped" if self.stopped else "done"))
        return True

    def close(self):
        self.kill()


class MockSignals:
    """What comes, one number at a time."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)
        self.file, self.other = os.pipe()

    def fileno(self):
        return self.file

    def take(self):
        return self.numbers.pop(0) if self.numbers else 0
