#!/bin/bash
# nvcosim history: nights, the past of tests, queries that only read.
# usage: NVCOSIM=build/nvcosim tests/cli/history.sh
. "$(dirname "$0")/frame.sh"

export LC_ALL=C.UTF-8
unset NO_COLOR
database() { rm -f "$1"*; /usr/bin/python3 "$ROOT/tests/cli/nights.py" "$ROOT/python/nvcosim/store/schema.sql" "$1"; }
database n.db
history() { nv history --database n.db "$@"; }
# on_terminal COLUMNS: the last command runs on a terminal of that width, what it prints is in stdout; INTERRUPT=1: Ctrl-C after a second
on_terminal() { command=("$ROOT/tests/cli/on_terminal.py" "$1" "${command[@]}"); }
# narrow NAME N: no line of stdout is wider, colours not counted
narrow() { that "$1" "$ROOT/tests/cli/narrow.py" "$2"; }

# ---- nights ----
history; check nights 0 " 5  2026-01-14 01:30  nightly  done        3     1     0               1h04  40000000"; lines nights_lines 9
check nights_dirty 0 "30000000*" "!20000000*"
check nights_killed 0 " 8  2026-01-17 01:30  nightly  killed      2     1     0            1  1h07  70000000*" "stopped"
history --limit 2; check nights_limit 0 2026-01-16 2026-01-17 '!2026-01-15'; lines nights_limit_lines 3
history; on_terminal 80; check nights_80 0 $'\033[32m3\033[0m' revision; narrow nights_80_narrow 80
NO_COLOR=1 check nights_no_colour 0 '!'$'\033'
history --json; check nights_json 0 '"night":8'
json nights_json_reads stdout 'len(j) == 8 and j[4]["failed"] == 1 and j[0]["dirty"] == 0'
history --csv; check nights_csv 0 "night,started,plan"

# ---- tests ----
history conformance/rand_sdp_000
check test 0 "  traces/rand_sdp_000.nvt.gz: config small, dut both, seed 1" "  verdicts  ████▁█·█  6 of 7 passed" "  cycles    ██████ ▁  12001 to 13100" \
    "    4  2026-01-13  30000000*  PASS      13100  +0.44 %     0.04     655 k" "5  2026-01-14  40000000   FAIL      13043  -0.44 %     0.04     652 k  value:SDP" \
    "    128 bytes differ between rtl and model" "7  2026-01-16  60000000   not run" '!slow'
history conformance/rand_sdp_000 --limit 3; check test_limit 0 "  verdicts  █·█  2 of 2 passed" '!2026-01-14'
history rand_sdp_000; check test_by_trace 0 "conformance/rand_sdp_000@slow" "memory slow"
history some/where/rand_pdp_001.nvt.gz; check test_by_file 0 "conformance/rand_pdp_001" hang:pdp
history '*@s?ow'; check test_by_pattern 0 "conformance/rand_sdp_000@slow" '!rand_pdp' "▁▁▂▃▅▆ █  23043 to 29001"
history '*'; check tests_all 0 "conformance/rand_pdp_001" "random-mix/0017"; that tests_sections test "$(grep -c verdicts stdout)" = 4
history random-mix/0017
check test_known_and_changing 0 "  verdicts  ▄▄▄▄██▄▁" "seed 18446744073709551615" "layer seed" "    known: issue 123; a check failed" "config  layer seed" "large   1           CRASH" \
    "small   1           PASS     128000              0.16" # another seed: no change of cycles is reported
LC_ALL=C check test_without_utf8 0 "  verdicts  FFFF##FC" "  cycles    _.-:=+*#  100000 to 149000"
on_terminal 60; check test_60 0 CRASH; narrow test_60_narrow 60
history rand_sdp_000 --json; check test_json 0 '"change_percent":0.44'
history rand_sdp_00; check test_near 2 "n.db: found no test and no trace 'rand_sdp_00'; with it in their names: conformance/rand_sdp_000, conformance/rand_sdp_000@slow"
history rand_spd_000; check test_misspelled 2 "did you mean rand_sdp_000?"
history nothing_like_it; check test_unknown 2 "nvcosim history '*' shows all tests"
history $'*\033[31m*'; check test_escape 2 '!'$'\033'

# ---- --sql ----
sql() { nv history --database n.db --sql "$@"; }
sql "SELECT key, cycles FROM result WHERE night = 4 ORDER BY number"; check sql 0 $'key\tcycles' $'conformance/rand_sdp_000\t13100'; lines sql_lines 5
sql "SELECT NULL AS n, x'00ff' AS b, char(9, 27, 10) AS c, '' AS e, 'a\"b,' AS q, 1.5 AS r"
check sql_tabs 0 $'\t00ff\t\\t\\x1b\\n\t\ta"b,\t1.5'
sql "SELECT NULL AS n, x'00ff' AS b, char(9, 10) AS c, '' AS e, 'a\"b,' AS q, 1.5 AS r, 2 AS r" --csv; check sql_csv 0 ',00ff,"	'
that sql_csv_reads /usr/bin/python3 -c 'import csv; r = list(csv.reader(open("stdout", newline=""))); assert r == [list("nbceqrr"), ["", "00ff", "\t\n", "", "a\"b,", "1.5", "2"]], r'
sql "SELECT NULL AS n, x'00ff' AS b, char(9, 27, 10) AS c, '' AS e, 9e999 AS q, 1.5 AS r, 2 AS r" --json; check sql_json 0
json sql_json_reads stdout 'j == [{"n": None, "b": "00ff", "c": "\t\x1b\n", "e": "", "q": "Infinity", "r": 1.5, "r:2": 2}]'
sql "SELECT 1 WHERE 0" --json; check sql_json_empty 0 "[]"
sql "SELECT NULL AS n, x'00ff' AS b, char(9, 27, 10) AS c, key FROM result LIMIT 1"; on_terminal 80; check sql_terminal 0 NULL "2 bytes" '\t\x1b\n' '!'$'\033[31m'
sql "SELECT key, reason, reason AS again, command FROM result"; on_terminal 80; check sql_80 0 conformance; narrow sql_80_narrow 80
sql "SELECT json_extract(value, '\$.a') AS a FROM json_each('[{\"a\": 5}]')"; check sql_json_functions 0 5
sql "SELECT name FROM pragma_table_info('bucket')"; check sql_tables 0 signature
before=$(sha256sum n.db)
for statement in "DELETE FROM night" "INSERT INTO night DEFAULT VALUES" "UPDATE night SET plan = 'x' RETURNING 1" "DROP TABLE night" "CREATE TEMP TABLE t (a)" \
    "ATTACH 'other.db' AS other" "VACUUM INTO 'other.db'" "PRAGMA user_version = 9" "PRAGMA journal_mode = DELETE" "PRAGMA writable_schema = 1" "BEGIN IMMEDIATE" \
    "UPDATE sqlite_master SET sql = ''" "SELECT load_extension('x')" "PRAGMA wal_checkpoint(TRUNCATE)"; do
    sql "$statement"; check "sql_refuses_${statement%% *}" 2 "--sql: "
done
that sql_changed_nothing test "$before" = "$(sha256sum n.db)" -a ! -e other.db
sql "SELECT 1; SELECT 2"; check sql_two 2 "expected one"
sql "SELECT nokey FROM result"; check sql_column 2 "no such column: nokey, at 'nokey FROM" "docs/database.md"
sql ""; check sql_empty 2 "expected a SELECT"
endless="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"
sql "$endless count(*) FROM c"; on_terminal 80; INTERRUPT=1 check sql_interrupted 130
sql "$endless x FROM c LIMIT 100000"; check sql_streams 0 99999

# ---- docs/database.md says what every column is, and of no other ----
that every_column_is_documented "$ROOT/tests/cli/columns.py" "$ROOT/docs/database.md" n.db

# ---- databases that are none ----
nv history --database none.db; check database_none 2 "none.db: there is no such database"
that database_is_not_made test ! -e none.db
nv history --database good/good.cfg; check database_text 2 "this is not a SQLite database"
nv history --database .; check database_folder 2 "this is a folder"
nv history --database ''; check database_empty_name 2 "--database: found ''"
nv history --limit 0; check limit_zero 2 "--limit: found '0'"
nv history --csv --json; check csv_and_json 2 "exclude each other"
nv history --sql 'SELECT 1' x; check sql_and_test 2 "exclude each other"
finish
