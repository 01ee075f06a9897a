"""Output, input, errors and the world outside."""

from lambent.lang.primitives.table import primitive

# Output goes to the standard output, buffered; it is flushed at exit and before an error shows.

primitive("display", "(x: value) -> void", "rt_display", "Print x as people read it.",
          example='(display "a b")  ; => a b')
primitive("write", "(x: value) -> void", "rt_write", "Print x so that it reads back.",
          example='(write "a\\nb")  ; => "a\\nb"')
primitive("newline", "() -> void", "rt_newline", "End the line.", fails=False)
primitive("print", "(*items: value) -> void", "rt_print",
          "Display the arguments with spaces between them, then end the line.",
          example='(print 1 "two" \'(3))  ; => 1 two (3)')
primitive("flush-output", "() -> void", "rt_flush_output", "Send out what is buffered.",
          fails=False)

# Input from text files, in UTF-8.

primitive("open-input-file", "(path: string) -> value", "rt_open_input_file",
          "A port that reads the text of a file.")
primitive("read-line", "(port: port) -> value", "rt_read_line",
          "The next line without its end, or the end-of-file object.")
primitive("read-char", "(port: port) -> value", "rt_read_char",
          "The next character, or the end-of-file object.")
primitive("close-port", "(port: port) -> void", "rt_close_port",
          "Close the port; its file is closed at once.")
primitive("port?", "(x: value) -> boolean", "rt_is_port", "Whether it is a port.", fails=False)
primitive("eof-object", "() -> value", "rt_eof_object", "The end-of-file object.", fails=False)
primitive("eof-object?", "(x: value) -> boolean", "rt_is_eof_object",
          "Whether it is the end-of-file object.", fails=False,
          example="(print (eof-object? (eof-object)))  ; => #t")
primitive("file-exists?", "(path: string) -> boolean", "rt_file_exists",
          "Whether there is a file of that name.",
          example='(print (file-exists? "/no/such/file"))  ; => #f')

# Errors.

primitive("error", "(message: value, *irritants: value) -> value", "rt_error",
          "Raise an error with a message; irritants follow it as write shows them.")
primitive("wrong-type", "(who: string, noun: string, x: value) -> value", "rt_wrong_type",
          "Raise the error of a procedure named who that expected a noun and got x: "
          "`(wrong-type \"map\" \"a list\" 5)` is `map: expected a list, got 5`.")

# The process.

primitive("exit", "(status: value = #t) -> value", "rt_exit",
          "Leave the program: #t is status 0, #f is 1, an integer is itself.")
primitive("command-line", "() -> value", "rt_command_line",
          "The program's name and its arguments, as a list of strings.", fails=False)
primitive("getenv", "(name: string) -> value", "rt_getenv",
          "The value of an environment variable, or #f.",
          example='(print (getenv "LAMBENT_NO_SUCH_VARIABLE"))  ; => #f')
primitive("current-jiffy", "() -> value", "rt_current_jiffy",
          "The time passed since some moment, in nanoseconds.", fails=False)
primitive("jiffies-per-second", "() -> value", "rt_jiffies_per_second", "A thousand million.",
          fails=False, example="(print (jiffies-per-second))  ; => 1000000000")

# Calls with a list of arguments.  Neither back end calls this as an ordinary primitive: it is a
# call of an unknown procedure, and in tail position a tail call.

primitive("apply", "(procedure: procedure, *arguments: value) -> value", "rt_apply",
          "Call the procedure with the arguments; the last one is a list of further arguments.",
          example="(print (apply + 1 2 '(3 4)))  ; => 10")

# For analysis only: whether a call left a keyword parameter out.

primitive("absent?", "(x: value) -> boolean", "rt_is_absent",
          "Whether it is the mark of a keyword argument that was left out.", fails=False,
          key="%absent?")
