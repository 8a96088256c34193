# Runs inside a Verilated directory (bench.mk): compiles Verilator's C++ and links it with the bench, what benches share and the
# co-simulation library. ROOT, BUILD, ENGINE, BENCH_CONFIG and BENCH_WARNINGS come from the caller.
default: bench

# All that Verilator writes is one file: each would read the same large headers.
override VM_PARALLEL_BUILDS := 0
include Vbench.mk
include $(ROOT)/tb/verilated.mk
# A bench runs for seconds: it is not worth the time that more takes.
OPT_FAST := -O1

BENCH_SRC := $(wildcard $(ROOT)/tests/rtl/$(ENGINE)/*.cpp $(ROOT)/tests/rtl/common/*.cpp)
BENCH_OBJ := $(patsubst %.cpp,bench_%.o,$(notdir $(BENCH_SRC)))
VPATH += $(dir $(BENCH_SRC))

$(BENCH_OBJ): bench_%.o: %.cpp Vbench.mk
	@echo "  build   $(ENGINE)-$(BENCH_CONFIG)/$@"
	$(CXX) -std=c++17 -O1 $(BENCH_WARNINGS) -MMD -MP -DBENCH_NAME='"$(ENGINE)"' -DBENCH_CONFIG='"$(BENCH_CONFIG)"' -I. -I$(ROOT) -I$(ROOT)/tests/rtl \
	    -I$(ROOT)/csrc -I$(BUILD)/gen -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd -c -o $@ $<

bench: $(BENCH_OBJ) $(VK_GLOBAL_OBJS) Vbench__ALL.a $(BUILD)/libnvcosim.a
	$(LINK) -o $@ $^ -ljansson -llz4 -lz -lm -ldl -latomic -lpthread
-include $(BENCH_OBJ:.o=.d)
