# Runs inside a Verilated directory (scripts/build_simulator.sh): compiles Verilator's C++ and links it with the testbench
# and the co-simulation library. The caller sets ROOT, BUILD, EXE, DEFINES, COMPILER, OPTIMIZE, PROFILE_OPTIONS (to make or use a
# profile) and UNITS: the objects of a design that is not compiled file by file, or nothing.
simulator: $(EXE) # not `default`: Verilator's makefile gives that goal a library of its own to build

include Vtb_top.mk
include $(ROOT)/tb/verilated.mk
# Most choices of a design are between two known values: a conditional move costs less than a branch that cannot be predicted.
# These options are not clang++'s public ones: taken where it knows them.
CHOOSE := -mllvm -x86-cmov-converter=0 -mllvm -disable-cgp-select2branch
CHOOSE := $(if $(findstring clang,$(LINK)),$(shell $(LINK) $(CHOOSE) -x c++ -c /dev/null -o /dev/null 2>/dev/null && echo '$(CHOOSE)'))
OPT_FAST := $(strip $(OPTIMIZE) $(if $(filter -O0,$(OPTIMIZE)),,$(CHOOSE)) $(PROFILE_OPTIONS))
OPT_GLOBAL += $(PROFILE_OPTIONS)
LINK += $(PROFILE_OPTIONS)

# Threads that the design was compiled for.
THREADS := $(or $(shell sed -n 's/^unsigned Vtb_top::threads() const { return \([0-9]*\); }/\1/p' Vtb_top.cpp),1)

# What Verilator's eval() does besides the evaluation itself is for threads, for waves and for designs with classes; newer versions take a lock
# there, in every clock.
INNER_EVAL := $(if $(filter 1,$(THREADS)),$(shell ! grep -q __Vm_activity Vtb_top.cpp && ! cat Vtb_top_*.h | grep -q VlClass && \
    grep -q '^void Vtb_top___024root___eval(Vtb_top___024root\* vlSelf);' Vtb_top.cpp && echo -DCOSIM_INNER_EVAL))

DESIGN := $(or $(UNITS),Vtb_top__ALL.a)
TB_SRC := $(filter-out %/icarus.c,$(wildcard $(ROOT)/tb/*.c $(ROOT)/tb/observers/*.c))
# Files that run for every clock or beat are also compiled with the profile; the linker prefers them to the library's.
HOT_SRC := $(if $(PROFILE_OPTIONS),$(addprefix $(ROOT)/,tb/rtl_device.c tb/axi_memory.c tb/signals.c tb/vpi_access.c tb/provenance.c \
    tb/observers/axi_monitor.c tb/observers/axi_answers.c tb/observers/meter.c csrc/memory/image.c csrc/memory/regions.c))
HOT_OBJS := $(patsubst %.c,hot_%.o,$(notdir $(HOT_SRC)))
TB_OBJS := $(patsubst $(ROOT)/%.c,$(BUILD)/obj/%.o,$(filter-out $(HOT_SRC),$(TB_SRC))) $(HOT_OBJS)
vpath %.c $(sort $(dir $(HOT_SRC)))
$(HOT_OBJS): hot_%.o: %.c settings
	$(CXX) -x c -std=c17 $(OPTIMIZE) $(PROFILE_OPTIONS) -D_GNU_SOURCE -MMD -MP -I$(ROOT)/csrc -I$(ROOT) -I$(BUILD)/gen \
	    -isystem $(VERILATOR_ROOT)/include/vltstd -c -o $@ $<
-include $(HOT_OBJS:.o=.d)
OPT_MAIN := -O2
MAIN_OBJS := main_verilator.o made.o $(if $(filter 1,$(VM_TRACE_FST)),wave_file.o wave_index.o wave_saif.o)
$(MAIN_OBJS): %.o: $(ROOT)/tb/%.cpp Vtb_top.mk defines
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_MAIN) $(DEFINES) -DCOSIM_THREADS=$(THREADS) $(INNER_EVAL) -I$(ROOT)/csrc -I$(ROOT) -I$(BUILD)/gen -c -o $@ $<
made.o: made.h
made.o: private CPPFLAGS := -I. # nothing of Verilator's

# Where Verilator has no precompiled header of its own: what all files of the design include, compiled once for the fast and once for the slow
# ones. $(1) is fast or slow, $(2) the name of its optimisation, $(3) its objects. ccache knows the header by the checksum of all that it comes
# to, macros too, because the compiler's own form has the folder's path in it.
define common_header
common_$(1).h: Vtb_top.mk
	printf '#include "%s"\n' verilated_dpi.h $(if $(filter 1,$(VM_TRACE_FST)),verilated_fst_c.h) Vtb_top__Syms.h >$$@
common_$(1).h.gch: common_$(1).h settings
	$(LINK) $(filter-out -MMD -MP,$(CXXFLAGS) $(CPPFLAGS)) $$($(2)) -x c++ -E -dD -P $$< | sha256sum >$$@.sum
	$(LINK) $(filter-out -MMD,$(CXXFLAGS) $(CPPFLAGS)) $$($(2)) -MD -MF $$@.d -x c++-header -o $$@ $$<
$(3): common_$(1).h.gch
$(3): private CPPFLAGS := -include common_$(1).h $(CPPFLAGS)
endef
ifndef VK_PCH_H
SLOW := $(VK_SLOW_OBJS) $(filter unit_slow_%,$(UNITS))
ifneq ($(OPT_FAST),$(OPT_SLOW))
$(eval $(call common_header,slow,OPT_SLOW,$(SLOW)))
SLOW :=
endif
$(eval $(call common_header,fast,OPT_FAST,main_verilator.o $(VK_FAST_OBJS) $(filter-out unit_slow_%,$(UNITS)) $(SLOW)))
main_verilator.o: private OPT_MAIN := $(OPT_FAST) # that of the header
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CCACHE_PCH_EXTSUM := 1
endif
# settings: compiler and options. If they change, everything is recompiled.
$(MAIN_OBJS) $(VK_GLOBAL_OBJS) $(VK_OBJS) $(UNITS) $(if $(VK_PCH_H),$(VK_PCH_H).fast.gch $(VK_PCH_H).slow.gch): settings
$(filter unit_slow_%,$(UNITS)): private OPT_FAST := $(OPT_SLOW) $(PROFILE_OPTIONS)
# Library calls are bound at the start, once for all copies of a server (csrc/run/serve/serve.h). A run that starts meanwhile has the
# simulator of before.
$(EXE): $(MAIN_OBJS) $(VK_GLOBAL_OBJS) $(DESIGN) $(TB_OBJS) $(BUILD)/libnvcosim.a
	$(LINK) $(EXTRA_LDFLAGS) -Wl,-z,now -o $(@D)/.$(@F).new $(MAIN_OBJS) $(TB_OBJS) $(VK_GLOBAL_OBJS) $(DESIGN) $(BUILD)/libnvcosim.a -ljansson -llz4 -lz -lm -ldl -latomic -lpthread
	mv -f $(@D)/.$(@F).new $@
