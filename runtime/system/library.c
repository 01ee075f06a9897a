/* library.c - libraries that are loaded by their names when they are first needed. */
#include "rt_internal.h"

#include <dlfcn.h>
#include <stdio.h>

#define BUNDLED "lambent-libraries"   /* lang/bundle/libraries.py copies them there */

/* The library in a bundle, beside the program; NULL if there is none. */
static void *open_bundled(const char *name) {
    char path[FILENAME_MAX];
    if (!rt_find_program_folder(path, sizeof path)) return NULL;
    size_t length = strlen(path);
    int size = snprintf(path + length, sizeof path - length, "/" BUNDLED "/%s", name);
    bool fits = size > 0 && (size_t)size < sizeof path - length;
    return fits ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

void *rt_open_library(const char *name) {
    void *library = open_bundled(name);
    return library != NULL ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
