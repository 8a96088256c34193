"""nvcosim history: prints past results from the database of regressions."""
import signal
import sys

from nvcosim.options import Parser, number, text
from nvcosim.pages import history, query
from nvcosim.store.database import DEFAULT, Store
from nvcosim.text import Style
from nvcosim.tool import EXIT_OK, Failure, complain

DOC = ("Prints past results from the database of regressions: without TEST the nights; for a test "
       "its result in each night, and the course of its cycles and verdicts.")
AFTER = """\
TEST is the key of a test (ITEM/NAME[@MEMORY][+RESEED]), the name or the file of a trace, or a \
pattern of either with * and ?. In the line of verdicts a high block is a pass, a low one a \
failure, a medium one a known failure, a dot a night without the test. In the line of cycles the \
lowest block is the minimum.
State of a night: done; running; stopped, by a signal or its time limit; killed, the runner no \
longer exists. regress --resume continues the last two. fail: mismatches, crashes, errors, \
refusals; known: failures of any kind that the plan lists; open: tests without a result.
A star after a revision: the folder had uncommitted changes. Change: of the cycles against the \
night before, if the seeds are equal. cycles/s: per second of CPU time.
Examples:
  nvcosim history
  nvcosim history 'conformance/rand_sdp_*' --limit 5
  nvcosim history --sql 'SELECT key, max(cycles) FROM result GROUP BY key'"""


def _parser() -> Parser:
    parser = Parser("history", "[TEST...]", doc=DOC, after=AFTER)
    parser.add("database", arg="FILE", kind=text("the name of a file"),
               help=f"Database to read (default: {DEFAULT})")
    parser.add("limit", arg="N", kind=number(1, 1 << 31),
               help="Show the last N nights (default 20)")
    parser.add("sql", arg="SELECT",
               help="Print the result of a query; docs/database.md lists tables and columns, with "
                    "examples. Read only: statements that would change data are refused")
    parser.add("csv", help="Print comma-separated values (default of --sql: aligned columns on a "
                           "terminal, tab-separated values elsewhere)")
    parser.add("json", help="Print a list of JSON objects")
    return parser


def _recover(path: str) -> None:
    """Brings in what killed runners have left; existing results can be read anyway."""
    from nvcosim.night.recover import recover_nights
    try:
        recover_nights(path)
    except Failure as failure:
        complain(f"warning: {failure}", "history")


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if given.csv and given.json:
        parser.error("--csv and --json exclude each other")
    if given.sql is not None and given.words:
        parser.error("--sql and TEST exclude each other")
    if (given.csv or given.json) and len(given.words) > 1:
        parser.error("--csv and --json print one TEST or pattern at a time")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a query may take very long
    path, style = given.database or DEFAULT, Style.of(sys.stdout)
    form = "csv" if given.csv else "json" if given.json else "table"
    _recover(path)
    with Store.open_read_only(path) as store:
        if given.sql is not None:
            query.print_sql(store, given.sql, "tabs" if form == "table" and not style.out.isatty()
                            else form, style)
        elif not given.words:
            history.print_nights(store, style, form, given.limit or 20)
        for index, word in enumerate(given.words):
            if index:
                style.out.write("\n")
            history.print_tests(store, style, form, word, given.limit or 20)
    return EXIT_OK
