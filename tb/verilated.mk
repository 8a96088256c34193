# Compiler and options for all code that Verilator generates: simulators (simulator.mk) and benches (tests/rtl/bench_link.mk). To be
# included after Verilator's own makefile, which sets these too. From the environment: COMPILER or, if empty, DEFAULT_COMPILER
# (Makefile), and CCACHE.
override CXX := $(CCACHE) $(or $(COMPILER),$(DEFAULT_COMPILER))
LINK := $(or $(COMPILER),$(DEFAULT_COMPILER))
# What runs once: constructors, initial blocks, the names of what is recorded.
OPT_SLOW := -O0
# Verilator's own library is the same for all designs: what one has compiled, ccache has for the others.
OPT_GLOBAL := -O3
CPPFLAGS += -MP # a removed header must not stop the next build
CPPFLAGS += -Wno-parentheses-equality # Verilator's style
# tb_top has vectors of thousands of bits (taps, waits): the most words that VPI returns at once.
CPPFLAGS += -DVL_VALUE_STRING_MAX_WORDS=1024
CPPFLAGS += $(EXTRA_CXXFLAGS)
# A precompiled header, where Verilator has one, has to be included first: the file is in that one. clang++'s has the folder's path in it, so
# it does not come from ccache, which other checkouts fill too; what is compiled with it is known again only without the times of files in it.
FAST_HEADER := -include $(ROOT)/tb/verilated_fast.h
ifdef VK_PCH_H
$(VK_PCH_H).fast.gch $(VK_PCH_H).slow.gch $(UNITS) $(VM_PREFIX)__ALL.o: CPPFLAGS += $(FAST_HEADER)
CPPFLAGS += $(if $(findstring clang,$(LINK)),-Xclang -fno-pch-timestamp)
$(VK_PCH_H).fast.gch $(VK_PCH_H).slow.gch: private override CXX := $(LINK)
else
CPPFLAGS += $(FAST_HEADER)
endif
