"""Simulators that a night needs: built, or brought up to date, before anything runs, each once;
then copied, so that a night ends with the ones it began with, even if others are built
meanwhile."""
import contextlib
import dataclasses
import errno
import filecmp
import json
import os
import shutil
import subprocess
import time
import typing

from nvcosim import tool
from nvcosim.store.results import Result
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    from nvcosim.plan.test import Test

FOLDER = "simulators"  # of the copies, in that of the night
PROFILE_SAVES = 0.15  # a simulator with a profile takes this part less time
TRIES, PAUSE_SECONDS = 100, 0.1  # a simulator that is written while it is copied is copied again
Report = typing.Callable[[str], None]


@dataclasses.dataclass
class Build:
    """A simulator. name: of its file."""
    name: str
    config: str
    rtl: str
    variant: str
    path: str = ""
    kept: bool = False  # the folder of the night has it
    reason: str = ""  # why it could not be made, "": it is there
    log: str = ""

    def ask(self, *words: str) -> dict[str, typing.Any]:
        """What `nvcosim build` says of it."""
        command = ["setpriv", "--pdeathsig", "TERM",  # it ends with this process
                   tool.program(), "simulators", *words, f"--config={self.config}"]
        command += [f"--name={self.rtl}"] if self.rtl else []
        command += [f"--variant={self.variant}"] if self.variant else []
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if done.returncode:
            raise Failure(f"nvcosim build ended with status {done.returncode}")
        return typing.cast(dict[str, typing.Any], json.loads(done.stdout))

    def make(self, profile: bool, report: Report) -> None:
        """Makes it; one that cannot be made with a profile is made without."""
        said = self.ask("--update", *(["--profile"] if profile else []))
        if said["error"] and profile:
            report(f"{said['error']} with a profile; it is built without one")
            said = self.ask("--update")
        self.path, self.reason, self.log = said["path"] or "", said["error"] or "", said["log"]
        if self.reason:
            report(self.reason + (f"; the end of make's output:\n{self.log}" if self.log else ""))

    def keep(self, folder: str) -> None:
        """Copies it. Failure: it cannot be."""
        target = f"{folder}/{FOLDER}/{self.name}"
        try:
            _copy_program(self.path or self.ask("--known")["path"], target)
        except OSError as error:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target)
            raise Failure("the night's copy of a simulator cannot be made: "
                          f"{error.filename2 or error.filename}: {error.strerror}") from None
        self.kept = True


def _copy_program(source: str, target: str) -> None:
    """Copies a program as it is at one moment. OSError: it cannot be."""
    why = ""
    for attempt in range(TRIES):
        time.sleep(PAUSE_SECONDS if attempt else 0)
        try:
            before = os.stat(source)
            if not os.access(source, os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            why = error.strerror or str(error)
            continue
        shutil.copyfile(source, target)
        after = os.stat(source)
        if (before.st_ino, before.st_size, before.st_mtime_ns) == \
                (after.st_ino, after.st_size, after.st_mtime_ns):
            os.chmod(target, 0o755)
            if os.access(target, os.X_OK):
                return
            raise OSError(errno.EACCES, "Permission denied; --out has to name a folder from which "
                          "programs can run", target)
        why = "it keeps changing"
    raise OSError(errno.EBUSY, why, source)


def _options(test: "Test") -> tuple[object, ...]:
    """Tests that are equal in these are played by one simulator."""
    return test.config, test.dut, test.options, test.max_seconds, test.max_cycles


class Simulators:
    """Which simulator each test needs: options are asked about once, in one call for many tests."""

    def __init__(self, tests: "typing.Iterable[Test]") -> None:
        self.answers: dict[tuple[object, ...], dict[str, typing.Any]] = {}
        self._learn(tests)

    def _learn(self, tests: "typing.Iterable[Test]") -> None:
        new = {key: test for test in tests if (key := _options(test)) not in self.answers}
        if new:
            said = tool.run("run", "--check-options", "-", stdin="".join(
                json.dumps(test.played_options()) + "\n" for test in new.values()))
            self.answers.update(zip(new, map(json.loads, said.splitlines())))

    def of(self, test: "Test", debug: bool = False) -> Build | None:
        """That which plays it, or for `nvcosim debug`. None: it needs none, or its options cannot
        be used, which shows when it is started."""
        self._learn([test])
        says, kind = self.answers[_options(test)], "debug_" if debug else ""
        name = says.get(f"{kind}simulator")
        return Build(name, says["config"], says["rtl"], says[f"{kind}variant"]) if name else None


def possible(tests: "typing.Iterable[Test]", report: Report) -> bool:
    """Whether the simulators that the tests need are there or can be built; each that is not is
    reported."""
    missing = {says["simulator"]: says["simulator_error"]
               for says in Simulators(tests).answers.values() if says.get("simulator_error")}
    for why in missing.values():
        report(why)
    return not missing


class Builds:
    """Those of a night. report: gets lines for the user."""

    def __init__(self, tests: "typing.Sequence[Test]", folder: str, report: Report) -> None:
        """Builds what the tests need, except what the folder of the night already has ("": it is a
        new night). A simulator is built with a profile if the expected durations of its tests say
        that this pays. A build that fails is reported, and the night continues."""
        self.folder, self.report = folder, report
        self.simulators = Simulators(tests)
        self.builds: dict[str, Build] = {}
        for test in tests:
            build = self.simulators.of(test)
            if build and build.name not in self.builds:
                self._add(build, tests)

    def _add(self, build: Build, tests: "typing.Sequence[Test]") -> None:
        self.builds[build.name] = build
        if not self._was_kept(build):
            build.make(self._profile_pays(build, tests), self.report)

    def _profile_pays(self, build: Build, tests: "typing.Sequence[Test]") -> bool:
        saved = 0.0
        for test in tests:
            needed = self.simulators.of(test) if test.expected_seconds > 0 else None
            if needed and needed.name == build.name:
                saved += PROFILE_SAVES * test.expected_seconds
        cost = build.ask("--known")["profile_cost"] if saved else None
        return cost is not None and saved > cost

    def _was_kept(self, build: Build) -> bool:
        """Whether the night has begun with a copy of it."""
        copy = f"{self.folder}/{FOLDER}/{build.name}"
        build.kept = self.folder != "" and os.access(copy, os.X_OK)
        if build.kept:
            build.path = build.ask("--known")["path"] or ""
            if os.path.exists(build.path) and not filecmp.cmp(copy, build.path, shallow=False):
                self.report(f"{build.path} has changed since the night began, which keeps using "
                            "its copy of the old one")
        return build.kept

    def tested_folder(self) -> str | None:
        """The folder of the file lists if every test on RTL plays a foreign one, from one
        folder."""
        lists = [build.ask("--known")["filelist"] if build.rtl else None
                 for build in self.builds.values()]
        folders = {os.path.dirname(name) or "." if name else None for name in lists}
        return folders.pop() if len(folders) == 1 else None

    def keep(self, folder: str) -> None:
        """Copies what was built into the folder of the night, which is known from then on."""
        self.folder = folder
        os.makedirs(f"{folder}/{FOLDER}", exist_ok=True)
        for build in self.builds.values():
            if not build.reason and not build.kept:
                build.keep(folder)

    def name(self, test: "Test") -> str:
        """The file in the folder of copies that plays it, "": none."""
        build = self.simulators.of(test)
        return build.name if build else ""

    def for_debug(self, test: "Test") -> str | None:
        """Builds the simulator that `nvcosim debug` needs for a test, once, and copies it. None if
        it is there, else why not, which was reported when it was tried."""
        build = self.simulators.of(test, debug=True)
        if not build:
            return "it is not played on RTL"
        if build.name not in self.builds:
            self._add(build, [])
        build = self.builds[build.name]
        if not build.reason and not build.kept:
            try:
                build.keep(self.folder)
            except Failure as failure:
                build.reason = str(failure)
                self.report(build.reason)
        return build.reason or None

    def failed(self, test: "Test") -> Result | None:
        """The result of a test whose simulator could not be built: ERROR, the end of make's
        output."""
        build = self.builds.get(self.name(test))
        if not build or not build.reason:
            return None
        result = Result.error(test, build.reason)
        result.members |= {"path": test.trace_path(self.folder), "command": test.command(),
                           "output": build.log}
        return result


def remove(folder: str) -> None:
    """Removes the copies of a night that is done."""
    shutil.rmtree(f"{folder}/{FOLDER}", ignore_errors=True)
