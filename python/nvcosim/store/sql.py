"""A SQLite database whose schema has versions: opening, bringing up to date, transactions, and
messages that say what to do. store.database.Store is the one of nights."""
import contextlib
import dataclasses
import os
import pathlib
import re
import sqlite3
import stat
import time
import typing

from nvcosim.text import shown
from nvcosim.tool import Failure

PATIENCE_SECONDS = 60  # to wait for others that write
OPENING = "the database cannot be opened"
_NOTHING = re.compile(r"(\s|;|--[^\n]*(\n|$)|/\*.*?(\*/|$))*", re.DOTALL)


def is_empty(sql: str) -> bool:
    """Whether it has no statement, only blanks and comments."""
    return _NOTHING.fullmatch(sql) is not None


def first_statement(sql: str) -> tuple[str, str]:
    """The first statement with the semicolon that ends it, and the rest."""
    at = sql.find(";")
    while 0 <= at and not sqlite3.complete_statement(sql[:at + 1]):
        at = sql.find(";", at + 1)
    return (sql, "") if at < 0 else (sql[:at + 1], sql[at + 1:])


@dataclasses.dataclass(frozen=True)
class Schema:
    """application: PRAGMA application_id, which program a database belongs to. text: makes an empty
    database one of this version. steps: make version 2 of version 1, version 3 of 2, ..."""
    application: int
    text: str
    steps: tuple[str, ...]

    @property
    def version(self) -> int:
        """PRAGMA user_version, from 1."""
        return len(self.steps) + 1

    def look(self, connection: sqlite3.Connection) -> tuple[str, int]:
        """What a database is at one moment, and its version: "present", "empty" (no tables yet),
        "older", "newer", "foreign" (of another program)."""
        connection.execute("SAVEPOINT look")
        application, version, tables = (connection.execute(question).fetchone()[0] for question in (
            "PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema"))
        connection.execute("RELEASE look")
        if application == version == tables == 0:
            return "empty", 0
        if application != self.application or version < 1:
            return "foreign", version
        return ("older" if version < self.version else
                "newer" if version > self.version else "present"), version

    def bring(self, connection: sqlite3.Connection) -> None:
        """Brings an empty or older database up to date in one transaction; others stay as they
        are. Another process may do the same at the same time. Call it before foreign keys are
        enforced: a step may replace a table that others refer to."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            state, version = self.look(connection)
            if state in ("empty", "older"):
                for text in [self.text] if state == "empty" else self.steps[version - 1:]:
                    while not is_empty(text):
                        statement, text = first_statement(text)
                        connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {self.application}")
                connection.execute(f"PRAGMA user_version = {self.version}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


# The module raises the latter where a message of SQLite quotes what a damaged file holds.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


def _code(error: Exception) -> int:
    usual = sqlite3.SQLITE_ERROR if isinstance(error, sqlite3.Error) else sqlite3.SQLITE_CORRUPT
    return int(getattr(error, "sqlite_errorcode", usual)) & 0xff


def _said(error: Exception) -> str:
    return shown(error.object.decode("utf-8", "surrogateescape")
                 if isinstance(error, UnicodeDecodeError) else str(error))


_LOCKED = ("another process has kept the database locked for {patience} seconds; fuser {path} "
           "shows which")
_ADVICE = {
    sqlite3.SQLITE_BUSY: _LOCKED, sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: "no space is left on its disk; what was kept before is whole: make room, "
                         "and continue with --resume",
    sqlite3.SQLITE_READONLY: "it can only be read; writing needs the rights to the file and to its "
                             "folder",
    sqlite3.SQLITE_NOTADB: "this is not a SQLite database; expected one of nvcosim regress, or a "
                           "name that is not taken",
    sqlite3.SQLITE_CORRUPT: "it is damaged ({said}); move it away: `sqlite3 DAMAGED .recover | "
                            "sqlite3 NEW` saves what can be read of it",
}


def explain(error: Exception, path: str, doing: str) -> str:
    """What SQLite reports and what to do about it. doing: what failed."""
    code, said = _code(error), _said(error)
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        except OSError as why:
            said += f": {os.strerror(why.errno or 0)}"
    says = _ADVICE.get(code, "{said}").format(said=said, path=path, patience=PATIENCE_SECONDS)
    return f"{path}: {doing}: {says}"


def _check_file(path: str, create: bool) -> None:
    """Looks at the file before SQLite does: a FIFO would make it wait, of a folder it says nothing
    useful. Makes the file and its folder where there is none."""
    try:
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            if not create:
                raise Failure(f"{path}: there is no such database; nvcosim regress makes it, "
                              "--database names another") from None
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644))
            return
    except OSError as why:
        raise Failure(f"{path}: {OPENING}: {os.strerror(why.errno or 0)}") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise Failure(f"{path}: this is {what}; expected the file of a database")


def _connect(path: str, options: str) -> sqlite3.Connection:
    name = pathlib.Path(path).absolute().as_uri()
    connection = sqlite3.connect(f"{name}?{options}", uri=True, timeout=PATIENCE_SECONDS,
                                 isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    return connection


class Database:
    """An open database. Several processes of one machine may write at a time; a transaction is on
    the disk when it has ended. Not to be used across fork(). Errors are raised as Failure."""
    schema: typing.ClassVar[Schema]

    def __init__(self, path: str, options: str) -> None:
        self.path = path
        self.connection = _connect(path, options)

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # ---- opening ----

    @classmethod
    def open(cls, path: str, create: bool = False) -> typing.Self:
        """Opens the database, makes it and its folder where there is none (create), and brings an
        older one up to date. Failure: no database, damaged, made by a newer nvcosim, not
        writable. Waits up to a minute for others that write."""
        _check_file(path, create)
        with explained(path, OPENING):
            database = cls(path, "mode=rwc" if create else "mode=rw")
            try:
                database._settle(create)
            except BaseException:
                database.close()
                raise
        return database

    @classmethod
    def open_read_only(cls, path: str) -> typing.Self:
        """Nothing can be written through it; an older database is brought up to date first."""
        _check_file(path, create=False)
        database, state, version = cls._reader(path)
        if state == "older":
            database.close()
            cls.open(path).close()
            database, state, version = cls._reader(path)
        if state != "present":
            database.close()
            database._refuse(state, version)
        return database

    @classmethod
    def _reader(cls, path: str, options: str = "mode=ro") -> tuple[typing.Self, str, int]:
        with explained(path, OPENING):
            database = cls(path, options)
        try:
            return database, *database.schema.look(database.connection)
        except ERRORS as error:
            database.close()
            # On a disk that can only be read SQLite cannot make the files that it needs.
            if _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) and \
                    options == "mode=ro" and not os.path.exists(f"{path}-wal"):
                return cls._reader(path, "mode=ro&immutable=1")
            raise Failure(explain(error, path, OPENING)) from None

    def _refuse(self, state: str, version: int) -> typing.NoReturn:
        raise Failure(f"{self.path}: " + {
            "newer": f"made by a newer nvcosim: found version {version} of the schema, this one "
                     f"knows up to {self.schema.version}; use the newer one, or another --database",
            "empty": "the database is empty; nvcosim regress fills it, --database names another",
        }.get(state, "a SQLite database, but none of nvcosim regress; --database names another"))

    def _use_log(self) -> None:
        """The journal that lets others read meanwhile. Changing to it needs exclusive access and
        does not wait for it."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.Error as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            time.sleep(0.02)

    def _settle(self, create: bool) -> None:
        if not os.access(self.path, os.W_OK, effective_ids=True):
            raise Failure(f"{self.path}: the file can only be read; writing needs the rights to it "
                          "and to its folder")
        execute = self.connection.execute
        state, version = self.schema.look(self.connection)
        if state in ("newer", "foreign") or (state == "empty" and not create):
            self._refuse(state, version)
        if state == "empty":
            execute("PRAGMA page_size = 16384")
        self._use_log()
        execute("PRAGMA synchronous = FULL")
        if state != "present":
            with explained(self.path, "its tables cannot be made" if state == "empty" else
                           "it cannot be brought up to date"):
                self.schema.bring(self.connection)
            state, version = self.schema.look(self.connection)
            if state != "present":  # another program has made its own meanwhile
                self._refuse(state, version)
        for pragma in ("foreign_keys = 1", "cache_size = -16384", "wal_autocheckpoint = 1000"):
            execute(f"PRAGMA {pragma}")

    # ---- reading and writing ----

    def rows(self, sql: str, *values: typing.Any) -> typing.Iterator[sqlite3.Row]:
        """The rows of a SELECT, one by one."""
        with self._reading():
            yield from self.connection.execute(sql, values)

    def columns(self, sql: str, *values: typing.Any) -> list[str]:
        """The names of its columns."""
        with self._reading():
            found = self.connection.execute(f"{sql} LIMIT 0", values).description
        return [column[0] for column in found]

    @contextlib.contextmanager
    def _reading(self) -> typing.Iterator[None]:
        try:
            yield
        except ERRORS as error:
            name = self.file_name()
            if _code(error) != sqlite3.SQLITE_ERROR:
                raise Failure(explain(error, name, "it cannot be read")) from None
            raise Failure(f"{name}: found '{_said(error)}', expected a database of nvcosim regress;"
                          " check it with: PRAGMA integrity_check") from None

    def row(self, sql: str, *values: typing.Any) -> sqlite3.Row | None:
        """The first row, None: there is none."""
        return next(self.rows(sql, *values), None)

    def file_name(self) -> str:
        """The whole path of the file."""
        try:
            return str(self.connection.execute("PRAGMA database_list").fetchone()[2])
        except ERRORS:
            return self.path

    def run(self, sql: str, values: typing.Any = (), doing: str = "it cannot be written") -> int:
        """Runs a statement; the number of rows that it changed. doing: for the message."""
        with explained(self.path, doing):
            return self.connection.execute(sql, values).rowcount

    @contextlib.contextmanager
    def transaction(self, doing: str = "it cannot be written") -> typing.Iterator[None]:
        """A transaction that writes: on the disk when it ends, nothing of it after an exception."""
        with explained(self.path, doing):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise


@contextlib.contextmanager
def explained(path: str, doing: str) -> typing.Iterator[None]:
    """Errors of SQLite as Failure."""
    try:
        yield
    except ERRORS as error:
        raise Failure(explain(error, path, doing)) from None
