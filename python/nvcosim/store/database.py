"""The database of regressions: one SQLite file that keeps all nights (schema.sql and
docs/database.md describe it)."""
import pathlib

from nvcosim.store.nights import Nights
from nvcosim.store.results import Results
from nvcosim.store.sql import Schema

FOLDER, DATABASE = "nvcosim-nights", "nights.db"
DEFAULT = f"{FOLDER}/{DATABASE}"  # if nothing else is given


def _schema() -> Schema:
    text = pathlib.Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
    return Schema(application=0x6e76636f, text=text, steps=(  # "nvco"
        "ALTER TABLE bucket ADD COLUMN shrunk_command TEXT; "
        "ALTER TABLE bucket ADD COLUMN note TEXT;",
    ))


class Store(Nights, Results):
    """All nights. A change of the tables is a step in _schema() and a change of schema.sql."""
    schema = _schema()
