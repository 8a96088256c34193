"""How the simulators in the build folder were made: `nvcosim info --build`."""
import json
import os
import re
import subprocess

from nvcosim import tool
from nvcosim.tool import EXIT_OK

_FOREIGN = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8


def _folders() -> list[bytes]:
    """Where simulators lie: those that came with this program, and those that were built."""
    folders = tool.run_json("info", "--json", "--brief")["folders"]
    ready, build = os.path.dirname(os.path.realpath(tool.program())), folders.get("build")
    if (folders.get("sources") or "").endswith("/share/nvcosim"):
        ready = f"{os.path.dirname(ready)}/lib/nvcosim"
    return list(map(os.fsencode, dict.fromkeys([ready, build or ready])))


def _facts(path: bytes) -> dict[str, str] | None:
    """The lines "KEY: VALUE" that it prints after the first; None: it cannot be started."""
    try:
        done = subprocess.run([path, "--version"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
    except OSError:
        return None
    if done.returncode:
        return None
    text = done.stdout.partition(b"\0")[0].decode(errors="surrogateescape")
    pairs = (line.partition(": ") for line in text.split("\n")[1:] if not _FOREIGN.search(line))
    return {key: value for key, colon, value in pairs if colon}


def show(as_json: bool) -> int:
    """Prints each simulator with its settings. Returns the exit status."""
    rows = []
    for folder in _folders():
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            path = folder + b"/" + name
            if not name.startswith(b"nvcosim-") or b"." in name:
                continue
            if not os.path.isfile(path) or not os.access(path, os.X_OK):
                continue
            facts, shown = _facts(path), os.fsdecode(path)
            rows.append({**(facts or {}), "simulator": os.fsdecode(name), "path": shown})
            if as_json:
                continue
            print(shown + (": it cannot be started" if facts is None else
                           "" if facts else ": it does not report its build settings"))
            for key, value in (facts or {}).items():
                print(f"    {key:10} {value}")
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    return EXIT_OK
