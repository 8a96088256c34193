/* A vfio-user server for one device (nvcosim serve): clients one after the other, and time in between. */
#pragma once

#include <stdio.h>

#include "live/live_device.h"

struct server_options {
    const char *path; /* of the socket; NULL: `connected` is used */
    int connected;    /* a connected socket, whose client owns the clock (control.h) */
    bool once;        /* end after the first client */
    bool quiet;       /* print no summaries */
};

/* Serves until SIGINT or SIGTERM, or the last client has gone. Prints a summary of each session to stdout. Removes the
 * socket at its end. Returns false with a message if it cannot begin, or the device failed. *found: a session had
 * findings. */
bool server_run(const struct server_options *options, struct live_device *live, bool *found, struct error *err);
