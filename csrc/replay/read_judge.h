/* The reads of a device, compared atom by atom with those of the model's launches (replay/journal.h): address, number
 * and, where the specification defines it, order.
 *
 * The n-th atom that a client reads on a port belongs to the launch whose share contains it. Wrong are: an atom after
 * the client's launches have read everything (tb/provenance.h), one that its launch does not read, a second read of one
 * that its launch reads once, and one out of turn. After its first wrong atom a client is not judged further; the
 * device continues.
 *
 * A beat that is wider than an atom may have atoms that no one asked for. Such a port is judged by the requests inside
 * the design, if they are visible (tb/observers/rtl_tap.h); else a beat of which no launch reads anything is wrong, and
 * at the end an atom that no beat has brought is missed. */
#pragma once

#include "device/beat.h"
#include "memory/ranges.h"
#include "nvdla/clients.h"
#include "replay/journal.h"

enum wrong_read_kind {
    READ_RIGHT,
    READ_NOBODY,    /* no launch has anything left to read */
    READ_ELSEWHERE, /* its launch reads nothing there */
    READ_AGAIN,     /* its launch has read it and reads it only once */
    READ_OTHER,     /* its launch reads another one in its place; always awaited */
    READ_SKIPPED,   /* the next launch reads it, and its own has never read `expected`; always awaited */
    READ_MISSING,   /* none: its launch has ended, and has never read `expected`; always awaited */
};

struct wrong_read {
    enum wrong_read_kind kind;
    struct axi_beat beat; /* its data is NULL, its owner the launch that it is assigned to */
    bool awaited;         /* the next member is known */
    uint64_t expected;    /* the atom that its launch reads in its place, or has never read */
};

struct read_judge {
    const struct nvdla_config *config;
    const struct journal *journal;
    bool complete;           /* the journal has all launches of the program */
    bool requests;           /* single atoms are judged, not beats of wide ports */
    bool late;               /* a write was wrong: what is read now is noted, not judged */
    struct wrong_read first; /* of all clients; kind READ_RIGHT: none yet */
    struct client_reads {
        char name[32];           /* "addresses of SDP_B" */
        uint64_t compared;       /* atoms, or beats of wide ports, that are right */
        uint64_t cycle;          /* of the last of them */
        bool lost;               /* what is missing is not known: something unexpected came late */
        struct wrong_read wrong; /* kind READ_RIGHT: none yet */
        struct read_share {
            size_t next;              /* place of journal_next_read */
            int ordinal;              /* of the current launch */
            uint64_t left;            /* bytes that it still has to read */
            struct journal_walk walk; /* to the next of them in order */
            uint8_t *seen;            /* a bit for each atom that it has read */
            struct ranges brought;    /* by beats of wide ports */
        } shares[SPACE_COUNT];
    } clients[NVDLA_CLIENT_COUNT];
};

/* Starts to judge, for a journal that is filled before the first read. */
void read_judge_open(struct read_judge *judge, const struct nvdla_config *config, const struct journal *journal);

/* Judges a beat with read data, or an atom that a client requests. */
void read_judge_take(struct read_judge *judge, const struct axi_beat *beat);

/* True if a launch has ended in the device. */
typedef bool (*read_judge_ended)(void *context, enum nvdla_unit unit, int ordinal);

/* Judges what never came, when the device has been played; all: to the end of the program. */
void read_judge_end(struct read_judge *judge, bool all, read_judge_ended ended, void *context);

/* Frees its notes. */
void read_judge_close(struct read_judge *judge);
