"""Ports: what programs read from and write to.

The default port is the current one.  Text is UTF-8; files and strings are read and written alike.
"""

from lambent.lang.primitives.table import alias, primitive

# Output.  It is buffered, and flushed when the port is closed and when the program ends.

primitive("display", "(x: value, port: port = absent) -> void", "rt_display",
          "Print x for people: strings and characters without quotes.",
          example='(display "a b")  ; => a b',
          effects="reads anything, writes port, allocates numbers memory, fails")
primitive("write", "(x: value, port: port = absent) -> void", "rt_write",
          "Print x so that reading the text returns it.  Labels mark its cycles.",
          example='(write "a\\nb")  ; => "a\\nb"',
          effects="reads anything, writes port, allocates numbers memory, fails")
primitive("write-shared", "(x: value, port: port = absent) -> void", "rt_write_shared",
          "Like write, with labels for all pairs and vectors that are in x more than once.",
          example="(let ((a (list 1))) (write-shared (list a a)))  ; => (#0=(1) #0#)",
          effects="reads anything, writes port, allocates numbers memory, fails")
primitive("write-simple", "(x: value, port: port = absent) -> void", "rt_write_simple",
          "Like write, without labels; does not end if x is circular.",
          example="(let ((a (list 1))) (write-simple (list a a)))  ; => ((1) (1))",
          effects="reads anything, writes port, allocates numbers memory, fails")
primitive("newline", "(port: port = absent) -> void", "rt_newline", "End the line.",
          effects="reads port dynamic, writes port, allocates memory, fails")
primitive("print", "(*items: value) -> void", "rt_print",
          "Display the arguments with spaces between them, then end the line.",
          example='(print 1 "two" \'(3))  ; => 1 two (3)',
          effects="reads anything, writes port, allocates numbers memory, fails")
primitive("write-char", "(char: char, port: port = absent) -> void", "rt_write_char",
          "Print a character without quotes.", example="(write-char #\\a)  ; => a",
          effects="reads port, writes port, allocates memory, fails")
primitive("write-string",
          "(text: string, port: port = absent, start: index = 0, end: value = #f) -> void",
          "rt_write_string", "Print the characters of a string, or those from start to end.",
          example='(write-string "hello" (current-output-port) 1 3)  ; => el',
          effects="reads string port, writes port, allocates numbers memory, fails")
primitive("flush-output-port", "(port: port = absent) -> void", "rt_flush_output_port",
          "Write the buffered output.", effects="reads port dynamic, writes port, fails")
alias("flush-output", "flush-output-port")

# Input.

primitive("read", "(port: port = absent) -> value", "rt_read",
          "The next datum, or the end-of-file object.",
          example='(write (read (open-input-string "(a \\"b\\" . 1.5) c")))  ; => (a "b" . 1.5)',
          effects="reads anything, writes port, allocates anything, computes with tensors, fails")
primitive("read-line", "(port: port = absent) -> value", "rt_read_line",
          "The next line without its end, or the end-of-file object.",
          example='(write (read-line (open-input-string "a b\\nc")))  ; => "a b"',
          effects="reads string port, writes port, allocates memory objects, fails")
primitive("read-char", "(port: port = absent) -> value", "rt_read_char",
          "The next character, or the end-of-file object.",
          example='(write (read-char (open-input-string "ab")))  ; => #\\a',
          effects="reads port, writes port, allocates memory, fails")
primitive("peek-char", "(port: port = absent) -> value", "rt_peek_char",
          "The next character, which stays in the port, or the end-of-file object.",
          example='(write (peek-char (open-input-string "ab")))  ; => #\\a',
          effects="reads port, writes port, allocates memory, fails")
primitive("char-ready?", "(port: port = absent) -> boolean", "rt_is_char_ready",
          "Whether read-char would not have to wait.",
          example='(print (char-ready? (open-input-string "")))  ; => #t',
          effects="reads port, writes port, allocates memory, fails")
primitive("read-string", "(k: index, port: port = absent) -> value", "rt_read_string",
          "The next k characters, fewer at the end of the input, or the end-of-file object.",
          example='(write (read-string 2 (open-input-string "abc")))  ; => "ab"',
          effects="reads string port, writes port, allocates anything, fails")
primitive("port->string", "(port: port = absent) -> value", "rt_port_to_string",
          "The remaining input of the port, as a string.",
          example='(write (port->string (open-input-string "ab\\n")))  ; => "ab\\n"',
          effects="reads string port, writes port, allocates memory objects, fails")

# Bytes.

primitive("write-u8", "(byte: index, port: port = absent) -> void", "rt_write_u8",
          "Write a byte to a binary port.",
          effects="reads port, writes port, allocates memory, fails")
primitive("write-bytevector",
          "(bytes: bytevector, port: port = absent, start: index = 0, end: value = #f) -> void",
          "rt_write_bytevector", "Write the bytes of a bytevector, or those from start to end.",
          effects="reads bytevector port, writes port, allocates numbers memory, fails")
primitive("read-u8", "(port: port = absent) -> value", "rt_read_u8",
          "The next byte of a binary port, or the end-of-file object.",
          example="(print (read-u8 (open-input-bytevector #u8(7 8))))  ; => 7",
          effects="reads port, writes port, allocates memory, fails")
primitive("peek-u8", "(port: port = absent) -> value", "rt_peek_u8",
          "The next byte, which stays in the port, or the end-of-file object.",
          example="(print (peek-u8 (open-input-bytevector #u8(7 8))))  ; => 7",
          effects="reads port, writes port, allocates memory, fails")
primitive("u8-ready?", "(port: port = absent) -> boolean", "rt_is_u8_ready",
          "Whether read-u8 would not have to wait.",
          example="(print (u8-ready? (open-input-bytevector #u8())))  ; => #t",
          effects="reads port, fails")
primitive("read-bytevector", "(k: index, port: port = absent) -> value", "rt_read_bytevector",
          "The next k bytes, fewer at the end of the input, or the end-of-file object.",
          example="(print (read-bytevector 2 (open-input-bytevector #u8(7 8 9))))  ; => #u8(7 8)",
          effects="reads port, writes port, allocates anything, fails")
primitive("read-bytevector!",
          "(bytes: bytevector, port: port = absent, start: index = 0, end: value = #f) -> value",
          "rt_read_into_bytevector",
          "Read bytes into the bytevector from start to end.  Returns how many, or the end-of-file "
          "object.",
          effects="reads bytevector port, writes bytevector port, allocates numbers memory, fails")

# Opening.  An unreachable port is closed, too.

_ENCODING = ("  The encoding is 'utf-8, 'utf-16, 'latin-1 or 'windows-1252; 'utf-16 and "
             "'utf-8-sig begin what they write with a byte order mark, 'utf-16le and 'utf-16be do "
             "not.  What is not text in it is an error, or replaced with :invalid 'replace.")

primitive("open-input-file",
          "(path: string, *, encoding: value = #f, invalid: value = #f) -> value",
          "rt_open_input_file", "A port that reads the text of a file." + _ENCODING,
          effects="reads anything, writes port state, allocates anything, fails")
primitive("open-binary-input-file", "(path: string) -> value", "rt_open_binary_input_file",
          "A port that reads the bytes of a file.",
          effects="reads anything, writes port state, allocates anything, fails")
_OLD_CONTENTS = "  The old contents are lost, except with :append #t."
primitive("open-output-file",
          "(path: string, *, append: value = #f, encoding: value = #f, invalid: value = #f)"
          " -> value",
          "rt_open_output_file",
          "A port that writes text to a file." + _OLD_CONTENTS + _ENCODING,
          effects="reads anything, writes port state, allocates anything, fails")
primitive("open-binary-output-file", "(path: string, *, append: value = #f) -> value",
          "rt_open_binary_output_file", "A port that writes bytes to a file." + _OLD_CONTENTS,
          effects="reads anything, writes port state, allocates anything, fails")
primitive("set-port-encoding!",
          "(port: port, encoding: value, *, invalid: value = #f) -> void",
          "rt_set_port_encoding",
          "Read or write a file, or the standard input, in another encoding: before its first "
          "character." + _ENCODING,
          effects="reads anything, writes port, allocates anything, fails")
primitive("open-input-string", "(text: string) -> value", "rt_open_input_string",
          "A port that reads the characters of a string.",
          example='(print (read-line (open-input-string "a\\nb")))  ; => a',
          effects="reads string, writes port, allocates memory objects, fails")
primitive("open-output-string", "() -> value", "rt_open_output_string",
          "A port that collects its output for get-output-string.",
          effects="writes port, allocates memory objects")
primitive("get-output-string", "(port: port) -> value", "rt_get_output_string",
          "The text written to a string port so far.",
          example="(let ((p (open-output-string))) (write 'a p) (print (get-output-string p)))"
          "  ; => a", effects="reads string port, allocates objects, fails")

primitive("open-input-bytevector", "(bytes: bytevector) -> value", "rt_open_input_bytevector",
          "A port that reads the bytes that a bytevector has now.",
          effects="reads bytevector, writes port, allocates memory objects, fails")
primitive("open-output-bytevector", "() -> value", "rt_open_output_bytevector",
          "A port that collects its output for get-output-bytevector.",
          effects="writes port, allocates memory objects")
primitive("get-output-bytevector", "(port: port) -> value", "rt_get_output_bytevector",
          "The bytes written to a port so far.",
          example="(let ((p (open-output-bytevector))) (write-u8 7 p) "
          "(print (get-output-bytevector p)))  ; => #u8(7)",
          effects="reads port, allocates objects, fails")

# Closing.

primitive("close-port", "(port: port) -> void", "rt_close_port",
          "Close the port; its file is closed at once.", effects="reads port, writes port, fails")
primitive("close-input-port", "(port: port) -> void", "rt_close_input_port",
          "Close an input port.", effects="reads port, writes port, fails")
primitive("close-output-port", "(port: port) -> void", "rt_close_output_port",
          "Close an output port.", effects="reads port, writes port, fails")

# Predicates.

primitive("port?", "(x: value) -> boolean", "rt_is_port", "Whether it is a port.", effects="")
for _type in ("input", "output", "textual", "binary"):
    primitive(f"{_type}-port?", "(x: value) -> boolean", f"rt_is_{_type}_port",
              f"Whether it is {'an' if _type[0] in 'io' else 'a'} {_type} port.",
              effects="reads port")
for _type in ("input", "output"):
    primitive(f"{_type}-port-open?", "(port: port) -> boolean", f"rt_is_{_type}_port_open",
              f"Whether it is an {_type} port that has not been closed.",
              effects="reads port, fails")
primitive("eof-object", "() -> value", "rt_eof_object", "The end-of-file object.", effects="")
primitive("eof-object?", "(x: value) -> boolean", "rt_is_eof_object",
          "Whether it is the end-of-file object.", effects="",
          example="(print (eof-object? (eof-object)))  ; => #t")

# The parameters current-input-port, current-output-port and current-error-port (0 to 2).

primitive("%port-parameter", "(which: index, converter: procedure, set: procedure) -> value",
          "rt_port_parameter",
          "The parameter that holds a current port.", effects="reads dynamic, writes dynamic")

# Files.

primitive("file-exists?", "(path: string) -> boolean", "rt_file_exists",
          "Whether a file of that name exists.",
          example='(print (file-exists? "/no/such/file"))  ; => #f',
          effects="reads string port, allocates memory, fails")
primitive("delete-file", "(path: string) -> void", "rt_delete_file", "Delete a file.",
          effects="reads anything, writes port, allocates numbers memory, fails")
primitive("rename-file", "(from: string, to: string) -> void", "rt_rename_file",
          "Give a file another name, in one step.  A file that has the new name is replaced.",
          effects="reads anything, writes port, allocates numbers memory, fails")

# The status line of a terminal, for progress bars: text on the standard error that is drawn anew,
# and makes way for everything else that is printed.

primitive("terminal-port?", "(port: port) -> boolean", "rt_is_terminal_port",
          "Whether a person types or sees the port's text: a standard stream that is a terminal.",
          effects="reads port",
          example='(print (terminal-port? (open-input-string "")))  ; => #f')
primitive("%edit-line", "(prompt: string) -> value", "rt_edit_line",
          "A line that the user types after the prompt, with the editing and the history of the "
          "line editor; the end-of-file object; or #f if Ctrl-C is pressed.  Without a terminal, "
          "the next line of the standard input, and no prompt.",
          effects="reads anything, writes port state, allocates anything, fails")
primitive("%remember-line", "(line: string) -> void", "rt_remember_line",
          "Add a line to the history of the line editor.",
          effects="reads string, writes state, allocates memory, fails")
primitive("%terminal-columns", "(port: port) -> value", "rt_terminal_columns",
          "How many columns a standard port's terminal has; #f if it is not a terminal that can "
          "move its cursor.", effects="reads port")
primitive("%show-status", "(text: string, final: value) -> void", "rt_show_status",
          "Draw the status line; with final true the line is kept, and ended.",
          effects="reads string port, writes port, allocates memory, fails")
