/* Names and life of a diagnosis; see diagnosis.h. */
#include "report/diagnosis.h"

#include <stdlib.h>

const char *const diagnosis_kind_names[] = {
    [DIAGNOSIS_NONE] = "none", [DIAGNOSIS_VALUE] = "value", [DIAGNOSIS_HANG] = "hang", [DIAGNOSIS_CHECK] = "check"};

void diagnosis_free(struct diagnosis *diagnosis) {
    free(diagnosis->tap);
    free(diagnosis->element);
    free(diagnosis->expected);
    free(diagnosis->got);
    words_free(&diagnosis->evidence);
    free(diagnosis->walk.steps);
    beat_rows_free(&diagnosis->beats);
    *diagnosis = (struct diagnosis){.kind = DIAGNOSIS_NONE};
}
