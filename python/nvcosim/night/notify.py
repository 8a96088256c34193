"""The command of --notify, which gets the summary of a night."""
import os
import time

from nvcosim.engine.guard import Guard
from nvcosim.tool import Failure

NOTIFY_SECONDS = 120


def notify(command: str, text: str) -> None:
    """Runs a command of the shell with the text on its standard input. Failure if it cannot be
    started, fails, or takes longer than NOTIFY_SECONDS; it is then ended with all that it has
    started."""
    end = time.monotonic() + NOTIFY_SECONDS
    try:
        summary = os.memfd_create("summary")
        with open(summary, "w+", encoding="utf-8", errors="surrogateescape") as file, \
                Guard() as guard:
            file.write(text)
            file.seek(0)
            status = guard.run(["/bin/sh", "-c", command], seconds=NOTIFY_SECONDS, stdin=file)
    except OSError as error:
        raise Failure(f"a process cannot be started: {error.strerror}") from None
    if status and time.monotonic() > end:
        raise Failure(f"{command}: not done after {NOTIFY_SECONDS} seconds, ended")
    if status:
        raise Failure(f"{command}: ended with status {status}")
