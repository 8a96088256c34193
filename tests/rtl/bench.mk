# Benches of single engines: every folder of tests/rtl with a bench.cpp, in every configuration that BENCHES names. `make benches` builds
# them, with NIGHTLY=1 all of them, `make bench-ENGINE-CONFIG` one; the executable is build/benches/ENGINE-CONFIG/bench (run it with --help).
#
# The design under test is the module of tests/rtl/ENGINE/ENGINE_bench.sv if there is one, else nvdla_ENGINE. Verilator decides by itself
# what it has to translate again; C++ is compiled again when a header changes. The
# checks inside the RTL are compiled in; one that fails fails the case that is being played. Every night the multipliers of full are the
# hardware, and their fast form is compared with it; by day the bench fp does that with one cell.

# engine:configuration. By day each engine once, in the smallest configuration that has all of it but FP16, whose parts have benches of their
# own; every night the biggest one too, and large_compressed: compressed weights of INT8 alone.
DAILY_BENCHES := $(foreach e,sdp pdp cdp conv bus mcif,$e:small) $(foreach e,fp lut bdma rubik,$e:full)
NIGHTLY_BENCHES := $(foreach c,full large,$(foreach e,sdp pdp cdp,$e:$c)) conv:full conv:large conv:large_compressed mcif:small_256_full mcif:full
BENCHES := $(DAILY_BENCHES) $(NIGHTLY_BENCHES)
BENCH_TOP_bus := rtl/NV_nvdla.sv

.PHONY: benches list-benches
TESTED_BENCHES := $(subst :,-,$(DAILY_BENCHES) $(if $(NIGHTLY),$(NIGHTLY_BENCHES)))
benches: $(TESTED_BENCHES:%=bench-%)
list-benches:
	@echo $(TESTED_BENCHES)

# Macros and packages, then the folders in which modules are looked for.
BENCH_RTL := +incdir+rtl/common rtl/common/nvdla_check.svh $(shell sed -n 's:^\([a-z].*_pkg\.sv\)$$:rtl/\1:p' rtl/nvdla.f) $(addprefix -y ,$(sort $(patsubst %/,%,$(dir $(filter rtl/%,$(RTL_SRC))))))
bench_top = $(or $(wildcard tests/rtl/$(1)/$(1)_bench.sv),$(BENCH_TOP_$(1)),rtl/$(1)/nvdla_$(1).sv)

# $(1) engine, $(2) configuration, $(3) folder of the results
define bench_rule
.PHONY: bench-$(1)-$(2)
bench-$(1)-$(2): $(B)/gen/$(2)/nvdla_pkg.sv $(B)/libnvcosim.a
	@mkdir -p $(3)
	@verilator --cc -f scripts/verilator.f -Wall -Wno-UNUSEDPARAM --assert +define+NVDLA_CHECKS$(if $(NIGHTLY),+NVDLA_BOTH_FORMS) --prefix Vbench --Mdir $(3) \
	    --top-module $(basename $(notdir $(call bench_top,$(1)))) -f $(B)/gen/$(2)/config.f $(B)/gen/$(2)/nvdla_pkg.sv $(BENCH_RTL) $(call bench_top,$(1))
	@$$(MAKE) -s --no-print-directory -C $(3) -f $(CURDIR)/tests/rtl/bench_link.mk ROOT=$(CURDIR) BUILD=$(abspath $(B)) \
	    ENGINE=$(1) BENCH_CONFIG=$(2) BENCH_WARNINGS="$(CWARN)" >$(3)/make.log 2>&1 || { cat $(3)/make.log >&2; exit 1; }
endef
$(foreach b,$(BENCHES),$(eval $(call bench_rule,$(word 1,$(subst :, ,$b)),$(word 2,$(subst :, ,$b)),$(B)/benches/$(subst :,-,$b))))
