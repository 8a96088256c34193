/* Findings of the testbench's scoreboards: a part of an RTL that should pass data on unchanged, and did not. They need
 * no model. Plain data. */
#pragma once

#include "nvdla/engines.h"

enum { SCOREBOARD_BYTES = 128 /* bytes of the largest CBUF entry */ };

/* First difference of a scoreboard. */
struct scoreboard_difference {
    const char *port; /* where it was seen: "dat_rd", ...; NULL: no difference */
    uint64_t cycle;   /* clock of the wrong value */
    uint64_t address; /* of CBUF: entry */
    size_t bytes;
    uint8_t expected[SCOREBOARD_BYTES], got[SCOREBOARD_BYTES];
};

/* A scoreboard. `compared` is 0 if it saw nothing. */
struct scoreboard {
    uint64_t compared; /* compared reads */
    struct scoreboard_difference first;
};

/* The first item reported, released or returned between CDMA, CSC and CACC without having been written, reported or
 * taken. */
struct account {
    uint64_t entries; /* accounted for */
    bool differs;     /* one is wrong: the members below count */
    enum nvdla_engine engine;
    uint64_t cycle;
    char expected[64], got[64], text[200]; /* "at most 4 lines", "5 lines"; and the whole sentence */
};

/* Bytes [from, to) as a number, highest first, as waves show it; as many low bytes as fit. Returns text. */
char *scoreboard_number(const uint8_t *bytes, size_t from, size_t to, char *text, size_t size);
