#!/bin/bash
# nvcosim run: values of options and combinations of options that are refused.
# usage: NVCOSIM=build/nvcosim tests/cli/run_usage.sh
. "$(dirname "$0")/frame.sh"

nv run; check run_without_trace 2 "no trace is given"
nv run --config tiny good/good.cfg; check run_config_unknown 2 "there is no configuration 'tiny'; expected one of" "small"
nv run --dut verilog good/good.cfg; check run_dut_unknown 2 "found 'verilog', expected rtl, model, both or rtl:NAME"
nv run --dut rtl: good/good.cfg; check run_dut_empty_name 2 "found 'rtl:', expected"
nv run --dut rtl:waves good/good.cfg; check run_dut_reserved_name 2 "found 'rtl:waves', expected"
nv run --dut rtl:coverage good/good.cfg; check run_dut_reserved_coverage 2 "found 'rtl:coverage', expected"
nv run --latency many good/good.cfg; check run_number_text 2 "--latency: found 'many', expected a number from 0 to 1000000"
nv run --latency -1 good/good.cfg; check run_number_negative 2 "--latency: found '-1', expected"
nv run --latency 12x good/good.cfg; check run_number_tail 2 "--latency: found '12x', expected"
nv run --stall 1000 good/good.cfg; check run_stall_range 2 "--stall: found '1000', expected a number from 0 to 999"
nv run --stall-aw 1000 good/good.cfg; check run_stall_aw_range 2 "--stall-aw: found '1000'"
nv run --bandwidth 0 good/good.cfg; check run_bandwidth_zero 2 "--bandwidth: found '0', expected a number from 1 to 1000"
nv run --latency-kind slow good/good.cfg; check run_latency_kind 2 "found 'slow', expected fixed, uniform or page"
nv run --latency-kind uniform good/good.cfg; check run_uniform_needs_max 2 "--latency-max: kind uniform needs a value of at least the read latency, 32"
nv run --latency-kind page --page-hit 90 good/good.cfg; check run_page_order 2 "--page-miss: expected at least the value of --page-hit, 90"
nv run --latency-max 90 good/good.cfg; check run_fixed_has_no_max 2 "--latency-max: needs --latency-kind uniform"
nv run --latency-kind page --latency-max 90 good/good.cfg; check run_page_has_no_max 2 "--latency-max: needs --latency-kind uniform"
nv run --latency-kind uniform --latency-max 90 --page-hit 1 good/good.cfg; check run_uniform_has_no_pages 2 "--page-hit and --page-miss need --latency-kind page"
nv run --page-miss 9 good/good.cfg; check run_fixed_has_no_pages 2 "--page-hit and --page-miss need --latency-kind page"
for o in out coverage wave dut pin config name; do
    nv run --$o '' good/good.cfg; check "run_${o}_empty" 2 "''"
done
nv run ''; check run_trace_empty 2 "not the name of a trace"
nv run nonexistent; check run_trace_missing 2 "nonexistent: No such file"
nv build --filelist '' --name mine; check build_filelist_empty 2
nv build --filelist x --name ''; check build_name_empty 2 "--name: found ''"
nv gen --out ''; check gen_out_empty 2
nv shrink --out '' good/good.cfg; check shrink_out_empty 2 "--out: found ''"
nv coverage -o '' good/good.cfg; check coverage_out_empty 2
nv calibrate --write '' good/good.cfg; check calibrate_write_empty 2 "--write: found ''"
nv convert good/good.cfg ''; check convert_empty 2
nv run --timeout 0 good/good.cfg; check run_timeout_zero 2 "--timeout: found '0', expected a number from 1"
nv run --max-cycles x good/good.cfg; check run_max_cycles 2 "--max-cycles: found 'x', expected a number from 1 to"
nv run --max-cycles 0 good/good.cfg; check run_max_cycles_zero 2 "--max-cycles: found '0', expected a number from 1 to"
nv run --max-cycles -1 good/good.cfg; check run_max_cycles_negative 2 "--max-cycles: found '-1', expected a number from 1 to"
nv run --pin tmc2slcg good/good.cfg; check run_pin 2 "--pin: found 'tmc2slcg', expected NAME=VALUE"
nv run --pin =1 good/good.cfg; check run_pin_without_name 2 "--pin: found '=1', expected NAME=VALUE"
nv run --wave out.vcd good/good.cfg; check run_wave_suffix 2 "--wave: found 'out.vcd', expected a name that ends in .fst"
nv run --checks --dut model good/good.cfg; check run_checks_model 2 "--checks: the model has none"
nv run --stop-at-first --dut model good/good.cfg; check run_stop_model 2 "--stop-at-first: the model writes no beats"
nv run --checks --coverage c.dat good/good.cfg; check run_checks_coverage 2 "--checks and --coverage exclude each other"
nv run --wave out.fst --dut model good/good.cfg; check run_wave_model 2 "the model has no waves"
nv run --dut model --latency 99 --pin a=1 --stall-w 3 --seed 7 good/good.cfg
check run_idle_options 0 "warning: --latency=99 has no effect with --dut model" "--pin=a=1 has no" "--stall-w=3 has no" "!--seed"
nv run --wave out.fst good/good.cfg hang/hang.cfg; check run_wave_many 2 "--wave: found 2 traces, expected one"
nv run --wave-from 5 good/good.cfg; check run_wave_from_alone 2 "--wave-from, --wave-to, --wave-layer and --wave-scope need --wave FILE.fst or --saif FILE.saif"
nv run --saif out.txt good/good.cfg; check run_saif_suffix 2 "--saif: found 'out.txt', expected a name that ends in .saif"
nv run --saif out.saif --dut model good/good.cfg; check run_saif_model 2 "the model has no waves"
nv run --wave out.fst --wave-from 9 --wave-to 5 good/good.cfg; check run_wave_order 2 "--wave-to: 5 is before --wave-from 9"
nv run --coverage c.dat --dut model good/good.cfg; check run_coverage_model 2 "the model has no line coverage"
nv run --coverage c.dat good/good.cfg hang/hang.cfg; check run_coverage_one_file 2 "--coverage: found 'c.dat', expected a directory for the files of 2 traces"
nv run --coverage c.dat --wave out.fst good/good.cfg; check run_coverage_wave 2 "--coverage and --wave exclude each other"
nv run --coverage-kind toggle good/good.cfg; check run_coverage_kind_alone 2 "--coverage-kind needs --coverage"
nv run --coverage c.dat --coverage-kind branch good/good.cfg; check run_coverage_kind 2 "found 'branch', expected line or toggle"
nv run -j 0 good/good.cfg; check run_jobs 2 "--jobs: found '0'"
nv run --threads 0 good/good.cfg; check run_threads 2 "--threads: found '0'"
nv run --dut model --threads 3 good/good.cfg; check run_three_threads 0 "PASS good "
nv run -v -q good/good.cfg; check run_verbose_quiet 2 "-v and -q exclude each other"
finish
