/* program.c - the executable that runs code:
 *
 *     evaluator PYTHON CODE PROGRAM argument ...     a program, whose code is in a file
 *     evaluator --show PYTHON CODE PROGRAM ...       which shows the value of its last form
 *     evaluator --session SOCKET argument ...        a session, whose entries come through a socket
 *
 * PYTHON runs the analysis for programs that evaluate data.  The executable is linked with the whole
 * library, and the table of what code may name (lang/evaluator/evaluator_program.py). */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

static rt_program program;
static const char *python, *path;
static char *code;
static size_t code_size;
static bool shows;

/* Which variables there are is known now. */
static void end_world(bool is_open) {
    rt_value **variables;
    size_t count = rt_world_variables(&variables);
    if (!is_open) {
        program.global_count = count;
        program.globals = variables;
        return;
    }
    for (size_t i = 0; i < count; i++) rt_global_define(variables[i], RT_UNBOUND);
    rt_end_units();
}

/* Print what `lambent -e` shows of a value, which is moved in: nothing of the unspecified one. */
static rt_value shown(rt_value value) {
    if (value == RT_UNSPECIFIED) return value;
    rt_text text = {NULL, 0, 0};
    int status = rt_show_result(&text, value);
    rt_free(value);
    if (status != 0) {
        rt_text_free(&text);
        return RT_ERROR;
    }
    rt_value line = rt_string_of_text(&text);
    if (line == RT_ERROR) return RT_ERROR;
    status = rt_print(1, &line);
    rt_free(line);
    return status == 0 ? RT_UNSPECIFIED : RT_ERROR;
}

static rt_value run_program(void) {
    rt_unit *unit = rt_load_unit(code, code_size);
    if (unit == NULL) return RT_ERROR;
    bool is_open = unit->is_open;
    rt_ask_with(python, path, is_open ? unit->source : NULL);
    rt_value result = rt_run_unit(unit);
    if (shows && result != RT_ERROR) result = shown(result);
    end_world(is_open);
    return result;
}

static int session_socket;

static rt_value run_session(void) {
    rt_value result = rt_run_session(session_socket);
    end_world(true);
    return result;
}

static int start_session(int argc, char **argv) {
    session_socket = atoi(argv[2]);
    rt_program_file = argc > 3 ? argv[3] : "";
    program.run = run_session;
    program.reads_arguments = true;
    return rt_main(argc - 3, argv + 3, &program);
}

int main(int argc, char **argv) {
    rt_plot_drawer = rt_draw_elsewhere;
    if (argc >= 3 && strcmp(argv[1], "--session") == 0) return start_session(argc, argv);
    if (argc >= 2 && strcmp(argv[1], "--show") == 0) {
        shows = true;
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: evaluator PYTHON CODE PROGRAM argument ...\n");
        return 1;
    }
    python = argv[1];
    rt_program_file = path = argv[3];
    code = rt_read_code_file(argv[2], &code_size);
    program.run = run_program;
    program.reads_arguments = true;
    /* Else LibTorch is loaded when code needs it. */
    bool reports = rt_is_set("LAMBENT_MEMORY_REPORT") || getenv("LAMBENT_PROFILE") != NULL;
    if (rt_code_tensors != NULL && (reports || rt_code_needs_tensors(code, code_size)))
        program.tensors = rt_code_tensors->hooks;
    return rt_main(argc - 3, argv + 3, &program);
}
