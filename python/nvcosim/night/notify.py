"""The command of --notify, which gets the summary of a night."""
import os

from nvcosim.engine.guard import Guard
from nvcosim.tool import Failure

NOTIFY_SECONDS = 120


def notify(command: str, text: str) -> None:
    """Runs a command of the shell with the text on its standard input. Failure if it cannot be
    started, fails, or takes longer than NOTIFY_SECONDS; it is then ended with all that it has
    started."""
    try:
        summary = os.memfd_create("summary")
        try:
            with open(summary, "wb", closefd=False) as file:
                file.write(text.encode("utf-8", "surrogateescape"))
            os.lseek(summary, 0, os.SEEK_SET)
            with Guard() as guard:
                status = guard.run(["/bin/sh", "-c", command], NOTIFY_SECONDS, stdin=summary)
        finally:
            os.close(summary)
    except OSError as error:
        raise Failure(f"a process cannot be started: {os.strerror(error.errno or 0)}") from None
    if status is None:
        raise Failure(f"{command}: not done after {NOTIFY_SECONDS} seconds, ended")
    if status:
        raise Failure(f"{command}: ended with status {status}")
