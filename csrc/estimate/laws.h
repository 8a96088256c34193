/* What the estimate of clocks takes from an RTL: clocks that its engines need beyond what their widths, depths and
 * orders say. scripts/fit.py finds them with random layers that were played on the RTL. */
#pragma once

#include "nvdla/error.h"

enum estimate_law {
    LAW_READ,        /* a read: from the engine's request to the first atom, beyond the latency of the memory */
    LAW_READ_HOLD,   /* a place in a latency buffer: beyond latency and the time until its beat is taken */
    LAW_WRITE,       /* the last write of a layer: from its answer to the interrupt */
    LAW_ARM,         /* from the write that arms a group to the engine */
    LAW_CDMA_BEGIN,  /* CDMA: from arming to the first request */
    LAW_CDMA_BANKS,  /* CDMA and CSC: agreement on changed banks */
    LAW_CDMA_REPORT, /* CDMA: from the last atom of a line or kernel group to CSC's account */
    LAW_CDMA_IMAGE,  /* CDMA: the same for an image, beyond it */
    LAW_CDMA_LINE,   /* CDMA: between the lines of an image */
    LAW_CSC_FILL,    /* CSC: from complete data and weights to the first atom, beyond the loading of weights */
    LAW_CSC_ATOM,    /* CSC: an operation, beyond its atoms */
    LAW_CSC_END,     /* CSC: from a layer's last atom to the next layer's begin */
    LAW_CACC_ROW,    /* CACC: from an atom to its row of results at SDP */
    LAW_CACC_CREDIT, /* CACC: from a row that SDP has taken to the atom that may follow */
    LAW_SDP_BEGIN,   /* SDP: from the end of a layer, or arming, to the first atom */
    LAW_SDP_PIPE,    /* SDP: from input to output, beyond the stages */
    LAW_SDP_STAGE,   /* SDP: BS or BN; EW: two or, with the table, three of them */
    LAW_SDP_OPERAND, /* SDP: an operand, beyond its read */
    LAW_SDP_READ,    /* SDP_RDMA: from arming to the first request */
    LAW_PDP_BEGIN,   /* PDP: from arming to the first atom */
    LAW_PDP_PIPE,    /* PDP: from the last atom of a window to its output */
    LAW_PDP_SURFACE, /* PDP: between two surfaces */
    LAW_CDP_BEGIN,   /* CDP: from arming to the first atom */
    LAW_CDP_PIPE,    /* CDP: from an atom to its output */
    LAW_MOVE_BEGIN,  /* BDMA, RUBIK: from arming to the first request */
    LAW_MOVE_LINE,   /* BDMA, RUBIK: a line, beyond its atoms */
    ESTIMATE_LAWS
};

struct estimate_laws {
    double clocks[ESTIMATE_LAWS];
};

/* The laws of this project's RTL, or those of a file in the form of csrc/estimate/laws.csv: a line `law,clocks,meaning`
 * for each. False with a message. */
bool estimate_laws_read(const char *path, struct estimate_laws *laws, struct error *err);
