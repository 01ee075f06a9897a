"""Characters and strings.  Strings are immutable; indices count characters."""

from lambent.lang.primitives.table import primitive

primitive("string?", "(x: value) -> boolean", "rt_is_string", "Whether it is a string.",
          fails=False)
primitive("char?", "(x: value) -> boolean", "rt_is_char", "Whether it is a character.",
          fails=False)
primitive("string-length", "(text: string) -> fixnum", "rt_string_length",
          "How many characters it has.", example='(print (string-length "héllo"))  ; => 5')
primitive("string-ref", "(text: string, k: index) -> value", "rt_string_ref",
          "The character at index k, from 0.", example='(write (string-ref "abc" 1))  ; => #\\b')
primitive("substring", "(text: string, start: index, end: value = #f) -> value", "rt_substring",
          "The characters from start up to but without end, or to the last.",
          example='(print (substring "hello" 1 3))  ; => el')
primitive("string-append", "(*texts: value) -> value", "rt_string_append",
          "The strings in a row.", example='(print (string-append "a" "b"))  ; => ab')
primitive("string", "(*items: value) -> value", "rt_string",
          "The arguments, as display shows them, in one string.",
          example="(print (string #\\a 1 \"b\"))  ; => a1b")
for _name, _symbol, _doc in (
    ("string=?", "rt_string_equal", "Whether the strings have the same characters."),
    ("string<?", "rt_string_less", "Whether a comes before b, by code points."),
):
    primitive(_name, "(a: string, b: string) -> boolean", _symbol, _doc)
primitive("string-contains", "(text: string, part: string) -> value", "rt_string_contains",
          "The index at which part first stands in text, or #f.",
          example='(print (string-contains "banana" "nan"))  ; => 2')
primitive("string-split", "(text: string, separator: string) -> value", "rt_string_split",
          "The parts of text between the separators, as a list.",
          example='(write (string-split "a,b,,c" ","))  ; => ("a" "b" "" "c")')
primitive("string-join", "(texts: list, separator: string = \" \") -> value", "rt_string_join",
          "The strings with the separator between them.",
          example='(print (string-join \'("a" "b") "-"))  ; => a-b')
primitive("string-trim", "(text: string) -> value", "rt_string_trim",
          "The text without white space at either end.",
          example='(write (string-trim "  a b "))  ; => "a b"')
primitive("string-prefix?", "(prefix: string, text: string) -> boolean", "rt_is_string_prefix",
          "Whether text begins with prefix.",
          example='(print (string-prefix? "ab" "abc"))  ; => #t')
primitive("string->list", "(text: string) -> value", "rt_string_to_list", "Its characters.",
          example='(write (string->list "ab"))  ; => (#\\a #\\b)')
primitive("list->string", "(chars: list) -> value", "rt_list_to_string",
          "The string of the characters.", example="(print (list->string '(#\\a #\\b)))  ; => ab")
primitive("char->integer", "(char: char) -> fixnum", "rt_char_to_integer", "Its code point.",
          example="(print (char->integer #\\A))  ; => 65")
primitive("integer->char", "(code: index) -> value", "rt_integer_to_char",
          "The character of a code point.", example="(write (integer->char 65))  ; => #\\A")
primitive("char=?", "(a: char, b: char) -> boolean", "rt_char_equal",
          "Whether it is the same character.")
primitive("char<?", "(a: char, b: char) -> boolean", "rt_char_less",
          "Whether a comes before b, by code points.")
