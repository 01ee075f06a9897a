/* world.h - what all code of a process shares: variables, locations, and the process that analyses
 * programs. */
#ifndef RT_EVALUATOR_WORLD_H
#define RT_EVALUATOR_WORLD_H

#include "code.h"

/* ---- Variables and locations: world.c ------------------------------------ */

/* The variables of one session.  Those of the library are everybody's. */
typedef struct rt_world rt_world;
rt_world *rt_new_world(void);
/* Use its variables from now on; the world that was used before. */
rt_world *rt_use_world(rt_world *used);
rt_world *rt_present_world(void);
size_t rt_world_size(const rt_world *counted);   /* its variables */
/* Its variables lose their values now; it is freed with its last unit, which may still refer to
 * them. */
void rt_drop_world(rt_world *dropped);
rt_world *rt_hold_world(void);             /* the one in use, for a unit */
void rt_release_world(rt_world *world);

/* The variable of open code with a name, which is copied; it has no value before its definition. */
rt_value *rt_world_variable(const char *name);
/* The same for a name that no other code can have; rt_world_forget frees the variable. */
rt_value *rt_world_object(const char *name, rt_value value);
void rt_world_forget(const char *name);
/* A variable of a closed program. */
rt_value *rt_world_new_variable(void);
/* The library's variable, which has a value until the program ends. */
rt_value *rt_world_note(rt_value *variable);
/* The same by its name. */
rt_value *rt_library_variable(const char *name);
/* An equal location that stays. */
const rt_location *rt_world_location(const rt_location *location);
/* Load LibTorch, unless it is there; false with an error if it is not available. */
bool rt_world_needs_tensors(void);
/* All variables. */
size_t rt_world_variables(rt_value ***variables);

/* ---- The process that analyses programs: ask.c --------------------------- */

/* It is started at the first question.  python: the interpreter that runs it.  source: the program's
 * text, or NULL if it evaluates no data. */
void rt_ask_with(const char *python, const char *path, const char *source);
/* The questions of a session's evaluator go to the process that has started it. */
void rt_ask_through(int socket);
/* In the process of another program: it gets each question, and says the answer, whose bytes are
 * copied, before it returns. */
typedef void rt_host_answers(const char *question, size_t size);
void rt_ask_host(rt_host_answers *answers);
void rt_answer_as_host(const char *bytes, size_t size);
/* A session whose entries come through a socket: session.c. */
rt_value rt_run_session(int socket);
/* Append the text that shows a result: as `write` prints it, tensors in rows; as rt_show_as. */
int rt_show_result(rt_text *text, rt_value v);

/* Whether the last text on the terminal did not end its line (runtime/ports/status_line.c). */
bool rt_line_is_open(void);

/* For a host (runtime/polls.c, ports/port.c, errors/error.c): the next interrupt ends clean-up, too;
 * nothing runs that interrupts were for; a standard port, by its descriptor; what rt_render_error
 * appends, of a failure that stays. */
void rt_interrupt_cleanup(void);
void rt_forget_interrupts(void);
struct rt_port_object *rt_standard_port(int file);
void rt_text_of_error(rt_text *text, const rt_failure *failure);
/* Nothing runs any more (evaluate.c). */
void rt_forget_frames(void);

/* What draws plots, if that is not NULL (runtime/system/program.c), and what does here: #t, or a string
 * that says why it cannot. */
extern rt_value (*rt_plot_drawer)(rt_value path, rt_value figure);
rt_value rt_draw_elsewhere(rt_value path, rt_value figure);

/* Messages: numbers of 8 bytes, and texts after their sizes. */
void rt_add_number(rt_text *message, uint64_t number);
void rt_add_text(rt_text *message, const char *bytes, size_t size);
/* The message is freed; false with an error if the other process has ended. */
bool rt_send_message(rt_text *message);
/* One that was received is read from its begin on; its memory is the receiver's. */
typedef struct rt_answer { char *memory; size_t size, at; } rt_answer;
bool rt_receive_message(rt_answer *message);
uint64_t rt_take_number(rt_answer *message);
/* The code that is the rest of a message, which is freed; as rt_load_unit. */
rt_unit *rt_take_unit(rt_answer *message);
/* Run the code of a form.  has_positions: names change their meanings in it. */
rt_value rt_run_form(rt_unit *unit, bool has_positions);

/* The variables that stood for objects in the text of some code, which is freed; numbers, too. */
void rt_forget_objects(size_t count, uint64_t *numbers);

/* The primitives of lang/primitives/evaluation.py.  All arguments are borrowed. */
rt_value rt_eval(rt_value expression, rt_value environment);
int rt_load(rt_value path, rt_value environment);
rt_value rt_new_environment(size_t count, const rt_value *sets);
rt_value rt_interaction_environment(void);
rt_value rt_scheme_report_environment(rt_value version);
rt_value rt_null_environment(rt_value version);

#endif
