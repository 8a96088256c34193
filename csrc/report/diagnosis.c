/* Names and life of a diagnosis; see diagnosis.h. */
#include "report/diagnosis.h"

#include <stdlib.h>

const char *const diagnosis_kind_names[] = {
    [DIAGNOSIS_NONE] = "none", [DIAGNOSIS_VALUE] = "value", [DIAGNOSIS_HANG] = "hang", [DIAGNOSIS_CHECK] = "check"};

void diagnosis_free(struct diagnosis *diagnosis) {
    for (size_t i = 0; i < diagnosis->beats.count; i++) {
        struct beat_row *row = &diagnosis->beats.rows[i];
        for (size_t n = 0; n < row->count; n++) {
            free(row->beats[n].value);
            free(row->beats[n].expected);
            free(row->beats[n].place);
        }
        free(row->beats);
    }
    free(diagnosis->beats.rows);
    free(diagnosis->tap);
    free(diagnosis->element);
    free(diagnosis->expected);
    free(diagnosis->got);
    words_free(&diagnosis->evidence);
    free(diagnosis->walk.steps);
    *diagnosis = (struct diagnosis){.kind = DIAGNOSIS_NONE};
}
