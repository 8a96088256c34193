"""One night: its tests, from the launcher into the ledger and the database, and what is written
when all are done: buckets, page, JUnit XML, summary."""
import contextlib
import os
import sys
import time
import typing

from nvcosim.engine import builds
from nvcosim.engine.launcher import Done, Ended, Event, Launcher, Message, Play, Progress, Started
from nvcosim.engine.local import LocalLauncher
from nvcosim.engine.schedule import Schedule
from nvcosim.engine.signals import Signals
from nvcosim.night.begin import Begun, Options, report
from nvcosim.night.dry_run import clock, dry_run
from nvcosim.night.live import Live
from nvcosim.store.results import STATUSES, Result, Row
from nvcosim.text import plural, quoted, shown
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_DIFFERENT, EXIT_OK, Failure, complain, worst

if typing.TYPE_CHECKING:
    from nvcosim.store.database import Store
    from nvcosim.store.ledger import Ledger

# Results go into the database, which costs milliseconds for the disk, and are printed at this
# interval. They are in the ledger of the night at once.
STORE_SECONDS = 2.0
TICK_SECONDS = 0.25
SIGINT = 2


class Night:
    """Runs a night that has begun."""

    def __init__(self, begun: Begun) -> None:
        assert begun.store and begun.ledger
        self.begun, self.options = begun, begun.options
        self.store: "Store" = begun.store
        self.ledger: "Ledger" = begun.ledger
        self.start, self.stored = begun.start, time.monotonic()
        self.counted = self.start  # until when the night's time is in the database
        self.ended: list[Row] = []  # results that so far are only in the ledger, and not printed
        self.lost = False  # results could not be kept in the database
        self.broken = False  # something that is to be written could not be
        self.signal = 0  # that ends the night
        self.live: Live | None = None
        self.schedule = Schedule.make(begun.tests, begun.done)
        self.on_slurm = begun.engine == "slurm"
        self.copies = f"{begun.folder}/{builds.FOLDER}"

    def _complain(self, text: str) -> None:
        """Something could not be done: a line for the user, and the exit status says so."""
        self.broken = True
        if self.live:
            self.live.message(text)
        else:
            complain(text)

    @contextlib.contextmanager
    def _attempt(self, what: str = "") -> typing.Iterator[None]:
        """A failure inside is reported, and the rest is done all the same."""
        try:
            yield
        except Failure as failure:
            self._complain(what + str(failure))

    # ---- results ----

    def _store_ended(self) -> None:
        """Stores the results that are only in the ledger, then prints them. Failure: they cannot be
        kept."""
        self.stored = time.monotonic()
        rows, self.ended = self.ended, []
        try:
            if rows:
                self.store.store_results(self.begun.id, rows, spent=self.stored - self.counted)
                self.counted = self.stored
        except Failure:
            self.lost = True
            raise
        if self.live and not self.lost:
            for row in rows:
                self.live.result(row.number, row.result)
            sys.stdout.flush()

    def _keep(self, number: int, host: str, result: Result, noted: bool = False) -> None:
        """A result that outlives this process from now on. noted: the ledger has it."""
        if not noted:
            try:
                self.ledger.note(number, host, result)
            except OSError:
                self.stored = 0  # the database has to have it at once
        if self.live:
            self.live.ended(number)
        self.ended.append(Row(number, host, result, int(time.time())))
        if time.monotonic() - self.stored >= STORE_SECONDS:
            self._store_ended()

    def _drop_unbuilt(self) -> None:
        """Gives the tests whose simulator could not be built their result, and takes them out of
        the order."""
        order, self.schedule.order = self.schedule.order, []
        for number in order:
            failed = self.begun.builds.failed(self.begun.tests[number])
            if failed:
                self._keep(number, os.uname().nodename, failed)
            else:
                self.schedule.order.append(number)
        self._store_ended()

    # ---- the tests ----

    def _print_beginning(self, before: int) -> None:
        begun, count = self.begun, len(self.schedule.order)
        line = f"night {begun.id} of {shown(begun.settings.name)}: {plural(count, 'test')}"
        line += f" left of {len(begun.tests)}" if before else ""
        line += ", on Slurm" if self.on_slurm else f", {begun.jobs} at a time"
        line += f", seed {begun.seed}"
        span = self.schedule.span(1 if self.on_slurm else begun.jobs)
        if self.schedule.unknown == count:
            line += ", none with a history"
        elif span >= 1:
            line += f", about {clock(span)}{' of computing' if self.on_slurm else ''}" + (
                " (not all have a history)" if self.schedule.unknown else "")
        print(f"{line}; {shown(begun.folder)}", flush=True)

    def _launcher(self, progress: bool) -> Launcher:
        seconds = self.begun.settings.night_seconds
        end = self.start + seconds if seconds > 0 else 0.0
        if self.on_slurm:
            from nvcosim.engine.cluster import ClusterLauncher
            from nvcosim.engine.slurm import Slurm
            slurm = Slurm(self.options.slurm or self.begun.settings.slurm_options or "")
            return ClusterLauncher(slurm, self.begun.folder, self.options.chunk_seconds, end)
        return LocalLauncher(self.begun.jobs, self.ledger, progress, self.copies, end)

    def _submit(self, launcher: Launcher) -> None:
        begun = self.begun
        clean = not os.listdir(f"{begun.folder}/reports")
        for number in self.schedule.order:
            test = begun.tests[number]
            name = begun.builds.name(test) if self.on_slurm else ""
            launcher.submit(Play.of(number, test, begun.folder, clean, name))
        launcher.finish()

    def _play(self, live: Live, signals: Signals) -> bool:
        """Plays the tests. True if all have a result."""
        self._drop_unbuilt()
        if not self.schedule.order:
            return True
        with contextlib.closing(self._launcher(live.terminal)) as launcher:
            self._submit(launcher)
            while True:
                for event in launcher.wait(TICK_SECONDS, signals.fileno()):
                    if isinstance(event, Ended):
                        if event.how == "failed":
                            self._complain(event.why)
                        return event.how == "done"
                    self._take(live, event)
                number = signals.take()
                if number:
                    self._obey(launcher, live, number)
                if self.ended and time.monotonic() - self.stored >= STORE_SECONDS:
                    self._store_ended()
                live.tick()

    def _take(self, live: Live, event: Event) -> None:
        match event:
            case Started():
                live.started(event.number)
            case Progress():
                live.progress(event.number, event.part)
            case Message():
                live.message(event.text)
            case Done() if event.result:
                self._keep(event.number, event.host, event.result, event.noted)

    def _obey(self, launcher: Launcher, live: Live, number: int) -> None:
        """The first Ctrl-C lets the running tests finish; the second one, or another signal, ends
        them."""
        patient = number == SIGINT and not self.signal
        self.signal = number
        if not patient:
            launcher.kill()
            return
        left = launcher.stop()
        if left:
            live.message(f"interrupted: waiting for the {left} running test"
                         f"{'' if left == 1 else 's'}; once more ends "
                         f"{'it' if left == 1 else 'them'} at once")

    def _run_tests(self, signals: Signals) -> bool:
        """True if all have a result."""
        before = sum(self.begun.done)
        self._print_beginning(before)
        live = self.live = Live(self.begun.tests, self.schedule, before,
                                1 if self.on_slurm else self.begun.jobs)
        whole = False
        with self._attempt():
            whole = self._play(live, signals)
        with self._attempt():
            self._store_ended()
        live.close()
        self.live = None
        return whole and not self.lost

    # ---- after the tests ----

    def _fill_buckets(self, look: bool, signals: Signals) -> bool:
        """Groups the failures into buckets, and looks at some of them if all tests have run.
        Returns whether it finished; errors are reported."""
        if not self.store.row("SELECT 1 FROM result WHERE night = ? AND verdict <> 'PASS'",
                              self.begun.id):
            return True
        from nvcosim.night.buckets import triage_failures
        from nvcosim.night.triage import Job
        begun = self.begun

        def launch() -> LocalLauncher:
            return LocalLauncher(begun.jobs, simulators=self.copies)

        job = Job(self.store, begun.id, begun.folder, begun.tests, begun.builds, begun.jobs,
                  begun.settings, lambda line: print(line, flush=True), launch, signals)
        with self._attempt():
            ended = triage_failures(job, look)
            self.signal = self.signal or ended
            return not ended
        return False

    def _resume_command(self) -> str:
        options = self.options
        words = [f"--database={quoted(self.begun.database)}"]
        words += [f"--jobs={options.jobs}"] if options.jobs else []
        words += [f"--slurm-options={quoted(options.slurm)}"] if options.slurm else []
        words += [f"--chunk-seconds={options.chunk_seconds}"] if options.chunk_seconds else []
        words += [f"--notify={quoted(options.notify)}"] if options.notify else []
        return f"nvcosim regress {' '.join(words)} --resume={self.begun.id}"

    def _write_outputs(self, state: str) -> None:
        """The files and the summary of the night."""
        from nvcosim.night.notify import notify
        from nvcosim.pages.junit import junit_write
        from nvcosim.pages.page import page_write
        from nvcosim.pages.review import review_read
        from nvcosim.pages.summary import summary_text
        page = f"{self.begun.folder}/index.html"
        review = review_read(self.store, self.begun.id)
        review.state = state  # a full disk may have kept it from the database
        paged = False
        with self._attempt():
            junit_write(review, f"{self.begun.folder}/junit.xml")
        with self._attempt():
            page_write(review, page)
            paged = True
        summary = summary_text(review, page if paged else None)
        print(summary, end="", flush=True)
        if self.options.notify and not self.signal:
            with self._attempt("--notify: "):
                notify(self.options.notify, summary)

    def _verdicts(self) -> list[str]:
        """Those that count for the exit status."""
        return [row["verdict"] for row in self.store.rows(
            "SELECT DISTINCT verdict FROM result WHERE night = ? AND known IS NULL AND verdict IS "
            "NOT NULL", self.begun.id)]

    def run(self) -> int:
        """All of it. Returns the exit status."""
        from nvcosim.night.recover import recover_night
        with Signals() as signals:
            all_run = self._run_tests(signals)
            if not all_run and not self.lost:
                with self._attempt():
                    recover_night(self.store, self.begun.id, self.ledger)
            whole = self._fill_buckets(all_run, signals) and all_run
            state = "done" if whole else "interrupted"
            with self._attempt():
                self.store.state(self.begun.id, state, time.monotonic() - self.counted)
        # Ctrl-C ends what follows.
        statuses = [EXIT_OK if whole else EXIT_DIFFERENT]
        with self._attempt():
            statuses += [STATUSES[verdict] for verdict in self._verdicts()]
        with self._attempt():
            self._write_outputs(state)
        if whole:
            builds.remove(self.begun.folder)
        else:
            print("\n" + ("The failures have not all been looked at" if all_run else
                          "Not all tests have run")
                  + f". To continue: {self._resume_command()}", flush=True)
        self.ledger.close(remove=not self.lost)
        self.begun.ledger = None
        if self.signal:
            return 128 + self.signal
        return EXIT_BAD_INPUT if self.broken else worst(statuses)


def run_night(options: Options) -> int:
    """Returns the exit status: 0 all passed or failed as known; else the worst, as nvcosim run has
    it; 2 also if something could not be read, kept or written; 128 + N: interrupted by signal
    N."""
    begun = Begun(options)
    try:
        begun.prepare()
        if options.dry_run:
            possible = builds.possible(begun.left(), report)
            dry_run(begun.tests, begun.done, 0 if begun.engine == "slurm" else begun.jobs)
            return EXIT_OK if possible else EXIT_BAD_INPUT
        return Night(begun).run()
    except Failure as failure:
        complain(str(failure))
        return EXIT_BAD_INPUT
    finally:
        begun.close()
