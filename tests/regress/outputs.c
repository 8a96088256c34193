/* Writes what is written about a night, from any database: for tests of the outputs, which need nights that no run
 * makes.
 *
 * usage: outputs DATABASE NIGHT FOLDER     leaves FOLDER/index.html, FOLDER/junit.xml, FOLDER/summary.txt */
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "regress/pages/junit.h"
#include "regress/pages/page.h"
#include "regress/pages/summary.h"
#include "regress/store/store.h"

int main(int argc, char **argv) {
    struct error err = {.text = ""};
    if (argc != 4) {
        fprintf(stderr, "usage: outputs DATABASE NIGHT FOLDER\n");
        return 2;
    }
    struct store *store = store_open_read_only(argv[1], &err);
    if (!store) {
        fprintf(stderr, "outputs: %s\n", err.text);
        return 2;
    }
    const int64_t night = atoll(argv[2]);
    char *page = xprintf("%s/index.html", argv[3]), *junit = xprintf("%s/junit.xml", argv[3]),
         *summary = xprintf("%s/summary.txt", argv[3]);
    struct review *review = review_read(store_database(store), night, &err);
    char *text = review ? summary_text(review, page) : NULL;
    FILE *out = text ? fopen(summary, "w") : NULL;
    const bool fine = out && fputs(text, out) >= 0 && fclose(out) == 0 && junit_write(review, junit, &err) &&
                      page_write(review, page, &err);
    if (!fine)
        fprintf(stderr, "outputs: %s\n", err.text);
    review_free(review);
    free(text);
    free(page);
    free(junit);
    free(summary);
    store_close(store);
    return fine ? 0 : 1;
}
