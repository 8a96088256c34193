# Targets a user needs: demo, demo-network, check, test, build, lint, bench, coverage, nightly, icarus-smoke, fuzz, simulator, install, dist, deb, clean. `make help` explains them.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

ifneq ($(words $(CURDIR)),1)
$(error The path of this checkout has spaces ($(CURDIR)), which make and Verilator do not take; move or link it to one without)
endif

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# What only compiles takes all cores; make's own -j overrides it.
ifneq ($(filter build simulator unit-tests,$(or $(MAKECMDGOALS),build)),)
MAKEFLAGS += -j$(JOBS)
endif
CONFIG ?= small
NAME ?=
VARIANT ?=
VARIANTS := waves taps coverage toggle checks
B := build
# make V=1 shows every command.
Q = $(if $(V),,@echo "  build   $@" && )

# ccache where it has a folder to write to. tb/simulator.mk takes it from the environment. Checkouts share what they compiled: paths below
# this folder are relative for it. It reads which headers a compiler has used instead of all that they come to: a tenth of the time from nothing.
CCACHE := $(shell d=$$(ccache -k cache_dir 2>/dev/null) && mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] && echo ccache)
export CCACHE
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_DEPEND := 1
# The compiler of what Verilator writes: CXX of the command line or the environment; else the one with which simulators are fastest
# (tests/bench/simulator.py).
export COMPILER := $(if $(filter default,$(origin CXX)),,$(CXX))
export DEFAULT_COMPILER := $(if $(shell command -v clang++ 2>/dev/null),clang++,g++)
CC := gcc
WERROR ?= -Werror
CWARN := -Wall -Wextra -Wshadow -Wconversion $(WERROR)
# Of those who package it: EXTRA_CFLAGS and EXTRA_LDFLAGS, EXTRA_CXXFLAGS of what Verilator writes.
CPPFLAGS := -D_GNU_SOURCE -Icsrc -I. -I$(B)/gen
CFLAGS := -std=c17 -O2 -g -ffile-prefix-map=$(CURDIR)=. -fPIC -fno-semantic-interposition -fvisibility=hidden $(CWARN) $(EXTRA_CFLAGS)
LDLIBS := $(EXTRA_LDFLAGS) -lpng -ljpeg -ljansson -llz4 -lz -lm -ldl
VERILATOR_ROOT = $(shell verilator -getenv VERILATOR_ROOT 2>/dev/null)
VPI_INCLUDE = -isystem $(VERILATOR_ROOT)/include/vltstd

TABLES := csrc/nvdla/registers.csv csrc/nvdla/units.csv csrc/nvdla/engines.csv csrc/nvdla/clients.csv csrc/nvdla/configurations.csv tb/streams.csv rtl/taps.csv $(wildcard tb/nvidia/*.csv)
GENERATED := $(B)/gen/nvdla_tables.c $(B)/gen/nvdla_offsets.h $(B)/gen/nvdla_names.h $(B)/gen/nvdla_waits.h $(B)/gen/tap_streams.h
PAGES := $(patsubst csrc/%.css,$(B)/gen/%.embed.h,$(wildcard csrc/*/*.css csrc/*/*/*.css))
PLATFORMS := $(patsubst csrc/%.inc,$(B)/gen/%.embed.h,$(wildcard csrc/export/*.inc))
MEMORY_TESTS := $(wildcard $(patsubst %,tests/unit/test_%.c,axi_places dram memory_system))
MEMORIES := $(B)/gen/dram/memories.inc $(if $(MEMORY_TESTS),$(B)/gen/tests/unit/memories.inc)
LAWS := $(B)/gen/estimate/laws.embed.h
RULES := $(patsubst csrc/model/%.csv,$(B)/gen/%.inc,$(wildcard csrc/model/rules_*.csv))
EMBEDDED := $(RULES) $(PAGES) $(B)/gen/report/pages.embed.h $(PLATFORMS) $(MEMORIES) $(LAWS)
CONFIGS := $(shell awk -F, 'NR > 1 { print $$1 }' csrc/nvdla/configurations.csv)
# A configuration by values, or a file with them, has the name that nvcosim gives it.
comma := ,
named = $(if $(findstring $(comma),$1)$(findstring =,$1)$(wildcard $1),$(or $(shell $(MAKE) -s --no-print-directory CONFIG=small $(B)/nvcosim >&2 && \
    $(B)/nvcosim info --config '$1' | sed -n '1s/:.*//p'),$(error CONFIG=$1)),$1)
override CONFIG := $(foreach c,$(CONFIG),$(call named,$c))

LIB_SRC := $(filter-out csrc/cli/main.c,$(wildcard csrc/*/*.c csrc/*/*/*.c))
# The testbench: what needs a simulator's VPI, and what does not (unit tests link the latter).
TB_VPI_SRC := tb/rtl_device.c tb/rtl_open.c tb/vpi_access.c
TB_PURE_SRC := $(filter-out $(TB_VPI_SRC) tb/icarus.c,$(wildcard tb/*.c tb/observers/*.c))
TB_OBJ := $(TB_VPI_SRC:%.c=$(B)/obj/%.o) $(TB_PURE_SRC:%.c=$(B)/obj/%.o)
RTL_SRC := $(shell find rtl -name '*.sv' -o -name '*.svh') tb/tb_top.sv
# The chapters read a second time, to check the model with.
NAIVE := $(filter-out %/naive_main.c,$(wildcard tests/naive/*.c))
UNIT_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))

.PHONY: rtl strict synth library guest install uninstall dist deb man build demo demo-network check test lint bench coverage nightly icarus-smoke fuzz simulator simulator-base setup clean help unit-tests asan-tests rtlmeter-tests FORCE

help:
	@sed -n 's/^## //p' Makefile

## make demo          install what is missing, build, replay one trace on RTL and model, say where to look
demo:
	@scripts/setup.sh demo
	@$(MAKE) --no-print-directory -j $(JOBS) build
	@scripts/demo.sh $(B)

## make demo-network  [PICTURE=digit.png] a small LeNet recognises the digit of a picture on the RTL (traces/networks/digits)
PICTURE ?=
demo-network:
	@scripts/setup.sh demo
	@$(MAKE) --no-print-directory -j $(JOBS) build
	@scripts/demo_network.sh $(B) $(PICTURE)

## make check         what one runs after each edit: build, unit tests, quick lint, own traces, command line
check:
	@scripts/setup.sh check
	@tests/run.py $(B) check

## make test          set up, build and run all tests of a day (NVDLA_CONFORMANCE, default ../shared/conformance: a folder of further conformance traces)
test: setup
	@tests/run.py $(B) test

## make build         build/nvcosim and the simulator of configuration small; brings other simulators up to date that were built before
build: $(B)/nvcosim $(B)/nvcosim-small $(filter $(foreach c,$(CONFIGS),$(B)/nvcosim-$(c) $(VARIANTS:%=$(B)/nvcosim-$(c)-%)),$(wildcard $(B)/nvcosim-*))

## make setup         install the Debian packages that are missing
setup:
	@scripts/setup.sh

$(B)/gen/nvdla_offsets.h $(B)/gen/nvdla_names.h $(B)/gen/tap_streams.h: $(B)/gen/nvdla_tables.c
$(B)/gen/nvdla_tables.c: $(TABLES) scripts/gen_tables.py scripts/tables.py
	@/usr/bin/python3 scripts/gen_tables.py c $(B)/gen

$(B)/gen/waits.svh: $(B)/gen/nvdla_waits.h
$(B)/gen/nvdla_waits.h: rtl/waits.csv scripts/gen_waits.py scripts/gen_tables.py scripts/tables.py
	@/usr/bin/python3 scripts/gen_waits.py $(B)/gen

$(RULES): $(B)/gen/%.inc: csrc/model/%.csv scripts/gen_rules.py scripts/gen_tables.py scripts/tables.py
	@/usr/bin/python3 scripts/gen_rules.py $(*:rules_%=%) $(B)/gen

# Styles and script of a page as strings: NAME_css and NAME_js. Those of every page are shared with the pages of the Python package.
$(PAGES): $(B)/gen/%.embed.h: csrc/%.css csrc/%.js
$(B)/gen/report/report.embed.h: csrc/report/timeline.js
$(B)/gen/report/pages.embed.h: python/nvcosim/pages/base.css python/nvcosim/pages/base.js
$(PAGES) $(B)/gen/report/pages.embed.h:
	@mkdir -p $(@D)
	@for file in $^; do \
		name=$${file##*/}; echo "static const char $${name%.*}_$${name#*.}[] ="; sed -e 's:[\\"]:\\&:g' -e 's:.*:    "&\\n":' $$file; echo "    ;"; \
	done >$@

# The parts of exported C programs, likewise: NAME_inc.
$(PLATFORMS): $(B)/gen/%.embed.h: csrc/%.inc
	@mkdir -p $(@D)
	@{ echo "static const char $(notdir $*)_inc[] ="; sed -e 's:[\\"]:\\&:g' -e 's:.*:    "&\\n":' $<; echo "    ;"; } >$@

# The memories that need no file, and those that unit tests name (tests/unit/memories.h), as rows of a table: each with its line of numbers.
$(B)/gen/dram/memories.inc: NAMES = basename -s .yml csrc/dram/*.yml
$(B)/gen/tests/unit/memories.inc: NAMES = grep -ohE "\"($$(basename -s .yml csrc/dram/*.yml | paste -sd '|'))(,[^\"]*)?\"" $(MEMORY_TESTS) | tr -d '"' | sort -u
$(B)/gen/tests/unit/memories.inc: $(MEMORY_TESTS)
$(MEMORIES): python/nvcosim/dram.py $(wildcard csrc/dram/*.yml)
	@mkdir -p $(@D)
	@$(NAMES) >$@.names
	@PYTHONPATH=python xargs -d '\n' -a $@.names /usr/bin/python3 -B -m nvcosim.dram | paste -d '|' $@.names - | sed 's/\(.*\)|\(.*\)/{"\1", "\2"},/' >$@

# The laws of nvcosim estimate, likewise: laws_csv.
$(LAWS): csrc/estimate/laws.csv
	@mkdir -p $(@D)
	@{ echo "static const char laws_csv[] ="; sed -e 's:.*:    "&\\n":' $<; echo "    ;"; } >$@

# The same sources with several compilers: $(1) folder of the flavour, $(2) compiler, $(3) its flags, $(4) sources of the library. Objects go to
# $(1)/obj, the library to $(1)/libnvcosim.a, unit tests to $(1)/tests; every object is built again when a header that it includes changes.
define flavour
$(1)/obj/%.o: %.c $(GENERATED) | $(EMBEDDED)
	@mkdir -p $$(@D)
	$$(Q)$$(CCACHE) $(2) $$(CPPFLAGS) $(3) $$(if $$(filter tb/%,$$<),$$(VPI_INCLUDE)) -MMD -MP -c $$< -o $$@
$(1)/obj/nvdla_tables.o: $(B)/gen/nvdla_tables.c
	@mkdir -p $$(@D)
	$$(Q)$$(CCACHE) $(2) $$(CPPFLAGS) $(3) -MMD -MP -c $$< -o $$@
$(1)/libnvcosim.a: $(4:%.c=$(1)/obj/%.o) $(1)/obj/nvdla_tables.o
	@rm -f $$@
	$$(Q)ar rcs $$@ $$^
# Newer versions of cmocka have newer names besides those of Debian 12.
$(1)/obj/tests/unit/test_%.o: CPPFLAGS += -DUNIT_TEST_FILE='"$$(notdir $$*)"' -DCMOCKA_DISABLE_DEPRECATION_WARNINGS
$(1)/tests/units: $(1)/obj/tests/unit/main.o $(UNIT_TESTS:%=$(1)/obj/tests/unit/%.o) $(NAIVE:%.c=$(1)/obj/%.o) $(TB_PURE_SRC:%.c=$(1)/obj/%.o) $(1)/libnvcosim.a
	@mkdir -p $$(@D)
	$$(Q)$(2) $(3) -o $$@ $$^ -lcmocka $$(LDLIBS)
$(UNIT_TESTS:%=$(1)/tests/%): $(1)/tests/units
	@ln -f $$< $$@
-include $$(wildcard $(1)/obj/*.d $(1)/obj/*/*.d $(1)/obj/*/*/*.d $(1)/obj/*/*/*/*.d)
endef
$(eval $(call flavour,$(B),$(CC),$$(CFLAGS),$(LIB_SRC)))

$(B)/gen/version_number.h: VERSION
	@mkdir -p $(@D)
	@echo "#define NVCOSIM_VERSION \"$$(cat VERSION)\"" >$@
$(foreach f,obj asan/obj,$(B)/$(f)/csrc/run/simulators/version.o): $(B)/gen/version_number.h

# Unit tests run for seconds.
$(B)/obj/tests/unit/%.o: CFLAGS += -O1

# What runs once for a command or a result is not worth the optimiser's time.
$(foreach f,cli compare coverage device estimate export gen import live loadable quantised report run split triage,$(B)/obj/csrc/$(f)/%.o): CFLAGS += -O1

# The kernels of the model are worth it. They pass vectors to functions that are inlined, so how they are passed does not matter;
# floating-point traps are not used, and without them more loops become vector code.
$(B)/obj/csrc/model/%.o $(B)/obj/csrc/nvdla/lut.o: CFLAGS += -O3 -Wno-psabi -fno-trapping-math
$(B)/obj/csrc/trace/hex.o $(B)/obj/csrc/observe/recorder.o: CFLAGS += -O3
$(B)/obj/csrc/loadable/%.o: CFLAGS += -ffp-contract=off # the same numbers with every compiler and processor
$(B)/obj/csrc/replay/copies.o: CFLAGS += -fno-plt # else each copy looks the few functions up that it calls

$(B)/nvcosim: $(B)/obj/csrc/cli/main.o $(B)/libnvcosim.a
	$(Q)$(CC) -o $@ $^ $(LDLIBS)

# ---- libnvcosim: for C programs of others (csrc/client/nvcosim.h) --------------------------------------------------------------
LIBRARY := $(B)/library
LIBRARY_SO := libnvcosim.so.0
## make library       build/library: libnvcosim.so and .a, nvcosim.h and nvcosim.pc: a device for C programs (docs/live.md)
library: $(B)/nvcosim $(addprefix $(LIBRARY)/,$(LIBRARY_SO) libnvcosim.so libnvcosim.a nvcosim.h nvcosim.pc)
$(LIBRARY)/$(LIBRARY_SO): $(B)/obj/csrc/client/nvcosim.o csrc/client/nvcosim.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(LIBRARY_SO) -Wl,--version-script=csrc/client/nvcosim.map -Wl,-z,defs -o $@ $< -ldl
$(LIBRARY)/libnvcosim.so: $(LIBRARY)/$(LIBRARY_SO)
	@ln -sf $(LIBRARY_SO) $@
$(LIBRARY)/libnvcosim.a: $(B)/obj/csrc/client/nvcosim.o
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rcs $@ $^
$(LIBRARY)/nvcosim.h: csrc/client/nvcosim.h
	@mkdir -p $(@D) && cp $< $@
$(LIBRARY)/nvcosim.pc: csrc/client/nvcosim.pc.in VERSION
	@mkdir -p $(@D)
	@sed -e 's:@prefix@:$${pcfiledir}:; s:@libdir@:$${prefix}:; s:@includedir@:$${prefix}:' -e "s/@version@/$$(cat VERSION)/" $< >$@

# ---- simulators -------------------------------------------------------------------------------------------------------------
# One executable per configuration, RTL (NAME; empty: the RTL in rtl/) and variant. Verilator itself skips unchanged inputs.

# Chosen on the command line or in the environment, where names of files are not read as make's language or the shell's; read by
# scripts/build_simulator.sh:
export FILELIST TOP VERILATOR_OPTIONS PINS TAPS OPT PROFILE TRAINING SIM_THREADS

## make simulator     CONFIG=small [VARIANT=waves|taps|coverage|toggle|checks] [NAME=mine FILELIST=mine.f TOP=NV_nvdla VERILATOR_OPTIONS=... PINS="a=1 b=2" TAPS=taps.csv]: one simulator
##                    [CXX=g++ OPT=-O2 SIM_THREADS=2] compiler, optimisation, threads; stay until others are given, auto: the best; [PROFILE=1 TRAINING="TRACE..."] with a profile
simulator: $(B)/nvcosim-$(CONFIG)$(if $(NAME),-$(NAME))$(if $(VARIANT),-$(VARIANT))

# What all simulators are made with.
simulator-base: $(B)/gen/$(CONFIG)/nvdla_pkg.sv $(B)/gen/waits.svh $(TB_OBJ) $(B)/libnvcosim.a $(if $(filter 1 auto,$(PROFILE)),$(B)/nvcosim)

$(B)/gen/%/nvdla_pkg.sv: $(TABLES) rtl/unused_fields.csv scripts/gen_tables.py scripts/tables.py
	@/usr/bin/python3 scripts/gen_tables.py sv $(@D) $*

# $(1) configuration, $(2) name, $(3) variant
define simulator_rule
$(B)/nvcosim-$(1)$(if $(2),-$(2))$(if $(3),-$(3)): simulator-base $(B)/gen/$(1)/nvdla_pkg.sv FORCE
	@scripts/build_simulator.sh $(B) $(1) "$(2)" "$(3)" $(if $(2),"$$$$FILELIST" "$$$$TOP" "$$$$VERILATOR_OPTIONS" "$$$$PINS" "$$$$TAPS")
endef
$(foreach c,$(CONFIGS),$(eval $(call simulator_rule,$(c),,)) $(foreach v,$(VARIANTS),$(eval $(call simulator_rule,$(c),,$(v)))))
ifeq ($(filter $(CONFIG),$(CONFIGS)),)
$(B)/gen/$(CONFIG)/nvdla_pkg.sv: $(B)/nvcosim
$(eval $(call simulator_rule,$(CONFIG),,)) $(foreach v,$(VARIANTS),$(eval $(call simulator_rule,$(CONFIG),,$(v))))
endif
ifneq ($(NAME),)
$(eval $(call simulator_rule,$(CONFIG),$(NAME),)) $(foreach v,$(VARIANTS),$(eval $(call simulator_rule,$(CONFIG),$(NAME),$(v))))
endif

# ---- Icarus: the same C objects and RTL, four-state --------------------------------------------------------------------------
$(B)/nvcosim_icarus.vpi: $(B)/obj/tb/icarus.o $(TB_OBJ) $(B)/libnvcosim.a
	$(Q)$(CC) -shared -o $@ $^ $(LDLIBS)

$(B)/icarus-%.vvp: $(B)/gen/%/nvdla_pkg.sv $(RTL_SRC) rtl/nvdla.f scripts/icarus_start.awk
	@echo "compiling the $* RTL with Icarus"
	@scripts/iverilog.sh $* -o $@.new -DTB_ICARUS
	@awk -f scripts/icarus_start.awk $@.new >$@ && rm $@.new

## make icarus-smoke  [CONFIG=full] a trace of every engine under Icarus, four-state
icarus-smoke: $(B)/nvcosim_icarus.vpi $(B)/icarus-$(CONFIG).vvp
	@tests/replay/icarus_smoke.sh $(B) $(CONFIG)

# ---- tests --------------------------------------------------------------------------------------------------------------------
unit-tests: $(UNIT_TESTS:%=$(B)/tests/%)

$(B)/tests/naive: $(B)/obj/tests/naive/naive_main.o $(NAIVE:%.c=$(B)/obj/%.o) $(B)/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(LDLIBS)

# The model behind a pipe, for drivers that tests write.
$(B)/tests/import_device: $(B)/obj/tests/import/device.o $(B)/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(LDLIBS)

# Exported traces, against what they were made from.
$(B)/tests/same_program: $(B)/obj/tests/export/same.o $(B)/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(LDLIBS)

# Exported C programs, against the model.
$(B)/tests/export_device: $(B)/obj/tests/export/device.o $(B)/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)$(CC) -rdynamic -o $@ $^ $(LDLIBS) -ldl

# Damaged loadables, under the sanitizers.
$(B)/asan/tests/damage: $(B)/asan/obj/tests/loadable/damage.o $(B)/asan/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)clang $(ASAN_FLAGS) -o $@ $^ $(LDLIBS)

# What is written about a night, of any database.
$(B)/tests/outputs: tests/regress/outputs_of_night.py
	@mkdir -p $(@D)
	@ln -sf $(CURDIR)/$< $@
# Where it finds python/.
$(B)/reference: $(B)/obj/tests/quantised/reference.o $(B)/libnvcosim.a
	$(Q)$(CC) -o $@ $^ $(LDLIBS)

# The same tests and library, without rooms that neither unit tests nor fuzzers call, under clang with both sanitizers. The fuzzers share the
# objects, so those of their rooms count what runs. The optimiser is slower than what it saves, but for the files in which tests spend their time.
ASAN_SRC := $(filter-out csrc/cli/% csrc/client/% csrc/run/estimate/% csrc/run/list/% csrc/run/shrink/%,$(LIB_SRC))
$(foreach f,export import layers live loadable memory model nvdla quantised trace,$(B)/asan/obj/csrc/$(f)/%.o): SANITIZERS := address,undefined,fuzzer-no-link
SANITIZERS := address,undefined
ASAN_OPTIMIZE := -O0
$(foreach f,csrc/dram/ csrc/gen/ csrc/layers/ csrc/memory/ csrc/model/ csrc/nvdla/ csrc/observe/ csrc/trace/ tests/unit/test_c tests/unit/test_dra,$(B)/asan/obj/$(f)%.o): ASAN_OPTIMIZE := -O1
# Integer constants are enumerators here; newer clangs warn where one meets a floating-point number or another enumeration.
ENUM_NUMBERS := -Wno-enum-float-conversion -Wno-enum-enum-conversion
# An access by a null pointer or past an object is the address sanitizer's: the checks of these before each access are a fifth of the code.
NOT_SANITIZED := -fno-sanitize=null,object-size,pointer-overflow
ASAN_FLAGS = -std=c17 $(ASAN_OPTIMIZE) -g1 -ffile-prefix-map=$(CURDIR)=. -fsanitize=$(SANITIZERS) $(NOT_SANITIZED) -fno-sanitize-recover=all -fno-omit-frame-pointer $(CWARN) -Wno-psabi $(ENUM_NUMBERS)
$(eval $(call flavour,$(B)/asan,clang,$$(ASAN_FLAGS) $$(SANITIZE_EXTRA),$(ASAN_SRC)))
asan-tests: $(UNIT_TESTS:%=$(B)/asan/tests/%)

-include tests/rtl/bench.mk # an installed tree has no tests

# ---- fuzzing ------------------------------------------------------------------------------------------------------------------
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
$(FUZZERS): $(B)/fuzz/%: $(B)/asan/obj/tests/fuzz/%.o $(B)/asan/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)clang $(ASAN_FLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

FUZZ_RUNS ?= 20000
## make fuzz          libFuzzer over the readers of traces, networks and pictures and the model's registers (FUZZ_RUNS=20000 inputs each, registers a fifth)
fuzz: $(FUZZERS)
	@tests/fuzz/run.sh $(B)/fuzz $(FUZZ_RUNS)

# ---- the rest -----------------------------------------------------------------------------------------------------------------
LINT ?= all
## make lint          [LINT=quick|sources|fast|rtl] Verilator -Wall and Icarus over every configuration, cppcheck and clang-format over the C and C++; NIGHTLY=1: clang-tidy
lint: $(CONFIGS:%=$(B)/gen/%/nvdla_pkg.sv) $(GENERATED) $(EMBEDDED)
	@scripts/lint.sh $(LINT) $(CONFIGS)
## make strict        [CONFIG="small large"] the RTL read by a strict SystemVerilog front end, slang in a pinned Yosys that npm installs (250 MB, once)
strict:
	@scripts/strict.sh $(B) $(CONFIG)

## make rtl           [CONFIG=small,macs=16x16] OUT=DIR: the RTL of one configuration, with only the files that it uses and their list
rtl: $(B)/gen/$(CONFIG)/nvdla_pkg.sv
	@scripts/rtl_files.py $(B) $(CONFIG) "$(OUT)"

## make synth         [CONFIG=small] [TOP="nvdla_cmac nvdla_cacc"] [TARGETS=xilinx7] [WRITE=1] [BARS=1] a table of engines mapped by the pinned Yosys: LUTs, flip-flops, RAMs, DSPs, longest path; WRITE=1: into rtl/README.md; BARS=1: memories and multiplications alone, faster
synth:
	@TARGETS="$(TARGETS)" WRITE=$(WRITE) scripts/synth.sh $(B) $(CONFIG) $(TOP)

BENCH_ROUNDS ?= 7
BENCH_TRACES ?=
RTLMETER ?=
## make bench         simulation speed and where the time goes, side by side in one run (BENCH_ROUNDS=7 runs of each figure; compilers from 3 on)
##                    [RTLMETER=CHECKOUT] and on the traces of RTLMeter's NVDLA
bench: $(if $(RTLMETER),rtlmeter-tests) build $(B)/nvcosim-full
	@tests/bench/run.sh $(B) $(BENCH_ROUNDS) "$(RTLMETER)" "$(BENCH_TRACES)"
rtlmeter-tests:
	@tests/bench/rtlmeter.py --find $(RTLMETER)
$(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c)): $(B)/bench/%: $(B)/obj/tests/bench/%.o $(B)/libnvcosim.a
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS)

COVERAGE_LAYERS ?= 100
COVERAGE_MINIMUM ?= 0
export COVERAGE_EVERY ?= 1
## make coverage      [CONFIG="small large"] line coverage of rtl/ over all traces and COVERAGE_LAYERS=100 random ones, and what no trace exercises;
##                    less than COVERAGE_MINIMUM=0 per cent of the lines is an error; COVERAGE_EVERY=10: every tenth trace
coverage: build
	@scripts/coverage.sh $(B) "$(CONFIG)" $(COVERAGE_LAYERS) $(COVERAGE_MINIMUM)

## make nightly       every trace with every memory behaviour, long fuzzing, all configurations
nightly: setup
	@tests/run.py $(B) nightly

PREFIX ?= /usr/local
DESTDIR ?=
## make install       [PREFIX=/usr/local] [DESTDIR=]: nvcosim, its simulators and their sources, man pages, completion
install: build library man
	@scripts/install.sh $(B) "$(PREFIX)" "$(DESTDIR)"

## make uninstall     [PREFIX=/usr/local] [DESTDIR=]: removes what make install put there
uninstall:
	@scripts/install.sh --uninstall "$(PREFIX)" "$(DESTDIR)"

SW ?=
## make guest         [SW=CHECKOUT [CONFIG=full]] build/guest: Linux for arm64, for `nvcosim linux` (docs/live.md); SW: NVIDIA's driver and runtime in it
guest: $(B)/nvcosim
	@scripts/linux/guest.sh $(B) $(if $(SW),"$(SW)")

## make dist          build/dist: the source archive
dist:
	@scripts/package.sh dist $(B)

## make deb           build/deb: Debian packages of it
deb:
	@scripts/setup.sh deb
	@scripts/package.sh deb $(B)

## make man           build/man: man pages, made from --help
man: $(B)/nvcosim
	@scripts/man.sh $(B)

## make clean         remove build/
clean:
	rm -rf $(B)
