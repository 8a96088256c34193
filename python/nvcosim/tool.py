"""The C program from here: where it is, how it is called, and the exit statuses that all commands
share."""
import functools
import os
import sys
import typing

from nvcosim import text

EXIT_OK, EXIT_DIFFERENT, EXIT_BAD_INPUT, EXIT_HANG, EXIT_CRASH = range(5)
_WORST_FIRST = (EXIT_BAD_INPUT, EXIT_CRASH, EXIT_HANG, EXIT_DIFFERENT, EXIT_OK)


class Failure(Exception):
    """An error of the user's: the message says what was found, what was expected, what to do."""

    def __init__(self, message: str, status: int = EXIT_BAD_INPUT) -> None:
        super().__init__(message)
        self.status = status


def worst(statuses: typing.Iterable[int]) -> int:
    """The exit status that counts among several: 128 + N (a signal), then 2, 4, 3, 1, 0."""
    return min(statuses, default=EXIT_OK,
               key=lambda s: _WORST_FIRST.index(s) if s in _WORST_FIRST else -1)


def shell_status(status: int) -> int:
    """Of a process as a shell has it; 128 + N: signal N ended it."""
    return status if status >= 0 else 128 - status


def program() -> str:
    """Path of the C program; command.py sets it, for others NVCOSIM or the build tree has it."""
    found = os.environ.get("NVCOSIM_PROGRAM")
    if found:
        return found
    built = f"{sources()}/build/nvcosim"
    return built if os.path.exists(built) else "nvcosim"


def sources() -> str:
    """The folder that holds scripts/, rtl/ and python/: a checkout, or share/nvcosim."""
    return os.path.realpath(f"{__file__}/../../..")


@functools.cache
def build_folder() -> str:
    """Where simulators are built, and what belongs to them: build/ of a checkout, or the user's
    cache. Failure: nowhere."""
    folder = run_json("info", "--json", "--brief")["folders"].get("build")
    if not folder:
        raise Failure("neither XDG_CACHE_HOME nor HOME names a folder to build simulators in")
    return typing.cast(str, folder)


@functools.cache
def version() -> str:
    """As `nvcosim --version` prints it, without the name."""
    return run("--version").split(" ", 1)[1].strip()


def run(*words: str, stdin: str | None = None) -> str:
    """Runs the C program and returns its standard output. Failure with its last lines if its
    status is not 0."""
    import subprocess  # costs as much as all that most commands import
    done = subprocess.run([program(), *words], input=stdin, capture_output=True, check=False,
                          encoding="utf-8", errors="surrogateescape")
    if done.returncode:
        said = done.stderr.strip().removeprefix("nvcosim: ")
        raise Failure(said or f"nvcosim {words[0]} ended with status {done.returncode}")
    return done.stdout


def run_json(*words: str, stdin: str | None = None) -> typing.Any:
    """The same for a command whose standard output is one JSON value."""
    import json
    return json.loads(run(*words, stdin=stdin))


def complain(message: str, command: str = "") -> None:
    """Prints an error or a warning on stderr, after the results that stdout has. Its lines are safe
    to show."""
    sys.stdout.flush()
    safe = "\n".join(map(text.shown, message.split("\n")))
    print(f"nvcosim{' ' + command if command else ''}: {safe}", file=sys.stderr, flush=True)
