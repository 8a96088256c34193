"""The rows of a query for the user or a program: aligned columns, values between tabs or commas,
JSON; and the user's query (history --sql), which reads and nothing else.

    table  for a terminal: NULL as NULL, a BLOB as its size
    tabs   control characters as \\t, \\n, \\xHH; NULL is empty, a BLOB hex digits
    csv    RFC 4180: NULL is empty, an empty text "", a BLOB hex digits
    json   a list of objects; a BLOB is a string of hex digits
"""
import json
import math
import sqlite3
import typing

from nvcosim.store.results import plain
from nvcosim.store.sql import ERRORS, Database, explain, first_statement, is_empty
from nvcosim.table import Column, Table
from nvcosim.text import Style, shown
from nvcosim.tool import Failure

Value = int | float | str | bytes | None
Row = typing.Sequence[Value]
MEASURED_ROWS = 500  # they say how wide the columns of a table are
LEAST = 12           # columns of text are not cut further
LONGEST = 100_000_000  # value, bytes
_PLAIN_PRAGMAS = ("application_id", "user_version", "database_list", "table_list", "journal_mode",
                  "page_count", "page_size", "freelist_count", "encoding", "compile_options",
                  "function_list")
_NAMED_PRAGMAS = ("table_info", "table_xinfo", "table_list", "index_list", "index_info",
                  "index_xinfo", "quick_check", "integrity_check", "foreign_key_list",
                  "foreign_key_check")

# ---- values ----

_scratch = sqlite3.connect(":memory:")


def value_text(value: Value) -> str:
    """A value as SQLite writes it, hex digits of a BLOB; "" of NULL."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return str(_scratch.execute("SELECT CAST(? AS TEXT)", (value,)).fetchone()[0])
    return "" if value is None else str(value).replace("\0", "\1")


def json_text(value: Value) -> str:
    """A value as JSON."""
    if isinstance(value, float) and math.isinf(value):
        value = "Infinity" if value > 0 else "-Infinity"
    elif isinstance(value, (str, bytes)):
        value = plain(value_text(value))
    return json.dumps(value, ensure_ascii=False)


# ---- rows ----

def _separated(style: Style, form: str, row: typing.Iterable[Value]) -> None:
    def csv(value: Value) -> str:
        if value is None:
            return ""
        # Where the user looks on, control characters do not reach the terminal.
        text = shown(value_text(value)) if style.width else value_text(value)
        if not text or text[0] == " " or any(char in text for char in ',"\r\n'):
            return '"' + text.replace('"', '""') + '"'
        return text

    if form == "csv":
        style.out.write(",".join(map(csv, row)) + "\r\n")
    else:
        style.out.write("\t".join(shown(value_text(value)) for value in row) + "\n")


def _unique(names: typing.Sequence[str]) -> list[str]:
    """Of two columns of the same name the second is NAME:2."""
    counts = [names[:index + 1].count(name) for index, name in enumerate(names)]
    return [f"{name}:{count}" if count > 1 else name for name, count in zip(names, counts)]


def _print_json(style: Style, names: list[str], rows: typing.Iterator[Row]) -> None:
    keys, before = [json_text(name) + ":" for name in _unique(names)], "[\n"
    try:
        for row in rows:
            members = (key + json_text(value) for key, value in zip(keys, row))
            style.out.write(f"{before}{{{','.join(members)}}}")
            before = ",\n"
    finally:
        style.out.write("[]\n" if before[0] == "[" else "\n]\n")


def _print_table(style: Style, names: list[str], rows: typing.Iterator[Row]) -> None:
    def cell(value: Value) -> str | tuple[str, str]:
        return ("NULL", "dim") if value is None else \
            (f"{len(value)} bytes", "dim") if isinstance(value, bytes) else value_text(value)

    table = None
    try:
        for count, row in enumerate(rows, 1):
            if table is None:
                table = Table(style, [
                    Column(name, right=number, least=0 if number else LEAST)
                    for name, value in zip(names, row)
                    for number in [isinstance(value, (int, float))]])
            table.add(*map(cell, row))
            if count % MEASURED_ROWS == 0:
                table.print()
    finally:
        (table or Table(style, [Column(name, least=LEAST) for name in names])).print()


def print_rows(style: Style, form: str, names: list[str], rows: typing.Iterator[Row]) -> None:
    """Prints the names of the columns and all rows, one by one, so that their number does not
    matter. form: "table", "tabs", "csv", "json"."""
    if form == "json":
        _print_json(style, names, rows)
    elif form == "table":
        _print_table(style, names, rows)
    else:
        _separated(style, form, names)
        for row in rows:
            _separated(style, form, row)


# ---- the user's query ----

def _authorise(action: int, first: str | None, second: str | None, *_: object) -> int:
    allowed = False
    match action:
        case sqlite3.SQLITE_SELECT | sqlite3.SQLITE_READ | sqlite3.SQLITE_RECURSIVE:
            allowed = True
        case sqlite3.SQLITE_UPDATE:  # functions that are tables (json_each) declare themselves so
            allowed = first == "sqlite_master"
        case sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() != "load_extension"
        case sqlite3.SQLITE_PRAGMA:
            name = (first or "").lower()
            allowed = name in _NAMED_PRAGMAS or (second is None and name in _PLAIN_PRAGMAS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _place(path: str, sql: str) -> str:
    """Where SQLite finds the error of a statement, as the end of a message; "": it does not say.
    The sqlite3 module does not tell it, so the library is asked."""
    import ctypes
    try:
        library = ctypes.CDLL("libsqlite3.so.0")
        offset_of = library.sqlite3_error_offset
    except (OSError, AttributeError):
        return ""
    handle, text, read_only = ctypes.c_void_p(), sql.encode(), 1
    try:
        if library.sqlite3_open_v2(path.encode("utf-8", "surrogateescape"), ctypes.byref(handle),
                                   read_only, None):
            return ""
        statement = ctypes.c_void_p()
        library.sqlite3_prepare_v2(handle, text, -1, ctypes.byref(statement), None)
        library.sqlite3_finalize(statement)
        offset = offset_of(handle)
        end = text[offset:offset + 40].decode(errors="ignore")
        return f", at '{shown(end)}'" if offset >= 0 else ""
    finally:
        library.sqlite3_close(handle)


def _prepare(database: Database, sql: str) -> sqlite3.Cursor:
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise Failure(f"--sql: found '{shown(sql)}', expected a SELECT in UTF-8") from None
    if is_empty(sql):
        raise Failure(f"--sql: found '{shown(sql)}', expected a SELECT")
    statement, rest = first_statement(sql)
    while is_empty(statement):
        statement, rest = first_statement(rest)
    try:
        cursor = database.connection.execute(statement)
    except sqlite3.ProgrammingError as error:
        raise Failure(f"--sql: {error}; expected a SELECT without parameters") from None
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_AUTH:
            raise Failure(f"--sql: {error}; expected a SELECT: the database is only read here"
                          ) from None
        if getattr(error, "sqlite_errorcode", 0) & 0xff != sqlite3.SQLITE_ERROR:
            raise
        raise Failure(f"--sql: {shown(str(error))}{_place(database.file_name(), statement)}; "
                      "docs/database.md lists tables and columns") from None
    if cursor.description is None:
        raise Failure("--sql: this statement returns nothing; expected a SELECT: the database is "
                      "only read here")
    if not is_empty(rest):
        raise Failure("--sql: found more after the first statement: "
                      f"'{shown(rest[:40])}'; expected one")
    return cursor


def print_sql(database: Database, sql: str, form: str, style: Style) -> None:
    """Prints what a statement finds that the user gave. The database can only be read from then on:
    nothing is written or attached, no extension loaded."""
    connection, name = database.connection, database.file_name()
    connection.row_factory = None
    connection.execute("PRAGMA trusted_schema = 0")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # VACUUM INTO attaches
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    connection.set_authorizer(_authorise)
    try:
        cursor = _prepare(database, sql)
        print_rows(style, form, [column[0] for column in cursor.description], cursor)
    except ERRORS as error:
        raise Failure(explain(error, name, "the query ended early")) from None
