/* The order in which a network's file has the elements of a tensor that lies in memory as a cube of height, width and
 * channels. As text: the sides from the outermost on, each a letter of n, h, w and c and its size, as in n1c5h3w4. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { ELEMENT_SIDES = 4, ELEMENT_ORDER_TEXT = 48 };

struct element_order {
    unsigned rank; /* 0: not known */
    struct element_side {
        char letter;
        unsigned size;
    } sides[ELEMENT_SIDES];
};

size_t element_count(const struct element_order *order);
/* Number of the file's element i in the order height, width, channels. */
size_t element_place(const struct element_order *order, size_t i);
/* Returns text. */
const char *element_order_text(const struct element_order *order, char text[ELEMENT_ORDER_TEXT]);
/* False if the text is none. */
bool element_order_parse(const char *text, struct element_order *order);
