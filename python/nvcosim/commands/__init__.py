"""The commands of nvcosim that are written in Python. Each is a module with `main(argv) -> int`,
which returns the exit status; it is imported only if it runs. Here is what they share: how
failures, interrupts and output that cannot be written end the program."""
import errno
import importlib
import io
import os
import signal
import sys
import typing

from nvcosim import tool

NAMES = ("regress", "history", "qualify", "bisect", "accuracy", "sweep", "linux",
         "registers", "diff", "doctor", "info", "coverage", "estimate", "build", "calibrate")
_PACKAGES = {"yaml": "python3-yaml", "numpy": "python3-numpy"}


def main(program: str, name: str, argv: list[str]) -> int:
    """Runs a command for the C program at that path; returns the exit status."""
    os.environ["NVCOSIM_PROGRAM"] = program
    for stream in (sys.stdout, sys.stderr):  # names in any encoding come out as they came in
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    pipe_ignored = os.environ.pop("NVCOSIM_SIGPIPE", "") == "ignored"
    try:
        try:
            status = _run(name, argv)
        except SystemExit as end:  # of a parser: usage, --help
            status = end.code if isinstance(end.code, int) else tool.EXIT_OK
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _end_by(signal.SIGINT)
    except OSError as error:
        if error.errno == errno.EPIPE and not pipe_ignored:
            return _end_by(signal.SIGPIPE)
        return _not_written(error)


def _run(name: str, argv: list[str]) -> int:
    """The status of the command; failures of the user's are printed."""
    try:
        command = importlib.import_module(f"nvcosim.commands.{name}")
        return typing.cast(int, command.main(argv))
    except tool.Failure as failure:
        tool.complain(str(failure), name)
        return failure.status
    except ModuleNotFoundError as missing:
        if missing.name not in _PACKAGES:
            raise
        tool.complain(f"Python has no module '{missing.name}'; install the package "
                      f"{_PACKAGES[missing.name]}", name)
        return tool.EXIT_BAD_INPUT
    except OSError as error:
        if error.filename is None:  # of the output
            raise
        tool.complain(f"{error.filename}: {error.strerror}", name)
        return tool.EXIT_BAD_INPUT


def _end_by(number: signal.Signals) -> int:
    """Ends this process by a signal, as a program that does not handle it."""
    _drop_output()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number


def _not_written(error: OSError) -> int:
    _drop_output()
    print(f"nvcosim: the output could not be written: {os.strerror(error.errno or errno.EIO)}",
          file=sys.stderr)
    return tool.EXIT_BAD_INPUT


def _drop_output() -> None:
    """Python would try to write the rest of the output again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
