"""The failures of a night in buckets of those that look alike, so that the user looks at one of
each. bucket_rule() decides which belong together.

`nvcosim debug` looks at some failures before that, small ones of each kind first, and `nvcosim
shrink` makes the smallest case of the first buckets smaller (triage.py). The same failures give the
same buckets in the same order: known failures last, the largest first, then by signature."""
import collections
import dataclasses
import itertools
import re
import typing

from nvcosim.night.triage import Discoveries, Discovery, Job, Target, Triage
from nvcosim.store.results import Result
from nvcosim.store.signature import accuses_rtl, likeness
from nvcosim.text import plural
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    import sqlite3


SHRUNK_BUCKETS = 20  # at most, where the plan lets nvcosim debug look at none
_KIND = re.compile("([^: ]*)(?::([^: ]+))?")


@dataclasses.dataclass
class Case:
    """A test that fails. number: of the test. coarse: what its result alone says, one word or
    more. reason: why, in a line, or who disagrees, if that is not the RTL. known: why it is known
    to fail, "": it is not. debuggable: the RTL differs from a model. shrinkable: it would fail
    again, and soon. note: why nvcosim debug could not be asked. found: what nvcosim debug found,
    None: it has not looked. signature: of its bucket. causes: signatures that nvcosim debug found
    for those of the same coarse one."""
    number: int
    coarse: str
    reason: str
    command: str
    known: str
    debuggable: bool
    shrinkable: bool
    cycles: int
    macs: int
    note: str | None = None
    found: Discovery | None = None
    signature: str = ""
    causes: int = 0

    @property
    def size(self) -> tuple[int, int, int]:
        """The smallest case is the first: by clocks, by work, by the order of the plan."""
        return self.cycles, self.macs, self.number


def bucket_rule(case: Case, alike: list[Case]) -> str:
    """THE BUCKET RULE: the signature of the bucket of a failure. Failures of the same signature
    are one bucket; known failures never share one with others. Change it here, and nowhere else.

    alike: all failures with the same coarse signature, this one among them.

    What nvcosim debug found counts: engine and tap. A failure that it has not looked at belongs to
    those alike of one cause if that is what more than half of the looks found; otherwise, and where
    nvcosim debug found none, to a bucket by the result alone: who disagrees, the rule that was
    broken, the unit that wrote the first wrong byte, the engine that hangs, the words of the reason
    (store/signature.py: likeness())."""
    if case.found and case.found.signature:
        return case.found.signature
    causes = _causes(alike)
    if causes and case.debuggable and not case.found:
        cause, count = causes.most_common(1)[0]
        if 2 * count > causes.total():
            return cause
    return case.coarse


def _causes(alike: list[Case]) -> "collections.Counter[str]":
    """The signatures that nvcosim debug has found, and how often."""
    return collections.Counter(case.found.signature for case in alike
                               if case.found and case.found.signature)


@dataclasses.dataclass
class Bucket:
    """cases: the smallest first. shrunk: what nvcosim shrink found, None: it was not asked."""
    cases: list[Case]
    shrunk: Discovery | None = None

    @property
    def smallest(self) -> Case:
        return self.cases[0]

    @property
    def found(self) -> Discovery | None:
        """Of its smallest case for which nvcosim debug has named an engine."""
        return next((case.found for case in self.cases
                     if case.found and case.found.signature), None)

    @property
    def order(self) -> tuple[bool, int, str, str]:
        first = self.smallest
        return first.known != "", -len(self.cases), first.signature, first.known

    def note(self) -> str | None:
        """What the user should know of it beside its title."""
        first, looked = self.smallest, sum(case.found is not None for case in self.cases)
        notes = [first.note, first.found.note if first.found else None,
                 self.shrunk.note if self.shrunk else None]
        if self.found and looked < len(self.cases):
            notes.insert(0, f"nvcosim debug has looked at {looked} of them, the others look the "
                         "same" + (f" as some with {plural(first.causes - 1, 'other cause')}"
                                   if first.causes > 1 else ""))
        elif first.causes > 1 and not self.found and looked == 0:
            notes.insert(0, "nvcosim debug has not looked at any of them; others that look the "
                         f"same have {first.causes} different causes")
        return "; ".join(filter(None, notes)) or None


# ---- from the database, and into it ----

def _case(job: Job, row: "sqlite3.Row") -> Case:
    result = Result.from_json(row["result"] or "")
    coarse = result and likeness(result)
    if not result or not coarse or not 0 <= row["number"] < len(job.tests):
        raise Failure(f"night {job.night}: the result of test {row['number']} cannot be read")
    # One at a limit of time or memory takes all of it at every attempt to shrink it.
    blames = accuses_rtl(coarse)
    reason = row["reason"] or "" if blames else result.disagrees.get("sentence") or ""
    soon = result.verdict in ("FAIL", "HANG", "CRASH") and \
        not coarse.startswith(("limit", "crash:SIGKILL"))
    return Case(row["number"], coarse, reason, row["command"] or "", row["known"] or "",
                not row["known"] and blames and row["debug_command"] is not None,
                not row["known"] and soon, row["cycles"] or 0, row["macs"] or 0)


def _shrunk_command(job: Job, bucket: Bucket) -> str | None:
    """The command that plays what was shrunk."""
    if not bucket.shrunk or not bucket.shrunk.trace:
        return None
    return dataclasses.replace(job.tests[bucket.shrunk.test], generator=None,
                               trace=f"{job.folder}/{bucket.shrunk.trace}").command()


def _columns(job: Job, number: int, bucket: Bucket) -> dict[str, typing.Any]:
    first, found, shrunk = bucket.smallest, bucket.found, bucket.shrunk
    sentence = (found and found.sentence) or first.reason or first.coarse
    kind, unit = _KIND.findall(first.coarse)[0]
    page = found or first.found
    return {
        "night": job.night, "number": number, "signature": first.signature,
        "title": f"known, {first.known}: {sentence}" if first.known else sentence,
        "count": len(bucket.cases), "tap": found and found.tap,
        "engine": found.engine if found else unit or None if kind == "hang" else None,
        "kind": found.what if found else kind,
        "smallest": first.number, "shrunk": shrunk and shrunk.trace,
        "shrunk_cycles": (shrunk and shrunk.cycles) or None, "command": first.command,
        "page": page and page.page, "shrunk_command": _shrunk_command(job, bucket),
        "note": bucket.note()}


def _write(job: Job, buckets: list[Bucket]) -> None:
    with job.store.transaction("the buckets cannot be kept"):
        job.store.run("DELETE FROM bucket WHERE night = ?", (job.night,))
        for number, bucket in enumerate(buckets, 1):
            columns = _columns(job, number, bucket)
            job.store.run(f"INSERT INTO bucket ({', '.join(columns)}) VALUES "
                          f"({', '.join(':' + name for name in columns)})", columns)
            for case in bucket.cases:
                job.store.run("UPDATE result SET signature = ?, bucket = ? WHERE night = ? AND "
                              "number = ?", (case.signature, number, job.night, case.number))


# ---- what belongs together ----

def _grouped(cases: list[Case], text: typing.Callable[[Case], str]) -> list[list[Case]]:
    """Groups of cases with the same text, the smallest case of each first; known failures are
    apart, after the others, by their reason."""
    def key(case: Case) -> tuple[bool, str, str]:
        return case.known != "", case.known, text(case)

    ordered = sorted(cases, key=lambda case: (key(case), case.size))
    return [list(group) for _, group in itertools.groupby(ordered, key)]


def _alike(cases: list[Case]) -> list[list[Case]]:
    return _grouped(cases, lambda case: case.coarse)


def _buckets(cases: list[Case], discoveries: Discoveries) -> list[Bucket]:
    """The buckets in their order."""
    for case in cases:
        case.found = discoveries.find("debug", case.number) if case.debuggable else None
    for alike in _alike(cases):
        for case in alike:
            case.signature, case.causes = bucket_rule(case, alike), len(_causes(alike))
    return sorted(map(Bucket, _grouped(cases, lambda case: case.signature)),
                  key=lambda bucket: bucket.order)


# ---- debug and shrink ----

def next_looks(job: Job, cases: list[Case], discoveries: Discoveries, looks: int) -> list[Case]:
    """The failures that nvcosim debug looks at next, at most so many: the smallest of each kind
    first. Then of each bucket at which it has not looked, the largest first; then the second of
    each kind, ..."""
    open_cases = [case for case in cases if case.debuggable and not case.note
                  and not discoveries.find("debug", case.number)]
    first = [alike[0] for alike in _alike([case for case in cases if case.debuggable])]
    fresh = [case for case in first if case in open_cases]
    if fresh:
        return sorted(fresh, key=lambda case: case.size)[:looks]
    unseen = [bucket.smallest for bucket in _buckets(cases, discoveries)
              if not any(case.found for case in bucket.cases) and bucket.smallest in open_cases]
    ranked = sorted((rank, case.size, case.number, case) for alike in _alike(open_cases)
                    for rank, case in enumerate(alike))
    return (unseen or [entry[3] for entry in ranked][:job.jobs])[:looks]


def _debug(job: Job, cases: list[Case], discoveries: Discoveries) -> int:
    """Lets nvcosim debug look at some. Returns the signal that ended it."""
    said = False
    while discoveries.spent("debug") < job.settings.debug_seconds:
        done = sum(discoveries.find("debug", case.number) is not None for case in cases)
        chosen = next_looks(job, cases, discoveries, job.settings.debug_reports - done)
        for case in chosen:
            case.note = job.builds.for_debug(job.tests[case.number])
        targets = [Target(case.number, case.coarse) for case in chosen if not case.note]
        if not chosen:
            break
        if targets and not said:
            said = True
            most = min(job.settings.debug_reports - done, sum(
                case.debuggable and not discoveries.find("debug", case.number) for case in cases))
            job.report(f"nvcosim debug looks at {most} of {len(cases)} failures")
        number = Triage(job, "debug", discoveries).look_at(targets)
        if number or any(not discoveries.find("debug", each.number) for each in targets):
            return number
    return 0


def _shrink(job: Job, buckets: list[Bucket], discoveries: Discoveries) -> int:
    """Shrinks the smallest case of the first buckets, at which the user looks. Returns the signal
    that ended it."""
    if job.settings.shrink_seconds <= 0:
        return 0
    targets = [Target(bucket.smallest.number, bucket.smallest.signature, bucket.smallest.cycles,
                      bucket.found is not None)
               for bucket in buckets[:job.settings.debug_reports or SHRUNK_BUCKETS]
               if bucket.smallest.shrinkable and not discoveries.find(
                   "shrink", bucket.smallest.number, bucket.smallest.signature)]
    if targets:
        job.report(f"nvcosim shrink tries the smallest of {plural(len(targets), 'bucket')}, up to "
                   f"{job.settings.shrink_seconds:.6g} seconds each")
    return Triage(job, "shrink", discoveries).look_at(targets)


def triage_failures(job: Job, look: bool) -> int:
    """Debugs and shrinks failures (look; else what earlier calls found counts), and writes the
    buckets of the night and the bucket of each result, in one transaction that replaces those of an
    earlier call. Debug and shrink continue where an earlier call was ended; their errors are in the
    notes of the buckets. Returns the signal that ended debug and shrink, else 0; the buckets are
    written all the same. Failure if they could not be."""
    cases = [_case(job, row) for row in job.store.rows(
        "SELECT number, result, reason, command, known, cycles, macs, debug_command FROM result "
        "WHERE night = ? AND verdict <> 'PASS' ORDER BY number", job.night)]
    discoveries = Discoveries(job.folder)
    number = _debug(job, cases, discoveries) if look else 0
    buckets = _buckets(cases, discoveries)
    if look and not number:
        number = _shrink(job, buckets, discoveries)
    for bucket in buckets:
        first = bucket.smallest
        bucket.shrunk = discoveries.find("shrink", first.number, first.signature)
    _write(job, buckets)
    return number
