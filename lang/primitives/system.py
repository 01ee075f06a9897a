"""The process, its environment, and time."""

from lambent.lang.primitives.table import alias, primitive

# The process.

primitive("exit", "(status: value = #t) -> value", "rt_exit",
          "End the program, after the after-thunks of dynamic-wind.  #t is status 0, #f is 1, an "
          "exact integer from 0 to 255 is itself.", effects="fails, never returns")
primitive("emergency-exit", "(status: value = #t) -> value", "rt_emergency_exit",
          "End the program at once, without the after-thunks of dynamic-wind.",
          effects="reads port, writes port state, fails, never returns")
primitive("command-line", "() -> value", "rt_command_line",
          "The program's name and its arguments, as a list of strings.",
          effects="reads string state, allocates objects, fails")
primitive("program-folder", "() -> value", "rt_program_folder",
          "The folder in which the program is: that of a script's file, or of the executable, with "
          "links followed.  `lambent bundle --files` puts the program's files there.  In the REPL "
          "it is the current folder.",
          effects="reads string state, allocates objects, fails")
primitive("getenv", "(name: string) -> value", "rt_getenv",
          "The value of an environment variable, or #f.",
          example='(print (getenv "LAMBENT_NO_SUCH_VARIABLE"))  ; => #f',
          effects="reads string state, allocates memory objects, fails")
primitive("get-environment-variables", "() -> value", "rt_environment",
          "All environment variables, as an alist of strings.",
          effects="reads string state, allocates objects, fails")
primitive("current-second", "() -> float", "rt_current_second",
          "The time since the beginning of 1970, in seconds.", effects="reads state")
primitive("current-seconds", "() -> fixnum", "rt_current_seconds",
          "The time since the beginning of 1970, in whole seconds.", effects="reads state")
primitive("%local-time-offset", "(seconds: value) -> fixnum", "rt_local_time_offset",
          "How many seconds the local clock is ahead of universal time, at a time in seconds since "
          "the beginning of 1970.", effects="reads state, fails")
primitive("current-jiffy", "() -> value", "rt_current_jiffy",
          "The time since an arbitrary moment, in nanoseconds.",
          effects="reads state, allocates numbers")
primitive("jiffies-per-second", "() -> value", "rt_jiffies_per_second", "A thousand million.",
          effects="", example="(print (jiffies-per-second))  ; => 1000000000")

# What the library asks of the system: stdlib/system/ has the procedures that programs call, which
# check the arguments.  who, verb and path word the error: "who: cannot verb path: reason".

primitive("%file-call",
          "(name: symbol, who: string, verb: string, path: value, first: value, second: value) "
          "-> value", "rt_file_call",
          "The result of one of the calls in runtime/system/files.c.",
          effects="reads anything, writes port state, allocates anything, fails")
primitive("%process-call",
          "(name: symbol, who: string, verb: string, subject: value, first: value, second: value) "
          "-> value", "rt_process_call",
          "The result of one of the calls in runtime/system/processes.c.",
          effects="reads anything, writes port state, allocates anything, fails")

# Cycles.

primitive("collect-garbage", "() -> void", "rt_collect_garbage",
          "Free everything on cycles that the program cannot reach any more, now.  The collector "
          "does so by itself, too, when many objects were changed to hold others.",
          effects="reads anything, writes port state, allocates memory",
          example="(define p (list 1)) (set-cdr! p p) (set! p #f) (collect-garbage) (print p)"
          "  ; => #f")
primitive("garbage-statistics", "() -> value", "rt_garbage_statistics",
          "An alist of what the collector of cycles has done: collections, freed-objects and "
          "freed-handles (tensors) so far, and longest-pause, the seconds of the longest "
          "collection that the program did not ask for.  Scripts have Python's collector, so their "
          "numbers differ.", effects="reads state, allocates anything",
          example="(print (cdr (assq 'freed-handles (garbage-statistics))))  ; => 0")

# For trace.

primitive("%brief", "(x: value) -> string", "rt_brief",
          "A value as messages show it: the beginning of what write prints, the dtype and shape "
          "of a tensor.", effects="reads anything, allocates anything, fails")

# For time-it: the peak of tensor bytes since the last call, the number of allocated blocks so far,
# and their bytes.  The peak is reset to `least`, or to the current bytes if that is negative.

primitive("time-it", "(least: value) -> value", "rt_tensor_window",
          "A list of the peak since the last call, the allocations, and their bytes.",
          key="%tensor-window",
          effects="reads tensor state, allocates anything, fails")

# For plot: stdlib/train/plot.lisp has what it takes and returns.

primitive("%draw-plot", "(path: string, figure: value) -> value", "rt_draw_plot",
          "Write a plot to a PNG or PDF file: #t, a string that says what is missing, or #f in "
          "executables, which cannot.",
          effects="reads anything, writes port, allocates anything, fails")

# Calls with a list of arguments.  Neither back end treats it as an ordinary primitive: it is a call
# of an unknown procedure, and in tail position a tail call.

primitive("apply", "(procedure: procedure, argument: value, *more: value) -> value", "rt_apply",
          "Call the procedure with the arguments; the last one is a list of further arguments.",
          example="(print (apply + 1 2 '(3 4)))  ; => 10")

# For analysis only: whether a call left out a keyword argument.

primitive("absent?", "(x: value) -> boolean", "rt_is_absent",
          "Whether it is the constant for a keyword argument that was left out.", effects="",
          key="%absent?")

alias("get-environment-variable", "getenv")
