/* Life of the rows; see beat_rows.h. */
#include "report/beat_rows.h"

#include <stdlib.h>

void beat_rows_free(struct beat_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t n = 0; n < rows->rows[i].count; n++) {
            free(rows->rows[i].beats[n].value);
            free(rows->rows[i].beats[n].expected);
            free(rows->rows[i].beats[n].place);
        }
        free(rows->rows[i].beats);
    }
    free(rows->rows);
    *rows = (struct beat_rows){.count = 0};
}
