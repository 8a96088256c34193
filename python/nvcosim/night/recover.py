"""Recovers results that a killed runner has left in the ledger of its night, and not in the
database."""
import dataclasses
import os
import typing

from nvcosim.store.database import Store
from nvcosim.store.ledger import Entry, Ledger
from nvcosim.store.nights import runner
from nvcosim.store.results import Result, Row
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    from nvcosim.engine.launcher import Launcher
    from nvcosim.plan.test import Test


def _pick(entries: typing.Iterable[Entry], done: list[bool]) -> dict[int, Entry]:
    """The first result of each test without one; those tests are done then."""
    picked: dict[int, Entry] = {}
    for entry in entries:
        if entry.test < len(done) and not done[entry.test] and Result.of(entry.result):
            picked[entry.test] = entry
            done[entry.test] = True
    return picked


def _complete(noted: dict[int, Entry], tests: "list[Test]", folder: str,
              launcher: "Launcher | None") -> dict[int, Result]:
    """The results that processes of tests have noted, with what their runner would have added:
    commands, paths of reports, figures of the process."""
    from nvcosim.engine.launcher import Done, Ended, Play
    if not launcher:
        from nvcosim.engine.local import LocalLauncher
        launcher = LocalLauncher(jobs=1)
    found: dict[int, Result] = {}
    try:
        for number, entry in noted.items():
            play = Play.of(number, tests[number], folder)
            launcher.submit(dataclasses.replace(play, noted=entry.result))
        launcher.finish()
        ended = None
        while not ended:
            for event in launcher.wait(1):
                if isinstance(event, Done) and event.result:
                    found[event.number] = event.result
                elif isinstance(event, Ended):
                    ended = event
    finally:
        launcher.close()
    if ended.how != "done":
        raise Failure(f"{folder}/ledger: the results in it could not be completed: "
                      f"{ended.why or ended.how}")
    return found


def recover_night(store: Store, night: int, ledger: Ledger,
                  launcher: "Launcher | None" = None) -> None:
    """Moves the results of an open ledger into the database: of each test without a result the
    final one, else the one that its own process has noted. The ledger is empty then. Failure: and
    nothing is changed."""
    entries = ledger.read()
    facts = store.row("SELECT host FROM night WHERE id = ?", night)
    if not facts:
        raise Failure(f"the database has no night {night}")
    if entries:
        tests, done = store.tests(night)
        final = _pick((entry for entry in entries if entry.host is not None), done)
        noted = _pick((entry for entry in entries if entry.host is None), done)
        rows = [Row(number, entry.host, Result(entry.result), entry.at)
                for number, entry in final.items()]
        if noted:
            rows += [Row(number, facts["host"], result, noted[number].at) for number, result in
                     _complete(noted, tests, ledger.folder, launcher).items()]
        if rows:
            store.store_results(night, rows)
    ledger.empty()


def _left(store: Store) -> dict[int, str]:
    """Nights that are not done, whose runner is gone, and whose folder has a ledger."""
    return {row["id"]: row["folder"] for row in store.rows(
        "SELECT id, host, pid, birth, state, folder FROM night WHERE kind = 'regress' AND "
        "state <> 'done'") if os.path.exists(f"{row['folder']}/ledger") and (
            row["state"] != "running" or runner(row["host"], row["pid"], row["birth"]) == "gone")}


def recover_nights(database: str) -> None:
    """The same for all nights of a database whose runner is gone and has left a ledger. Nothing is
    done where there is no database."""
    if not os.path.exists(database):
        return
    with Store.open_read_only(database) as store:
        left = _left(store)
    for night, folder in left.items():
        ledger = Ledger.open(folder, create=False)  # a runner that resumes it holds its lock
        if ledger:
            with ledger, Store.open(database) as store:
                if night in _left(store):
                    recover_night(store, night, ledger)
