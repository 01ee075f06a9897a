/* conversions.h - text in the encodings of the C library, by iconv. */
#ifndef CONVERSIONS_H
#define CONVERSIONS_H

#include "rt_internal.h"

typedef struct rt_converter rt_converter;

/* Between UTF-8 and an encoding of the C library; NULL if it has none of that name. */
rt_converter *rt_new_converter(rt_value name, bool decodes);
void rt_free_converter(rt_converter *converter);   /* or NULL */
const char *rt_converter_name(const rt_converter *converter);

/* Convert bytes, and add the result to a text.  Returns how many were converted: not all of them
 * where they are not text, and, unless at_end, where the last ones are part of a character.  If
 * replaces is true, the replacement character, or `?`, stands for what is not text. */
size_t rt_convert(rt_converter *converter, const char *bytes, size_t size, bool at_end,
                  bool replaces, rt_text *to);

#endif
