# Compilers and options of everything that Verilator writes: simulators (simulator.mk) and benches (tests/rtl/bench_link.mk). To be
# included after Verilator's own makefile, which sets these too. clang, measured faster than gcc on this code; ccache from the
# environment.
CXX := $(CCACHE) clang++
LINK := clang++
OPT_FAST := -O3
OPT_SLOW := -O1
OPT_GLOBAL := -O3
CPPFLAGS += -MP # a header that moves away must not stop the next build
# tb_top shows vectors of thousands of bits (taps, waits): the most words that VPI hands out at once.
CPPFLAGS += -DVL_VALUE_STRING_MAX_WORDS=1024
