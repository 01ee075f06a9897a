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

/* What an executable was linked for. */
typedef struct bridge_site {
    const char *library;     /* the path of liblambent_ctorch.so */
    long long size;          /* of that file, in bytes */
    const char *torch;       /* the folder of the torch package */
    const char *version;     /* that package's: "2.13.0+cpu" */
    const char *interface;
    size_t count;
    bridge_function *slots;  /* count of them: where the stubs jump to */
} bridge_site;

extern const bridge_site bridge_here;

/* Load the library and LibTorch.  If they are not the ones that the program was compiled for,
 * print that on stderr and return false. */
bool bridge_load(void);

#endif
