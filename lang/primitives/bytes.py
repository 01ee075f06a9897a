"""Bytevectors: mutable vectors of bytes."""

from lambent.lang.primitives.ranges import SIZES, Range
from lambent.lang.primitives.table import primitive, variant

_RANGE = "start: index = 0, end: value = #f"

primitive("bytevector?", "(x: value) -> boolean", "rt_is_bytevector",
          "Whether it is a bytevector.", effects="")
primitive("bytevector", "(*bytes: value) -> value", "rt_bytevector",
          "A new bytevector of the arguments.",
          example="(print (bytevector 1 2 255))  ; => #u8(1 2 255)",
          effects="allocates objects, fails")
primitive("make-bytevector", "(length: index, fill: value = 0) -> value", "rt_make_bytevector",
          "A new bytevector, every byte fill.",
          example="(print (make-bytevector 2 7))  ; => #u8(7 7)",
          effects="allocates numbers objects, fails")
primitive("bytevector-length", "(bytes: bytevector) -> fixnum", "rt_bytevector_length",
          "How many bytes it has.", example="(print (bytevector-length #u8(1 2)))  ; => 2",
          effects="reads bytevector, fails", range=SIZES)
primitive("bytevector-u8-ref", "(bytes: bytevector, k: index) -> fixnum", "rt_bytevector_u8_ref",
          "The byte at index k, from 0.",
          example="(print (bytevector-u8-ref #u8(5 6) 1))  ; => 6",
          variants=[variant("(bytes: bytevector, k: fixnum) -> fixnum", "rt_bytevector_u8_ref_at",
                            effects="reads bytevector, allocates numbers, fails", index=1)],
          effects="reads bytevector, allocates numbers, fails",
          range=Range(0, 255, is_counter=True))
primitive("bytevector-u8-set!", "(bytes: bytevector, k: index, byte: value) -> void",
          "rt_bytevector_u8_set", "Replace the byte at index k.",
          example="(define b (bytevector 1 2)) (bytevector-u8-set! b 0 9) (print b)"
                  "  ; => #u8(9 2)",
          variants=[variant("(bytes: bytevector, k: fixnum, byte: fixnum) -> void",
                            "rt_bytevector_u8_set_at",
                            effects="reads bytevector, writes bytevector, allocates numbers, fails",
                            index=1)],
          effects="reads bytevector, writes bytevector, allocates numbers, fails")
primitive("bytevector-copy", f"(bytes: bytevector, {_RANGE}) -> value", "rt_bytevector_copy",
          "A new bytevector of the bytes from start up to but without end.",
          example="(print (bytevector-copy #u8(1 2 3) 1))  ; => #u8(2 3)",
          effects="reads bytevector, allocates numbers objects, fails")
primitive("bytevector-copy!", f"(to: bytevector, at: index, from: bytevector, {_RANGE}) -> void",
          "rt_bytevector_copy_to",
          "Copy the bytes of `from` between start and end to index at of `to`.  They may overlap.",
          example="(define b (bytevector 1 2 3)) (bytevector-copy! b 1 b 0 2) (print b)"
                  "  ; => #u8(1 1 2)",
          effects="reads bytevector, writes bytevector, allocates numbers, fails")
primitive("bytevector-append", "(*bytevectors: value) -> value", "rt_bytevector_append",
          "A new bytevector of the bytes of all arguments.",
          example="(print (bytevector-append #u8(1) #u8(2 3)))  ; => #u8(1 2 3)",
          effects="reads bytevector, allocates objects, fails")
primitive("bytevector-fill!", f"(bytes: bytevector, byte: value, {_RANGE}) -> void",
          "rt_bytevector_fill", "Set every byte from start up to but without end.",
          example="(define b (bytevector 1 2 3)) (bytevector-fill! b 0 1) (print b)"
                  "  ; => #u8(1 0 0)",
          effects="reads bytevector, writes bytevector, allocates numbers, fails")
primitive("utf8->string", f"(bytes: bytevector, {_RANGE}) -> value", "rt_utf8_to_string",
          "The text whose UTF-8 is the bytes from start up to but without end.",
          example="(print (utf8->string #u8(206 187)))  ; => λ",
          effects="reads string bytevector, allocates numbers objects, fails")
primitive("string->utf8", f"(text: string, {_RANGE}) -> value", "rt_string_to_utf8_bytes",
          "The characters from start up to but without end in UTF-8.",
          example='(print (string->utf8 "aλ"))  ; => #u8(97 206 187)',
          effects="reads string, allocates anything, fails")

# What the library asks for on bytes: stdlib/text/ has the procedures that programs call, which
# check the arguments.

primitive("%bytes-call",
          "(name: symbol, first: value, second: value, third: value) -> value", "rt_bytes_call",
          "The result of one of the calls in runtime/text/bytes_calls.c.",
          effects="reads anything, writes port state, allocates anything, fails")
primitive("%gzip-port", "(port: port, level: value) -> value", "rt_gzip_port",
          "Let a port that has just been opened read or write a compressed file; #f if zlib is not "
          "installed.",
          effects="reads anything, writes port state, allocates anything, fails")
