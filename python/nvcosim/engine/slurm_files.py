"""How the runner of a night and its jobs on a Slurm cluster communicate: by files in the folder of
the night, which all machines share. Each has one writer, and a job's file of news only ever grows
by whole lines, so that the file system has to do no more than show what was synced (NFS does).

    slurm/chunks/N    what job N is to do: a line {"end": SECONDS} (since 1970, no test starts
                      later; 0: never), then a line for each play. Written before it is submitted,
                      and removed when the runner has given the job up, which is the only way to
                      stop it if Slurm has lost a node that still works.
    slurm/results/N   the news of job N, line by line; made empty together with chunks/N:
                      {"begun": NODE}  {"started": 12}  {"progress": 12, "part": 0.5}
                      {"done": 12, "result": {...}}  {"refused": WHY}  {"ended": ""}
    slurm/logs/       what the jobs printed.
"""
import dataclasses
import json
import math
import os
import typing

from nvcosim.engine.launcher import Play
from nvcosim.store.results import Result
from nvcosim.tool import Failure

CHUNK_SHORTEST = 60  # seconds: more chunks than by length only if they take at least that
_TEXTS, _TESTS = ("begun", "refused", "ended"), ("started", "progress", "done")


def path(folder: str, what: str, chunk: int) -> str:
    """what: "chunks" or "results"."""
    return f"{folder}/slurm/{what}/{chunk}"


def make_folders(folder: str) -> None:
    """Those below FOLDER/slurm."""
    for name in ("chunks", "results", "logs"):
        os.makedirs(f"{folder}/slurm/{name}", exist_ok=True)


def chunk_count(folder: str) -> int:
    """How many chunks there have been: one more than the highest number."""
    return max((int(name) + 1 for name in os.listdir(f"{folder}/slurm/results")
                if name.isdecimal()), default=0)


def write_file(name: str, text: str) -> None:
    """On the disk as a whole, or not at all."""
    with open(f"{name}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{name}.new", name)


def to_line(news: dict[str, typing.Any]) -> str:
    return json.dumps(news, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_chunk(folder: str, chunk: int, plays: typing.Iterable[Play], end: float) -> None:
    write_file(path(folder, "chunks", chunk), to_line({"end": round(end)}) + "".join(
        to_line(dataclasses.asdict(play)) for play in plays))
    write_file(path(folder, "results", chunk), "")


def give_up_chunk(folder: str, chunk: int) -> None:
    """Its job ends as soon as it sees that."""
    try:
        os.unlink(path(folder, "chunks", chunk))
    except FileNotFoundError:
        pass


def _play(members: dict[str, typing.Any]) -> Play:
    members["options"] = tuple(members["options"])
    members["layer"] = members["layer"] and tuple(members["layer"])
    return Play(**members)


def read_chunk(folder: str, chunk: int) -> tuple[list[Play], float]:
    """The plays, and the end of the night. Failure with FILE:LINE: what was found."""
    name = path(folder, "chunks", chunk)
    try:
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise Failure(f"{name}: {os.strerror(error.errno or 0)}") from None
    number = 1
    try:
        end, plays = float(json.loads(lines[0])["end"]), []
        for number, line in enumerate(lines[1:-1], 2):
            plays.append(_play(json.loads(line)))
    except (ValueError, TypeError, KeyError):
        raise Failure(f"{name}:{number}: found '{lines[number - 1]}', expected "
                      + ("a test" if number > 1 else "the end of the night")) from None
    if lines[-1] or not plays:
        raise Failure(f"{name}:{len(lines)}: found the end of the file, expected "
                      + ("the end of the line" if plays else "a test"))
    return plays, end


def read_news(line: bytes) -> dict[str, typing.Any] | None:
    """None: the line is none."""
    try:
        news = json.loads(line)
    except ValueError:
        return None
    if not isinstance(news, dict):
        return None
    said = any(isinstance(news.get(key), str) for key in _TEXTS)
    tests = [news[key] for key in _TESTS if key in news]
    of_test = tests and isinstance(tests[0], int) and tests[0] >= 0 and (
        "done" not in news or Result.of(news.get("result")))
    return news if said or of_test else None


def cut(plays: list[Play], seconds: typing.Callable[[Play], float], chunk_seconds: float,
        processors: int) -> list[list[Play]]:
    """Divides plays among chunks: the longest first, each to the chunk that has least; in a chunk
    they stay in their order. There are at least as many chunks as processors, unless these took
    less than CHUNK_SHORTEST seconds."""
    total = sum(map(seconds, plays))
    wanted = max(math.ceil(total / chunk_seconds), int(min(processors, total / CHUNK_SHORTEST)), 1)
    chunks: list[list[int]] = [[] for _ in range(min(wanted, len(plays)))]
    loads = [0.0] * len(chunks)
    for index in sorted(range(len(plays)), key=lambda i: -seconds(plays[i])):
        least = loads.index(min(loads))
        loads[least] += seconds(plays[index])
        chunks[least].append(index)
    return [[plays[index] for index in sorted(chunk)] for chunk in chunks]
