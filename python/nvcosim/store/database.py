"""The database of regressions: one SQLite file that keeps all nights (schema.sql and
docs/database.md describe it)."""
import os

from nvcosim.store.nights import Nights
from nvcosim.store.results import Results
from nvcosim.store.sql import Schema

FOLDER, DATABASE = "nvcosim-nights", "nights.db"
DEFAULT = f"{FOLDER}/{DATABASE}"  # if nothing else is given


def _schema() -> Schema:
    with open(f"{os.path.dirname(__file__)}/schema.sql", encoding="utf-8") as file:
        text = file.read()
    return Schema(application=0x6e76636f, text=text, steps=(  # "nvco"
        "ALTER TABLE bucket ADD COLUMN shrunk_command TEXT; "
        "ALTER TABLE bucket ADD COLUMN note TEXT;",
    ))


class Store(Nights, Results):
    """All nights. A change of the tables is a step in _schema() and a change of schema.sql."""
    schema = _schema()
