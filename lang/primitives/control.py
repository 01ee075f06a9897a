"""Errors, and the primitives of handlers, guard, dynamic-wind, call/cc and parameters.

The rest is Lisp, in stdlib/language/control.lisp.  A failure that `%try` has caught is an object
that only the library sees.  `%rethrow` raises it again, with its original location and trace.
"""

from lambent.lang.primitives.table import primitive

primitive("error", "(message: value, *irritants: value) -> value", "rt_error",
          "Raise an error object with a message; irritants follow it as write shows them.",
          effects="reads string condition, allocates memory objects, fails, never returns")
primitive("raise", "(object: value) -> value", "rt_raise",
          "Raise any object.  A handler cannot return to the raise.",
          effects="reads string condition, allocates memory, fails, never returns")
primitive("wrong-type", "(who: string, noun: string, x: value) -> value", "rt_wrong_type",
          "Raise the error of a procedure named who that expected a noun and got x: "
          "`(wrong-type \"map\" \"a list\" 5)` is `map: expected a list, got 5`.",
          effects="reads string, allocates memory, fails, never returns")

# Error objects: those of `error`, and the errors of built-in procedures.

primitive("error-object?", "(x: value) -> boolean", "rt_is_condition",
          "Whether it is an error object, as `error` and failing procedures raise.", effects="",
          example="(print (guard (e (#t (error-object? e))) (car 5)))  ; => #t")
primitive("error-object-message", "(condition: value) -> value", "rt_error_message",
          "The message of an error object.",
          example='(print (guard (e (#t (error-object-message e))) (error "no:" 1)))  ; => no:',
          effects="reads condition, fails")
primitive("error-object-irritants", "(condition: value) -> value", "rt_error_irritants",
          "The list of the arguments after the message.",
          example='(print (guard (e (#t (error-object-irritants e))) (error "no:" 1)))  ; => (1)',
          effects="reads condition, fails")
primitive("error-object-hint", "(condition: value) -> value", "rt_error_hint",
          "What its report shows after `hint:`, or #f.",
          example="(print (guard (e (#t (error-object-hint e))) (car '() '())))  "
                  "; => usage: (car pair)", effects="reads condition, fails")
primitive("file-error?", "(x: value) -> boolean", "rt_is_file_error",
          "Whether it is the error of a file that could not be opened, read or written.",
          effects="reads condition",
          example='(print (guard (e (#t (file-error? e))) (open-input-file "no/such")))  ; => #t')
primitive("read-error?", "(x: value) -> boolean", "rt_is_read_error",
          "Whether it is the error of `read` for a text that is not a datum.",
          effects="reads condition")

# What %try catches.

primitive("%try", "(thunk: procedure) -> value", "rt_try",
          "Call the thunk; the result is its value, or the failure as an object.",
          effects="reads anything, writes anything, allocates anything, calls")
primitive("%or-failure", "(result: own value) -> value", "rt_or_failure",
          "The same for a direct call, whose result is its value, or the sign that it has failed.  "
          "Only the compiler makes such calls.",
          effects="reads condition, writes condition, allocates memory objects")
primitive("%defer-interrupts!", "() -> void", "rt_defer_interrupts",
          "Defer Ctrl-C until %allow-interrupts! has been called as many times.",
          effects="writes state")
primitive("%allow-interrupts!", "() -> void", "rt_allow_interrupts",
          "End one deferral; a deferred Ctrl-C is raised if it was the last one.",
          effects="reads state, writes state")
primitive("%caught?", "(x: value) -> boolean", "rt_is_caught",
          "Whether it is a failure that %try has caught.", effects="")
primitive("%caught-error?", "(caught: value) -> boolean", "rt_caught_is_error",
          "Whether it is an error, not an escape, an exit or Ctrl-C.", effects="reads condition")
primitive("%caught-signalled?", "(caught: value) -> boolean", "rt_caught_is_signalled",
          "Whether handlers have seen the error already.", effects="reads condition")
primitive("%caught-signal!", "(caught: value, signalled: boolean) -> void", "rt_caught_signal",
          "Note whether handlers have seen the error.", effects="writes condition")
primitive("%caught-payload", "(caught: value) -> value", "rt_caught_payload",
          "The raised object, or the error object of a built-in error; of an escape, its results.",
          effects="reads string condition, writes condition, allocates memory objects, fails")
primitive("%caught-replace!",
          "(caught: value, message: string, irritants: list, hint: string, alike: boolean) -> void",
          "rt_caught_replace", "Replace its error, but keep the location and trace; alike: and "
          "whether it is a file error or a read error.",
          effects="reads string condition, writes condition, allocates memory objects")
primitive("%forget-interrupt!", "(caught: value) -> boolean", "rt_forget_interrupt",
          "Whether it is a Ctrl-C that the program may survive; the next one is then the first.",
          effects="reads condition state, writes state")
primitive("%rethrow", "(caught: value) -> value", "rt_rethrow", "Raise the failure again.",
          effects="reads condition, writes condition, fails, never returns")

# Continuations.

primitive("%new-continuation", "() -> value", "rt_new_continuation",
          "A procedure whose calls escape to its %try-escape: their arguments are its results.",
          effects="allocates objects")
primitive("%try-escape", "(continuation: value, thunk: procedure) -> value", "rt_try_escape",
          "The same as %try, but the results of an escape to the continuation are results, too.  "
          "Unless the result is a failure, the continuation cannot be called afterwards.",
          effects="reads anything, writes anything, allocates anything, calls")
primitive("%or-escape", "(continuation: value, result: own value) -> value", "rt_or_escape",
          "The same for a direct call, as %or-failure.",
          effects="reads condition, writes condition dynamic, allocates memory objects")
primitive("%end-continuation!", "(continuation: value) -> void", "rt_end_continuation",
          "From now on a call of the continuation is an error.", effects="writes dynamic")
primitive("%caught-escape?", "(caught: value, continuation: value) -> boolean",
          "rt_caught_is_escape", "Whether it is an escape to the continuation.",
          effects="reads condition")

# Parameters.

primitive("%new-parameter", "(value: value, converter: value, set: procedure) -> value",
          "rt_new_parameter",
          "A procedure that returns the value; with an argument, it calls set on itself and that.",
          effects="allocates objects")
primitive("%parameter-converter", "(parameter: value) -> value", "rt_parameter_converter",
          "The converter of a parameter.", effects="reads dynamic, fails")
primitive("%parameter-swap!", "(parameter: value, value: value) -> value", "rt_parameter_swap",
          "Set the value of a parameter; returns the value before.",
          effects="reads dynamic, writes dynamic")
