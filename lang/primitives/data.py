"""Booleans, equality, pairs and lists, symbols and keywords, vectors.

Primitives do not call procedures: `map`, `for-each` and similar ones are Lisp, in `stdlib/`, so
that only compiled code calls closures.
"""

from itertools import product

from lambent.lang.primitives.ranges import SIZES
from lambent.lang.primitives.signature import Type
from lambent.lang.primitives.table import Container, alias, primitive, variant

_RANGE = "start: index = 0, end: value = #f"

# Booleans and equality.

primitive("not", "(x: value) -> boolean", "rt_not",
          "Whether x is false.  A bool tensor of one element counts by its value.",
          example="(print (not #f) (not 0))  ; => #t #f",
          effects="reads tensor, allocates memory, fails")
primitive("boolean?", "(x: value) -> boolean", "rt_is_boolean", "Whether it is #t or #f.",
          effects="")
primitive("boolean=?", "(a: value, b: value) -> boolean", "rt_boolean_equal",
          "Whether the booleans are the same.", effects="fails")
primitive("eq?", "(a: value, b: value) -> boolean", "rt_eq", "Whether it is the same object.",
          effects="allocates numbers",
          example="(print (eq? 'a 'a) (eq? (list 1) (list 1)))  ; => #t #f")
primitive("eqv?", "(a: value, b: value) -> boolean", "rt_eqv",
          "Like eq?, and numbers of one value and exactness are the same.",
          effects="allocates numbers",
          example="(print (eqv? 1.5 1.5) (eqv? 1 1.0))  ; => #t #f")
primitive("%same?", "(a: value, b: value) -> boolean", "rt_is_same",
          "eq?, where one of the two is certainly not a number that needs an object.", effects="")
primitive("equal?", "(a: value, b: value) -> boolean", "rt_equal",
          "Whether the two have the same structure.  Tensors: dtype, shape and elements.",
          example="(print (equal? '(1 (2)) (list 1 (list 2))))  ; => #t",
          effects="reads pair vector string bytevector tensor, allocates numbers memory, fails")

# Pairs.

primitive("cons", "(car: own value, cdr: own value) -> value", "rt_cons", "A new pair.",
          effects="allocates objects", makes=Container.PAIR,
          example="(print (cons 1 2))  ; => (1 . 2)")
primitive("car", "(pair: pair) -> value", "rt_car", "The first of a pair.",
          example="(print (car '(1 2)))  ; => 1",
          projection="rt_car_projection", pair_field="car",
          variants=[variant("(pair: pair) -> number", "rt_car_number", effects="reads pair, fails",
                            projection="rt_car_number_projection")], effects="reads pair, fails")
primitive("cdr", "(pair: pair) -> value", "rt_cdr", "The second of a pair.",
          example="(print (cdr '(1 2)))  ; => (2)", projection="rt_cdr_projection",
          pair_field="cdr", effects="reads pair, fails")
for _path in [
    "".join(letters) for length in (2, 3, 4) for letters in product("ad", repeat=length)
]:
    primitive(f"c{_path}r", "(pair: pair) -> value", f"rt_c{_path}r",
              " of ".join({"a": "The car", "d": "The cdr"}[c] if i == 0 else
                          {"a": "the car", "d": "the cdr"}[c] for i, c in enumerate(_path)) + ".",
              projection=f"rt_c{_path}r_projection", effects="reads pair, fails")
primitive("set-car!", "(pair: pair, value: own value) -> void", "rt_set_car",
          "Replace the first of a pair.",
          example="(define p (list 1 2)) (set-car! p 9) (print p)  ; => (9 2)",
          effects="reads pair, writes pair, fails")
primitive("set-cdr!", "(pair: pair, value: own value) -> void", "rt_set_cdr",
          "Replace the second of a pair.",
          example="(define p (list 1 2)) (set-cdr! p 9) (print p)  ; => (1 . 9)",
          effects="reads pair, writes pair, fails")
for _field in ("car", "cdr"):
    primitive(f"%exchange-{_field}!", "(pair: pair, value: own value) -> value",
              f"rt_exchange_{_field}", f"Replace the {_field} of a pair; the one that it had.",
              effects="reads pair, writes pair, fails")
primitive("pair?", "(x: value) -> boolean", "rt_is_pair", "Whether it is a pair.", effects="",
          tests=Container.PAIR)
primitive("null?", "(x: value) -> boolean", "rt_is_null", "Whether it is the empty list.",
          effects="")
primitive("list?", "(x: value) -> boolean", "rt_is_list", "Whether it is a proper list.",
          effects="reads pair", example="(print (list? '(1 2)) (list? '(1 . 2)))  ; => #t #f")

# Lists.

primitive("list", "(*items: own value) -> value", "rt_list", "A new list of the arguments.",
          effects="allocates objects", example="(print (list 1 2 3))  ; => (1 2 3)")
primitive("length", "(list: list) -> fixnum", "rt_length", "How many elements a list has.",
          example="(print (length '(a b c)))  ; => 3", effects="reads pair, fails", range=SIZES)
primitive("append", "(*lists: own value) -> value", "rt_append",
          "One list of the elements of all lists.  The last list is shared and may be any object.",
          example="(print (append '(1) '(2 3) '()))  ; => (1 2 3)",
          effects="reads pair, allocates objects, fails")
primitive("reverse", "(list: own list) -> value", "rt_reverse", "A new list, last element first.",
          example="(print (reverse '(1 2 3)))  ; => (3 2 1)",
          effects="reads pair, allocates objects, fails")
primitive("list-tail", "(list: value, k: index) -> value", "rt_list_tail",
          "The list without its first k elements.",
          example="(print (list-tail '(1 2 3) 1))  ; => (2 3)",
          projection="rt_list_tail_projection",
          effects="reads pair, allocates numbers, fails")
primitive("list-ref", "(list: value, k: index) -> value", "rt_list_ref",
          "The element at index k, from 0.", example="(print (list-ref '(a b c) 1))  ; => b",
          projection="rt_list_ref_projection",
          effects="reads pair, allocates numbers, fails")
primitive("list-set!", "(list: value, k: index, value: own value) -> void", "rt_list_set",
          "Replace the element at index k.",
          example="(define l (list 1 2)) (list-set! l 1 9) (print l)  ; => (1 9)",
          effects="reads pair, writes pair, allocates numbers, fails")
primitive("list-copy", "(list: value) -> value", "rt_list_copy", "A new list of the elements.",
          example="(print (list-copy '(1 2)))  ; => (1 2)",
          effects="reads pair, allocates objects, fails")
_IDENTICAL = "reads pair, allocates numbers, fails"
_EQUAL = "reads pair vector string bytevector tensor, allocates numbers memory, fails"
for _name, _same, _effects in (
    ("memq", "eq?", _IDENTICAL), ("memv", "eqv?", _IDENTICAL), ("member", "equal?", _EQUAL)
):
    primitive(_name, "(x: value, list: list) -> value", f"rt_{_name}",
              f"The rest of the list from the first element that is {_same} to x, or #f.",
              example=f"(print ({_name} 'b '(a b c)))  ; => (b c)", effects=_effects)
for _name, _same, _effects in (
    ("assq", "eq?", _IDENTICAL), ("assv", "eqv?", _IDENTICAL), ("assoc", "equal?", _EQUAL)
):
    primitive(_name, "(key: value, alist: list) -> value", f"rt_{_name}",
              f"The first pair of the list whose car is {_same} to key, or #f.",
              example=f"(print ({_name} 'b '((a 1) (b 2))))  ; => (b 2)", effects=_effects)
primitive("range", "(start: integer, end: value = #f, step: value = 1) -> value", "rt_range",
          "The integers from start, or 0, up to but without end, as a list.",
          example="(print (range 4) (range 1 8 3))  ; => (0 1 2 3) (1 4 7)",
          effects="allocates anything, computes with tensors, fails")
primitive("iota", "(count: index, start: number = 0, step: number = 1) -> value", "rt_iota",
          "A list of count numbers.", example="(print (iota 3) (iota 3 1))  ; => (0 1 2) (1 2 3)",
          effects="allocates anything, computes with tensors, fails")

# Symbols and keywords.

primitive("symbol?", "(x: value) -> boolean", "rt_is_symbol", "Whether it is a symbol.",
          effects="")
primitive("keyword?", "(x: value) -> boolean", "rt_is_keyword", "Whether it is a keyword.",
          effects="")
primitive("procedure?", "(x: value) -> boolean", "rt_is_applicable",
          "Whether it can be called: a procedure, or a record whose type has a :call procedure.",
          effects="reads record")
primitive("%accepts?", "(procedure: procedure, count: index) -> boolean", "rt_accepts",
          "Whether a procedure may be called with count positional arguments.",
          effects="reads record, fails")
primitive("symbol->string", "(symbol: symbol) -> value", "rt_symbol_to_string", "Its name.",
          example="(write (symbol->string 'abc))  ; => \"abc\"",
          effects="reads string, allocates memory objects, fails")
primitive("string->symbol", "(text: string) -> value", "rt_string_to_symbol",
          "The symbol of that name.", example='(write (string->symbol "a b"))  ; => |a b|',
          effects="reads string, allocates memory objects, fails")
primitive("symbol=?", "(a: symbol, b: symbol) -> boolean", "rt_symbol_equal",
          "Whether the symbols are the same.", effects="fails")
primitive("symbol<?", "(a: symbol, b: symbol) -> boolean", "rt_symbol_less",
          "Whether the symbols' names increase, by code points.", effects="fails")
primitive("symbol-append", "(*symbols: value) -> value", "rt_symbol_append",
          "The symbol whose name is the names of all arguments, joined.",
          example="(print (symbol-append 'a 'b))  ; => ab",
          effects="allocates memory objects, fails")
primitive("string->uninterned-symbol", "(text: string) -> value",
          "rt_string_to_uninterned_symbol",
          "A new symbol of that name that is not eq? to any other.",
          example='(print (eq? (string->uninterned-symbol "a") \'a))  ; => #f',
          effects="reads string, allocates memory objects, fails")
primitive("keyword->symbol", "(keyword: keyword) -> value", "rt_keyword_to_symbol",
          "The symbol of the keyword's name.", example="(print (keyword->symbol :dim))  ; => dim",
          effects="allocates memory objects, fails")
primitive("symbol->keyword", "(symbol: symbol) -> value", "rt_symbol_to_keyword",
          "The keyword of the symbol's name.", example="(print (symbol->keyword 'dim))  ; => :dim",
          effects="allocates memory objects, fails")
primitive("keyword->string", "(keyword: keyword) -> value", "rt_keyword_to_string",
          "Its name, without the colon.", example="(write (keyword->string :dim))  ; => \"dim\"",
          effects="reads string, allocates memory objects, fails")
primitive("string->keyword", "(text: string) -> value", "rt_string_to_keyword",
          "The keyword of that name.", example='(print (string->keyword "dim"))  ; => :dim',
          effects="reads string, allocates memory objects, fails")

# Vectors.

primitive("vector?", "(x: value) -> boolean", "rt_is_vector", "Whether it is a vector.",
          effects="")
primitive("vector", "(*items: own value) -> value", "rt_vector", "A new vector of the arguments.",
          effects="allocates objects", makes=Container.VECTOR,
          example="(print (vector 1 2))  ; => #(1 2)")
primitive("make-vector", "(length: index, fill: value = 0) -> value", "rt_make_vector",
          "A new vector whose elements are fill.",
          example="(print (make-vector 2 'x))  ; => #(x x)",
          effects="allocates numbers objects, fails", sizes=Type.VECTOR)
primitive("vector-length", "(vector: vector) -> fixnum", "rt_vector_length",
          "How many elements it has.", example="(print (vector-length #(1 2)))  ; => 2",
          effects="reads vector, fails", measures=True, range=SIZES)
primitive("vector-ref", "(vector: vector, k: index) -> value", "rt_vector_ref",
          "The element at index k, from 0.", example="(print (vector-ref #(a b) 1))  ; => b",
          projection="rt_vector_ref_projection", indexes=Container.VECTOR,
          variants=[variant("(vector: vector, k: fixnum) -> float", "rt_doubles_ref",
                            effects="reads vector", index=1, of_doubles=True),
                    variant("(vector: vector, k: fixnum) -> float", "rt_doubles_ref_checked",
                            effects="reads vector, fails", index=1, of_doubles=True),
                    variant("(vector: vector, k: fixnum) -> number", "rt_vector_ref_number_at",
                            effects="reads vector, allocates numbers, fails",
                            projection="rt_vector_ref_number_at_projection", index=1),
                    variant("(vector: vector, k: index) -> number", "rt_vector_ref_number",
                            effects="reads vector, allocates numbers, fails",
                            projection="rt_vector_ref_number_projection"),
                    variant("(vector: vector, k: fixnum) -> value", "rt_vector_ref_at",
                            effects="reads vector, allocates numbers, fails",
                            projection="rt_vector_ref_at_projection", index=1),
                    variant("(vector: vector, k: fixnum) -> number", "rt_vector_number",
                            effects="reads vector, allocates numbers",
                            projection="rt_vector_number_projection", index=1, inside=True),
                    variant("(vector: vector, k: fixnum) -> value", "rt_vector_ref_inside",
                            effects="reads vector, allocates numbers",
                            projection="rt_vector_element", index=1, inside=True)],
          effects="reads vector, allocates numbers, fails")
primitive("vector-set!", "(vector: vector, k: index, value: own value) -> void", "rt_vector_set",
          "Replace the element at index k.",
          example="(define v (vector 1 2)) (vector-set! v 0 9) (print v)  ; => #(9 2)",
          variants=[variant("(vector: vector, k: fixnum, value: float) -> void", "rt_doubles_set",
                            effects="writes vector", index=1, of_doubles=True),
                    variant("(vector: vector, k: fixnum, value: float) -> void",
                            "rt_doubles_set_checked", effects="reads vector, writes vector, fails",
                            index=1, of_doubles=True),
                    variant("(vector: vector, k: fixnum, value: number) -> void",
                            "rt_vector_set_number_at",
                            effects="reads vector, writes vector, allocates numbers, fails",
                            index=1),
                    variant("(vector: vector, k: index, value: number) -> void",
                            "rt_vector_set_number",
                            effects="reads vector, writes vector, allocates numbers, fails"),
                    variant("(vector: vector, k: fixnum, value: own value) -> void",
                            "rt_vector_set_at",
                            effects="reads vector, writes vector, allocates numbers, fails",
                            index=1)],
          effects="reads vector, writes vector, allocates numbers, fails")
primitive("vector-fill!", f"(vector: vector, value: value, {_RANGE}) -> void", "rt_vector_fill",
          "Set every element from start up to but without end to value.",
          example="(define v (vector 1 2 3)) (vector-fill! v 0 1) (print v)  ; => #(1 0 0)",
          effects="reads vector, writes vector, allocates numbers, fails")
primitive("vector->list", f"(vector: vector, {_RANGE}) -> value", "rt_vector_to_list",
          "Its elements from start up to but without end.",
          example="(print (vector->list #(1 2 3) 1))  ; => (2 3)",
          effects="reads vector, allocates anything, fails")
primitive("vector-copy", f"(vector: vector, {_RANGE}) -> value", "rt_vector_copy",
          "A new vector of the elements from start up to but without end.",
          example="(print (vector-copy #(1 2 3) 1))  ; => #(2 3)",
          effects="reads vector, allocates numbers objects, fails")
primitive("%sort-plain!", "(items: vector, order: index) -> boolean", "rt_sort_plain",
          "Sort a vector, stably, if all its elements are exact integers, numbers with a point but "
          "nan, or strings: by <, >, string<? or string>? if the order is 0, 1, 2 or 3.  Whether "
          "it is sorted.",
          effects="reads vector string, writes vector, allocates numbers memory, fails")
primitive("vector-copy!", f"(to: vector, at: index, from: vector, {_RANGE}) -> void",
          "rt_vector_copy_to",
          "Copy the elements of `from` between start and end to index at of `to`.  They may "
          "overlap.",
          example="(define v (vector 1 2 3)) (vector-copy! v 1 v 0 2) (print v)  ; => #(1 1 2)",
          effects="reads vector, writes vector, allocates numbers memory, fails")
primitive("vector-append", "(*vectors: value) -> value", "rt_vector_append",
          "A new vector of the elements of all vectors.",
          example="(print (vector-append #(1) #(2 3)))  ; => #(1 2 3)",
          effects="reads vector, allocates numbers objects, fails")
primitive("list->vector", "(list: list) -> value", "rt_list_to_vector", "Its elements.",
          example="(print (list->vector '(1 2)))  ; => #(1 2)",
          effects="reads pair, allocates objects, fails")
alias("first", "car")
