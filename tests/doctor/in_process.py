"""Commands in Python, in this process, which starts once for all of them. What the C program adds is tested by tests/cli and, for the logs of the
repository as they are, by logs.py."""
import contextlib
import functools
import io
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
from nvcosim import commands  # noqa: E402
from nvcosim.doctor import network  # noqa: E402
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK  # noqa: E402

network.run_json = functools.cache(network.run_json)  # what the C program says of a network stays the same


def run(nvcosim, name, *words):
    """Exit status, standard output and error of a command."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as complaint:
        status = commands.main(str(nvcosim), name, list(map(str, words)))
    return status, printed.getvalue(), complaint.getvalue()


def diagnose(nvcosim, content, loadable=None):
    """What `nvcosim doctor --json` answers to a log, bytes. Of a log that is refused, the verdict is the message; of a status that is not the
    verdict's, it has both."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(content)
        file.flush()
        status, printed, complaint = run(nvcosim, "doctor", "--json", *([f"--loadable={loadable}"] if loadable else []), "--", file.name)
    if status not in (EXIT_OK, EXIT_DIFFERENT):
        return {"verdict": complaint.strip(), "causes": [], "layer": None, "armed": []}
    answer = json.loads(printed)
    if (status == EXIT_OK) != (answer["verdict"] == "good"):
        answer["verdict"] += f", status {status}"
    return answer
