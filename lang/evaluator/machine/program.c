/* program.c - the executable that runs a file of code: `evaluator CODE PROGRAM argument ...`.
 *
 * It is linked with the whole library, and the table of what code may name
 * (lang/evaluator/evaluator_program.py). */
#include "code.h"

#include <stdio.h>

static rt_program program;

/* The variables are known once the code has been read. */
static rt_value run_program(void) {
    program.global_count = rt_loaded.global_count;
    program.globals = rt_loaded.globals;
    return rt_finish(rt_run_main());
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: evaluator CODE PROGRAM argument ...\n");
        return 1;
    }
    rt_read_code_file(argv[1]);
    program.make_literals = rt_load_code;
    program.run = run_program;
    program.tensors = rt_code_tensors ? rt_code_tensors->hooks : NULL;
    program.reads_arguments = true;
    return rt_main(argc - 2, argv + 2, &program);
}
