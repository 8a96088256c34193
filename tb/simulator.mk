# Runs inside a Verilated directory (scripts/build_simulator.sh): compiles Verilator's C++ and links it with the testbench
# and the co-simulation library. ROOT, BUILD, EXE and DEFINES come from the caller.
default: $(EXE)

include Vtb_top.mk
include $(ROOT)/tb/verilated.mk

TB_OBJS := $(patsubst %,$(BUILD)/obj/tb/%.o,$(filter-out icarus,$(basename $(notdir $(wildcard $(ROOT)/tb/*.c)))))
main_verilator.o: $(ROOT)/tb/main_verilator.cpp Vtb_top.mk
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) -O2 $(DEFINES) -I$(ROOT)/csrc -I$(ROOT) -c -o $@ $<
$(EXE): main_verilator.o $(VK_GLOBAL_OBJS) Vtb_top__ALL.a $(TB_OBJS) $(BUILD)/libnvcosim.a
	$(LINK) -o $@ main_verilator.o $(TB_OBJS) $(VK_GLOBAL_OBJS) Vtb_top__ALL.a $(BUILD)/libnvcosim.a -ljansson -lz -lm -latomic -lpthread
