#!/bin/bash
# nvcosim regress: its options, and a plan from the first line to the last on the model. tests/regress has the rest.
# usage: NVCOSIM=build/nvcosim tests/cli/regress.sh
. "$(dirname "$0")/frame.sh"

cat >p.yml <<'END'
name: p
items:
  - name: good
    traces: [good/good.cfg]
    config: small
    dut: model
    tags: [fast]
  - name: layers
    random: {engines: sdp, count: 2}
    config: small
    dut: model
    tags: [random]
END
nv regress; check regress_no_plan 2 "no plan is given; expected a file such as plans/nightly.yml"
nv regress p.yml q.yml; check regress_two_plans 2 "found 'q.yml', expected one plan"
nv regress --resume; check regress_resume_no_plan 2 "no plan is given" "or --resume=NIGHT"
nv regress none.yml; check regress_missing_plan 2 "none.yml: "
nv regress p.yml --jobs=0; check regress_jobs 2 "--jobs: found '0', expected a number from 1 to 1024"
nv regress p.yml --seed=x; check regress_seed 2 "--seed: found 'x', expected a number from 0"
nv regress p.yml --resume=0; check regress_resume_number 2 "--resume: found '0', expected a number from 1"
nv regress p.yml --resume --seed=3; check regress_resume_seed 2 "--seed: a night that is resumed has its seed already"
nv regress p.yml --resume --select=fast; check regress_resume_select 2 "--select: a night that is resumed has its tests already"
nv regress p.yml --notify=; check regress_notify_empty 2 "--notify: found '', expected a command"
nv regress p.yml --dry-run; check regress_dry_run 0 "3 tests, 3 without a history: how long they take is known after" "good/good" "layers/sdp-0001"
that regress_dry_run_makes_nothing test ! -e nvcosim-nights
nv regress p.yml --dry-run --select fast; check regress_dry_run_select 0 "1 test, 1 without a history" '!layers/'
sed 's/dut: model/dut: rtl:nosuch/' p.yml >nosuch.yml
nv regress nosuch.yml --dry-run; check regress_dry_run_no_rtl 2 "3 tests, 3 without a history" "rtl:nosuch" "nvcosim build"
nv regress p.yml --resume; check regress_nothing_to_resume 2 "nights.db: there is no such database"
nv regress p.yml --seed 5 --notify 'cat >summary'; check regress_runs 0 "night 1 of p: 3 tests, " "seed 5, none with a history" "All 3 tests pass"
that regress_notified grep -q "All 3 tests pass" summary
that regress_keeps_layers test "$(find nvcosim-nights/night-1/layers -name 'small_sdp_*.nvt.gz' | wc -l)" = 2
that regress_junit test -s nvcosim-nights/night-1/junit.xml
nv regress p.yml --resume; check regress_resume_done 2 "no night of plan p is left to resume"
nv regress --database=nvcosim-nights/nights.db --resume=1; check regress_resume_done_night 2 "night 1 is done: nothing is left to resume"
nv regress --database=nvcosim-nights/nights.db --resume=7; check regress_resume_no_night 2 "there is no night 7"
nv regress p.yml --notify 'cat >/dev/null; exit 3'; check regress_notify_fails 2 "night 2 of p: 3 tests" "--notify: cat >/dev/null; exit 3: ended with status 3" "All 3 tests pass"
nv regress p.yml --dry-run; check regress_dry_run_knows 0 "3 tests; about a second with"
# what is known to fail does not fail the night; a known failure that passes is reported
cat >known.yml <<'END'
name: known
items:
  - {name: t, traces: [good/good.cfg, badgold/badgold.cfg], config: small, dut: model}
known_failures:
  - {test: "t/*,model", reason: "issue 7", until: 2199-12-31}
END
nv regress known.yml; check regress_known 0 "PASS t/good,model: known to fail until 2199-12-31: issue 7" '!FAIL t/badgold'
sed -i '/^known_failures/,$d' known.yml
nv regress known.yml; check regress_not_known 1 "FAIL t/badgold,model: " "1 of 2 tests" '!PASS t/good'
# a name with an escape sequence does not reach the terminal; tests that take no time are not "0:00 left"
printf 'name: "\\e[31mred"\nitems:\n  - {name: t, traces: [good/good.cfg], config: small, dut: model, reseed: 39}\n' >red.yml
nv regress red.yml; check regress_shows_names 0 'night 5 of \x1b[31mred: 40 tests' "20 of 40 done: 20 passed, 0 failed, " '!0:00 left' $'!\e[31m'
nv regress --help; check regress_help_out 0 "OUT/night-N" "OUT/nights.db" '!DIR/night-N'
that regress_report test -s nvcosim-nights/night-4/reports/t.badgold,model/report.html
that regress_no_report_of_passes test ! -e nvcosim-nights/night-4/reports/t.good,model
nv regress p.yml --out good/good.cfg; check regress_out_is_a_file 2 "good/good.cfg"
nv regress p.yml --database good; check regress_database_is_a_folder 2 "good: this is a folder; expected the file of a database"
finish
