// Options of Verilator for everything of this project that is compiled with it: simulators (scripts/build_simulator.sh) and benches (tests/rtl/bench.mk).
-O3
--no-timing
--x-assign fast
--x-initial fast
--output-split 8000
+define+NVDLA_FAST_FORMS
