"""Characters and strings.  Strings are immutable; indices count characters."""

from lambent.lang.primitives.ranges import SIZES, Range
from lambent.lang.primitives.signature import Type
from lambent.lang.primitives.table import primitive, variant

_RANGE = "start: index = 0, end: value = #f"

# Characters.  Both back ends use the same version of Unicode.  Comparisons take two arguments after
# analysis; as values they are procedures of stdlib/language/prelude.lisp.

primitive("char?", "(x: value) -> boolean", "rt_is_char", "Whether it is a character.",
          effects="")
for _name, _symbol, _doc in (
    ("char=?", "rt_char_equal", "Whether the characters are the same."),
    ("char<?", "rt_char_less", "Whether the characters increase, by code points."),
    ("char>?", "rt_char_greater", "Whether the characters decrease, by code points."),
    ("char<=?", "rt_char_less_or_equal", "Whether no character is below the one before."),
    ("char>=?", "rt_char_greater_or_equal", "Whether no character is above the one before."),
):
    primitive(_name, "(a: char, b: char) -> boolean", _symbol, _doc, effects="fails")
primitive("char->integer", "(char: char) -> fixnum", "rt_char_to_integer", "Its code point.",
          example="(print (char->integer #\\A))  ; => 65", effects="fails",
          range=Range(0, 0x10FFFF, is_counter=True))
primitive("integer->char", "(code: index) -> immediate", "rt_integer_to_char",
          "The character of a code point.", example="(write (integer->char 65))  ; => #\\A",
          variants=[variant("(code: fixnum) -> immediate", "rt_integer_to_char_at",
                            effects="allocates numbers, fails")],
          effects="allocates numbers, fails")
for _name, _doc in (
    ("alphabetic", "Whether it is a letter, in any script."),
    ("numeric", "Whether it is a decimal digit, in any script."),
    ("whitespace", "Whether it is white space."),
    ("upper-case", "Whether it is an upper-case letter."),
    ("lower-case", "Whether it is a lower-case letter."),
):
    primitive(f"char-{_name}?", "(char: char) -> boolean",
              "rt_is_char_" + _name.replace("-", "_"), _doc, effects="fails")
primitive("digit-value", "(char: char) -> immediate", "rt_digit_value",
          "The value of a decimal digit in any script; #f for other characters.",
          example="(print (digit-value #\\7) (digit-value #\\a))  ; => 7 #f", effects="fails")
primitive("%property-runs", "(property: value) -> value", "rt_property_runs",
          "The characters of a property as a vector of runs: first, last - first, step.  The "
          "properties are letter, mark, number, punctuation, symbol, upper, lower, title, decimal.",
          effects="reads vector, allocates numbers objects, fails")
primitive("char-upcase", "(char: char) -> immediate", "rt_char_upcase",
          "The character in upper case, if it has one.",
          example="(write (char-upcase #\\ä))  ; => #\\Ä", effects="fails")
primitive("char-downcase", "(char: char) -> immediate", "rt_char_downcase",
          "The character in lower case, if it has one.",
          example="(write (char-downcase #\\Λ))  ; => #\\λ", effects="fails")
primitive("char-foldcase", "(char: char) -> immediate", "rt_char_foldcase",
          "The character in folded case, for comparisons.",
          example="(write (char-foldcase #\\Ж))  ; => #\\ж", effects="fails")

# Strings.

primitive("string?", "(x: value) -> boolean", "rt_is_string", "Whether it is a string.",
          effects="")
primitive("make-string", "(length: index, fill: char = #\\space) -> value", "rt_make_string",
          "A string that repeats a character length times.",
          example='(print (make-string 3 #\\x))  ; => xxx',
          effects="reads string, allocates numbers objects, fails", sizes=Type.STRING)
primitive("string", "(*items: value) -> value", "rt_string",
          "The arguments, as display shows them, in one string.",
          example="(print (string #\\a 1 \"b\"))  ; => a1b",
          effects="reads anything, allocates anything, fails")
primitive("string-length", "(text: string) -> fixnum", "rt_string_length",
          "How many characters it has.", example='(print (string-length "héllo"))  ; => 5',
          effects="reads string, fails", measures=True, range=SIZES)
primitive("string-null?", "(text: string) -> boolean", "rt_is_string_null",
          "Whether it has no characters.", effects="reads string, fails")
primitive("string-ref", "(text: string, k: index) -> immediate", "rt_string_ref",
          "The character at index k, from 0.", example='(write (string-ref "abc" 1))  ; => #\\b',
          variants=[variant("(text: string, k: fixnum) -> immediate", "rt_string_ref_at",
                            effects="reads string, allocates numbers, fails", index=1),
                    variant("(text: string, k: fixnum) -> immediate", "rt_string_ref_inside",
                            effects="reads string", index=1, inside=True)],
          effects="reads string, allocates numbers, fails")
primitive("substring", "(text: string, start: index, end: value = #f) -> value", "rt_substring",
          "The characters from start up to but without end, or to the last.",
          example='(print (substring "hello" 1 3))  ; => el',
          effects="reads string, allocates numbers objects, fails")
primitive("string-copy", f"(text: string, {_RANGE}) -> value", "rt_string_copy",
          "A new string of the characters from start up to but without end.",
          example='(print (string-copy "hello" 3))  ; => lo',
          effects="reads string, allocates numbers objects, fails")
primitive("string-append", "(*texts: value) -> value", "rt_string_append",
          "One string of the characters of all arguments.",
          example='(print (string-append "a" "b"))  ; => ab',
          effects="reads string, allocates objects, fails")
for _name, _symbol, _doc in (
    ("string=?", "rt_string_equal", "Whether the strings have the same characters."),
    ("string<?", "rt_string_less", "Whether the strings increase, by code points."),
    ("string>?", "rt_string_greater", "Whether the strings decrease, by code points."),
    ("string<=?", "rt_string_less_or_equal", "Whether no string is below the one before."),
    ("string>=?", "rt_string_greater_or_equal", "Whether no string is above the one before."),
):
    primitive(_name, "(a: string, b: string) -> boolean", _symbol, _doc,
              effects="reads string, fails")
primitive("string-contains", "(text: string, part: string, start: index = 0) -> value",
          "rt_string_contains",
          "The index at which part first occurs in text, from start on; or #f.",
          example='(print (string-contains "banana" "nan"))  ; => 2',
          effects="reads string, allocates numbers memory, fails")
primitive("string-split", "(text: string, separator: value = #f) -> value", "rt_string_split",
          "The parts of text between the separators, strings or characters, as a list; without a "
          "separator the words between white space.",
          example='(write (string-split "a,b,,c" ","))  ; => ("a" "b" "" "c")',
          effects="reads anything, allocates anything, fails")
primitive("string-join", "(texts: list, separator: string = \" \") -> value", "rt_string_join",
          "The strings with the separator between them.",
          example='(print (string-join \'("a" "b") "-"))  ; => a-b',
          effects="reads pair string, allocates memory objects, fails")
primitive("string-prefix?", "(prefix: string, text: string) -> boolean", "rt_is_string_prefix",
          "Whether text begins with prefix.",
          example='(print (string-prefix? "ab" "abc"))  ; => #t', effects="reads string, fails")
primitive("string-suffix?", "(suffix: string, text: string) -> boolean", "rt_is_string_suffix",
          "Whether text ends with suffix.",
          example='(print (string-suffix? "bc" "abc"))  ; => #t', effects="reads string, fails")
primitive("string->list", f"(text: string, {_RANGE}) -> value", "rt_string_to_list",
          "Its characters from start up to but without end.",
          example='(write (string->list "ab"))  ; => (#\\a #\\b)',
          effects="reads string, allocates anything, fails")
primitive("list->string", "(chars: list) -> value", "rt_list_to_string",
          "The string of the characters.", example="(print (list->string '(#\\a #\\b)))  ; => ab",
          effects="reads pair string, allocates objects, fails")
primitive("string->vector", f"(text: string, {_RANGE}) -> value", "rt_string_to_vector",
          "Its characters from start up to but without end.",
          example='(write (string->vector "abc" 1))  ; => #(#\\b #\\c)',
          effects="reads string, allocates numbers objects, fails")
primitive("vector->string", f"(vector: vector, {_RANGE}) -> value", "rt_vector_to_string",
          "The string of the characters from start up to but without end.",
          example="(print (vector->string #(#\\a #\\b #\\c) 0 2))  ; => ab",
          effects="reads vector string, allocates numbers objects, fails")
primitive("string-upcase", "(text: string) -> value", "rt_string_upcase",
          "The text in upper case; it may be longer.",
          example='(print (string-upcase "straße"))  ; => STRASSE',
          effects="reads string, allocates memory objects, fails")
primitive("string-downcase", "(text: string) -> value", "rt_string_downcase",
          "The text in lower case.", example='(print (string-downcase "ΧΑΟΣ"))  ; => χαος',
          effects="reads string, allocates memory objects, fails")
primitive("string-foldcase", "(text: string) -> value", "rt_string_foldcase",
          "The text in folded case, for comparisons.",
          example='(print (string-foldcase "Straße"))  ; => strasse',
          effects="reads string, allocates memory objects, fails")
primitive("%fixed", "(x: number, decimals: value) -> value", "rt_fixed",
          "The number with that many decimals, or unchanged, for `format`.",
          effects="reads string tensor, allocates anything, computes with tensors, fails")
primitive("%written", "(x: value) -> value", "rt_written",
          "What write prints, as a string, for `format`.",
          effects="reads anything, allocates anything, fails")

# Procedures of Scheme that change strings, which are immutable here.

primitive("string-set!", "(text: value, k: value, char: value) -> void", "rt_string_set",
          "Always an error: strings are immutable.", effects="allocates memory, fails",
          refused=True)
primitive("string-fill!", "(text: value, char: value, start: value = #f, end: value = #f) -> void",
          "rt_string_fill", "Always an error: strings are immutable.",
          effects="allocates memory, fails", refused=True)
primitive("string-copy!",
          "(to: value, at: value, from: value, start: value = #f, end: value = #f) -> void",
          "rt_string_copy_to", "Always an error: strings are immutable.",
          effects="allocates memory, fails", refused=True)

# Regular expressions, for stdlib/regexp/, which checks arguments and makes the messages.

primitive("%regexp-compile", "(pattern: string) -> value", "rt_regexp_compile",
          "The compiled regular expression of a pattern in PCRE2's notation; a pair of an index "
          "and a message if the pattern is wrong, and #f if PCRE2 is not installed.",
          effects="reads string, writes state, allocates anything, fails")
primitive("%regexp-groups", "(compiled: value) -> value", "rt_regexp_groups",
          "How many groups it has, and then a pair of name and number for each that has a name.",
          effects="allocates anything, fails")
primitive("%regexp-subject", "(text: string, start: index, end: index) -> value",
          "rt_regexp_subject", "A part of a text in the form in which it is searched.",
          effects="reads string, allocates anything, fails")
primitive("%regexp-match",
          "(compiled: value, subject: value, byte: index, character: index, flags: index) -> value",
          "rt_regexp_match",
          "The first match from a byte on, which begins the character of that number: a vector of "
          "the starts and ends of the match and of its groups, and of its end in bytes; #f if "
          "there is none, and PCRE2's code of an error.  flags: 1 for a match of the whole "
          "subject, 2 for none that is empty at the start.",
          effects="reads string bytevector state, allocates anything, fails")
primitive("%regexp-parts",
          "(compiled: value, text: string, start: index, end: index, flags: index) -> value",
          "rt_regexp_parts",
          "The parts of a text by all matches, a list; the code of an error as above.  flags: 1 "
          "for the parts that match, 2 for those between them and at the ends, but with both none "
          "that is empty at the end; 4 if empty matches count, too.",
          effects="reads string state, allocates anything, fails")

# JSON, for stdlib/language/json.lisp.

primitive("%json-value", "(text: value, begins: string, line: index, document: value) -> value",
          "rt_json_value",
          "The value of a JSON text in a string, or the next one of a port, and then #<eof>.  Of a "
          "document it is the only one.  begins: what messages begin with.  line: the number of "
          "the first line.",
          effects="reads anything, writes table port, allocates anything, fails")
primitive("%json-written", "(x: value) -> value", "rt_json_written",
          "The JSON text of a value; #f for values that the library must write.",
          effects="reads anything, allocates anything, fails")
