/* Orders of elements. See element_order.h. */
#include "nvdla/element_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t element_count(const struct element_order *order) {
    size_t count = 1;
    for (unsigned d = 0; d < order->rank; d++)
        count *= order->sides[d].size;
    return count;
}

size_t element_place(const struct element_order *order, size_t i) {
    size_t place = 0, size = 1;
    for (const char *letter = "cwh"; *letter; letter++) {
        size_t rest = i;
        for (unsigned d = order->rank; d-- > 0; rest /= order->sides[d].size)
            if (order->sides[d].letter == *letter) {
                place += rest % order->sides[d].size * size;
                size *= order->sides[d].size;
                break;
            }
    }
    return place;
}

const char *element_order_text(const struct element_order *order, char text[ELEMENT_ORDER_TEXT]) {
    int n = 0;
    text[0] = '\0';
    for (unsigned d = 0; d < order->rank; d++)
        n += snprintf(text + n, ELEMENT_ORDER_TEXT - (size_t)n, "%c%u", order->sides[d].letter, order->sides[d].size);
    return text;
}

bool element_order_parse(const char *text, struct element_order *order) {
    enum { SIZE_MAX_OF_SIDE = 1 << 24 };
    const char *letters = "nhwc";
    unsigned seen = 0;
    *order = (struct element_order){0};
    while (*text) {
        const char *known = strchr(letters, *text);
        char *end;
        if (!known || order->rank == ELEMENT_SIDES || seen & 1U << (known - letters) || text[1] < '1' || text[1] > '9')
            return false;
        const unsigned long size = strtoul(text + 1, &end, 10);
        if (size > SIZE_MAX_OF_SIDE)
            return false;
        seen |= 1U << (known - letters);
        order->sides[order->rank++] = (struct element_side){*text, (unsigned)size};
        text = end;
    }
    return order->rank > 0;
}
