# Compiler and options for all code that Verilator generates: simulators (simulator.mk) and benches (tests/rtl/bench_link.mk). To be
# included after Verilator's own makefile, which sets these too. From the environment: COMPILER or, if empty, DEFAULT_COMPILER
# (Makefile), and CCACHE.
override CXX := $(CCACHE) $(or $(COMPILER),$(DEFAULT_COMPILER))
LINK := $(or $(COMPILER),$(DEFAULT_COMPILER))
OPT_SLOW := -O1
CPPFLAGS += -MP # a removed header must not stop the next build
# tb_top has vectors of thousands of bits (taps, waits): the most words that VPI returns at once.
CPPFLAGS += -DVL_VALUE_STRING_MAX_WORDS=1024
CPPFLAGS += $(EXTRA_CXXFLAGS)
# Not where Verilator has a precompiled header, which has to be included first: that is a version for which the file does nothing.
ifndef VK_PCH_H
CPPFLAGS += -include $(ROOT)/tb/verilated_fast.h
endif
