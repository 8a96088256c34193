# Runs inside a Verilated directory (scripts/build_simulator.sh): compiles Verilator's C++ and links it with the testbench
# and the co-simulation library. ROOT, BUILD, EXE, DEFINES and UNITS come from the caller; UNITS are
# the objects of a design too big to be compiled file by file, or nothing.
default: $(EXE)

include Vtb_top.mk
include $(ROOT)/tb/verilated.mk

# Threads that the design was compiled for.
THREADS := $(shell sed -n 's/^unsigned Vtb_top::threads() const { return \([0-9]*\); }/\1/p' Vtb_top.cpp)

DESIGN := $(or $(UNITS),Vtb_top__ALL.a)
ifneq ($(UNITS),)
$(UNITS): OPT_FAST := -O1
endif

TB_OBJS := $(patsubst $(ROOT)/%.c,$(BUILD)/obj/%.o,$(filter-out %/icarus.c,$(wildcard $(ROOT)/tb/*.c $(ROOT)/tb/observers/*.c)))
MAIN_OBJS := main_verilator.o $(if $(filter 1,$(VM_TRACE_FST)),wave_index.o)
$(MAIN_OBJS): %.o: $(ROOT)/tb/%.cpp Vtb_top.mk defines
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) -O2 $(DEFINES) -DCOSIM_THREADS=$(or $(THREADS),1) -I$(ROOT)/csrc -I$(ROOT) -I$(BUILD)/gen -c -o $@ $<
# Calls of libraries are bound when it starts: the copies of a server (csrc/run/serve.h) find that done.
$(EXE): $(MAIN_OBJS) $(VK_GLOBAL_OBJS) $(DESIGN) $(TB_OBJS) $(BUILD)/libnvcosim.a
	$(LINK) -Wl,-z,now -o $@ $(MAIN_OBJS) $(TB_OBJS) $(VK_GLOBAL_OBJS) $(DESIGN) $(BUILD)/libnvcosim.a -ljansson -llz4 -lz -lm -latomic -lpthread
