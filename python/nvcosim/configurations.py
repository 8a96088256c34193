"""Values of configurations: rows of configurations.csv, and those by values, which the C program
reads (docs/configurations.md)."""
import csv
import functools
import typing

from nvcosim import tool
from nvcosim.options import Wrong
from nvcosim.tool import Failure


@functools.cache
def rows() -> dict[str, dict[str, str]]:
    """Rows of configurations.csv by name."""
    with open(f"{tool.sources()}/csrc/nvdla/configurations.csv", newline="",
              encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


@functools.cache
def read(name: str) -> typing.Any:
    """What `nvcosim info --json` says of a configuration by name or by values. Failure, with the
    sentence of the C program."""
    try:
        facts = tool.run_json("info", "--json", "--brief", "--config", name)
    except Failure as failure:
        raise Failure(str(failure).splitlines()[0].split("--config: ")[-1]) from None
    return next(row for row in facts["configurations"] if row["name"] == facts["config"])


def row(name: str) -> dict[str, str]:
    """The columns of a configuration by name or by values. Failure."""
    return rows().get(name) or {key: str(value) for key, value in read(name).items()
                                if key in rows()["small"]}


def named(given: str) -> str:
    """Its name, as the kind of an option; Wrong."""
    if given in rows():
        return given
    try:
        return str(read(given)["name"])
    except Failure as failure:
        raise Wrong(str(failure)) from None
