/* load.h - how an executable finds ctorch's functions (stubs_source.py). */
#ifndef BRIDGE_LOAD_H
#define BRIDGE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*bridge_function)(void);

/* What the library exports, as `ct_exports`. */
typedef struct bridge_exports {
    const char *interface;   /* a check sum of all declarations */
    size_t count;
    const bridge_function *functions;   /* count of them */
} bridge_exports;

extern const bridge_exports ct_exports;

/* A library, and its size in bytes. */
typedef struct bridge_part {
    const char *name;
    long long size;
} bridge_part;

/* What an executable was linked for. */
typedef struct bridge_site {
    const char *folder;      /* of liblambent_ctorch.so; in a bundle, from the program's folder */
    const char *torch;       /* the folder of the torch package; NULL in a bundle */
    const char *version;     /* LibTorch's: "2.13.0+cpu" */
    const bridge_part *parts;   /* the libraries in the folder; the first one is ctorch */
    size_t part_count;
    const char *interface;
    size_t count;
    bridge_function *slots;  /* count of them: where the stubs jump to */
} bridge_site;

extern const bridge_site bridge_here;

/* Load the library and LibTorch: those of the folder that LAMBENT_LIBTORCH names, or those that the
 * program was linked for.  If they do not fit the program, print that on stderr and return
 * false. */
bool bridge_load(void);

#endif
