-- The database of nvcosim regress (docs/database.md). PRAGMA user_version holds the version of this schema; a change needs
-- a step in store.c that brings older databases up to date.
-- Times are UTC, '2026-01-31T23:59:59Z'; seconds are real numbers; flags are 0 or 1.

CREATE TABLE night ( -- one call of regress or qualify, with all that --resume added to it
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,    -- 'regress', 'qualify'
    plan       TEXT NOT NULL,    -- name of the plan
    plan_path  TEXT NOT NULL,
    plan_text  TEXT NOT NULL,    -- the plan as it was, for --resume
    selected   TEXT,             -- expression of --select
    seed       INTEGER NOT NULL, -- of the night
    state      TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'done')),
    started    TEXT NOT NULL,
    ended      TEXT,             -- last end, also of an interrupted one
    seconds    REAL NOT NULL DEFAULT 0, -- wall time of all its calls
    host       TEXT NOT NULL,
    cores      INTEGER NOT NULL,
    pid        INTEGER NOT NULL, -- of the runner; with host and birth it says whether one that is 'running' still is
    birth      TEXT NOT NULL,    -- of that process: the boot of the host and when it started after it; a pid is used again
    version    TEXT NOT NULL,    -- of nvcosim
    directory  TEXT NOT NULL,    -- that of the file list of a foreign RTL, else where the runner was started, or where the plan is if only that is in git
    revision   TEXT,             -- git revision of that directory; NULL: not in git
    dirty      INTEGER,          -- 1: with changes to its files that are not committed; NULL: not known
    engine     TEXT NOT NULL,    -- 'local', 'slurm'
    command    TEXT NOT NULL,    -- as it was given
    folder     TEXT NOT NULL     -- reports, logs, random layers, page
);

CREATE TABLE result ( -- one test of a night; verdict NULL: not run yet
    night      INTEGER NOT NULL REFERENCES night(id) ON DELETE CASCADE,
    number     INTEGER NOT NULL, -- place in the plan, from 0
    key        TEXT NOT NULL,    -- names the test in every night (regress/plan/test.h)
    test       TEXT NOT NULL,    -- the whole test as JSON (test_json)
    item       TEXT NOT NULL,
    trace      TEXT NOT NULL,    -- name of the trace
    path       TEXT NOT NULL,
    config     TEXT NOT NULL,
    dut        TEXT NOT NULL,
    memory     TEXT NOT NULL,    -- '' for the default setting
    seed       INTEGER NOT NULL,
    layer_seed INTEGER,          -- of a random layer
    tags       TEXT NOT NULL,    -- ' tag tag ' with blanks around each
    known      TEXT,             -- reason of a known failure that has not expired
    verdict    TEXT CHECK (verdict IN ('PASS', 'FAIL', 'HANG', 'REFUSED', 'CRASH', 'ERROR')), -- as in docs/results.md
    reason     TEXT,
    signature  TEXT,             -- of a failure: ENGINE:TAP once it is debugged, else as result_signature() has it
    bucket     INTEGER,          -- number of the bucket
    mismatch   TEXT,             -- first difference, for the user
    cycles     INTEGER,          -- core clocks of the RTL; NULL: it did not play
    op_cycles  INTEGER,          -- those between the first operation and the last
    macs       INTEGER,          -- multiplications that the registers ask for
    seconds    REAL,             -- wall time of the process
    cpu_seconds REAL,
    memory_peak INTEGER,         -- bytes resident; NULL: not known
    coverage   BLOB,             -- functional bins exercised, as coverage_bits() has them; NULL: not asked for
    host       TEXT,
    ended      TEXT,
    report     TEXT,             -- report.json, relative to the folder of the night; NULL: none
    page       TEXT,             -- report.html, likewise
    command    TEXT,             -- does it again
    debug_command TEXT,
    result     TEXT,             -- the whole result as JSON (docs/results.md), without its coverage
    PRIMARY KEY (night, number),
    UNIQUE (night, key)
);
CREATE INDEX result_by_key ON result(key, night);
CREATE INDEX result_by_trace ON result(trace, key);

CREATE TABLE bucket ( -- failures of a night that look alike
    night      INTEGER NOT NULL REFERENCES night(id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    signature  TEXT NOT NULL,
    title      TEXT NOT NULL,    -- one sentence
    count      INTEGER NOT NULL,
    engine     TEXT,             -- folder under rtl/ to blame
    tap        TEXT,
    kind       TEXT,             -- 'value', 'hang', 'check', 'crash', ...
    smallest   INTEGER NOT NULL, -- number of the smallest case's test
    shrunk     TEXT,             -- trace made from it by shrink, relative to the folder; NULL: none
    shrunk_cycles INTEGER,
    command    TEXT NOT NULL,    -- does the smallest case again
    page       TEXT,             -- its debug report, relative to the folder
    shrunk_command TEXT,         -- plays the shrunk trace
    note       TEXT,             -- what else to know: how much was looked at, what went wrong with debug or shrink
    PRIMARY KEY (night, number)
);

CREATE TABLE fault ( -- of qualify
    night      INTEGER NOT NULL REFERENCES night(id) ON DELETE CASCADE,
    number     INTEGER NOT NULL, -- what chooses it, from 1
    folder     TEXT NOT NULL,    -- of the file, relative to the RTL
    file       TEXT NOT NULL,
    line       INTEGER NOT NULL,
    module     TEXT NOT NULL,
    original   TEXT NOT NULL,
    changed    TEXT NOT NULL,
    statement  TEXT NOT NULL,
    state      TEXT,             -- 'noticed', 'survived' (something ran through it), 'unreached', 'equivalent' (says the plan); NULL: not known yet
    noticed_by TEXT,             -- key of the test
    verdict    TEXT,             -- of that test
    runs       INTEGER NOT NULL DEFAULT 0,
    seconds    REAL NOT NULL DEFAULT 0, -- CPU time
    reason     TEXT,             -- of 'equivalent'
    PRIMARY KEY (night, number)
);
