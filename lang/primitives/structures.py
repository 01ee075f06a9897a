"""Multiple values, records and hash tables."""

from lambent.lang.primitives.table import Container, primitive, variant

# Multiple values.  One value is itself; any other number of them is an object, which only the forms
# and procedures that receive values take apart.

primitive("values", "(*items: own value) -> value", "rt_values",
          "The arguments as that many values.",
          effects="allocates objects",
          example="(receive (q r) (values 3 1) (print q r))  ; => 3 1")

# For analysis and the library only.

primitive("%check-values", "(who: string, values: value, least: index, most: value) -> void",
          "rt_check_values",
          "Raise the error of a form named who if it expected another number of values.",
          effects="reads vector string, allocates memory, fails")
primitive("%check-list", "(who: string, items: value, least: index, most: value) -> void",
          "rt_check_list",
          "Raise the error of a form named who unless it got a list of the expected length.",
          effects="reads pair string, allocates memory, fails")
primitive("%check-room", "(who: string, count: value) -> void", "rt_check_room",
          "Refuse a number of elements if there is no memory for a list of so many.",
          effects="reads string, allocates numbers memory, fails")
primitive("%check-repeats", "(who: string, data: value) -> void", "rt_check_repeats",
          "Refuse nested data if there is no memory for its elements, each at every place where it "
          "occurs.",
          effects="reads pair vector string table, allocates numbers memory, fails")
primitive("%values-ref", "(values: value, k: index) -> value", "rt_values_ref",
          "The value at index k of values whose number has been checked.", effects="reads vector")
primitive("%first-of-two", "(values: value) -> value", "rt_first_of_two",
          "The first of two values, whose number has been checked.", effects="reads pair",
          projection="rt_first_of_two_projection", pair_field="cdr")
primitive("%second-of-two", "(values: value) -> value", "rt_second_of_two",
          "The second of two values, whose number has been checked.", effects="reads pair",
          projection="rt_second_of_two_projection", pair_field="car")
primitive("%values-tail", "(values: value, k: index) -> value", "rt_values_tail",
          "The list of the values from index k on; their number has been checked.",
          effects="reads vector, allocates objects")

primitive("%no-clause", "(who: string, count: index, expected: string, usage: string) -> value",
          "rt_no_clause", "Raise the error of a procedure named who that has no clause for count "
          "arguments.", effects="reads string, allocates memory, fails, never returns")

# Records.  Programs use them through the procedures of `define-record-type`.

primitive("%record-type", "(name: symbol, fields: value) -> value", "rt_record_type",
          "A new record type with the names of its fields in a vector, or #f for a type whose "
          "records are printed without their fields.  The last fields may have #f for a name: "
          "they are not printed.", effects="allocates objects")
primitive("%record-subtype", "(name: symbol, fields: value, parent: value, call: value) -> value",
          "rt_record_subtype", "A new record type that extends parent: the names of its fields, a "
          "vector, begin with parent's.  call is the procedure that a call of a record runs, or #f "
          "for parent's.", effects="reads vector record, allocates objects, fails")
primitive("%record", "(type: value, *fields: own value) -> value", "rt_record",
          "A new record of a type, with a value for each field.", effects="allocates objects",
          makes=Container.RECORD)
primitive("%record-copy", "(record: value, type: value, who: string) -> value", "rt_record_copy",
          "A new record of the record's own type with the same fields, for a procedure named who.",
          effects="reads string record, allocates memory objects, fails")
primitive("%record?", "(x: value, type: value) -> boolean", "rt_is_record",
          "Whether it is a record of the type.", effects="reads record",
          tests=Container.RECORD)
_REF = "(record: value, type: value, k: index, who: string)"
_READS_FIELD = "reads string record, allocates memory, fails"
primitive("%record-ref", f"{_REF} -> value",
          "rt_record_ref", "The field at index k, for a procedure named who.",
          projection="rt_record_ref_projection", indexes=Container.RECORD,
          variants=[variant(f"{_REF} -> float", "rt_record_ref_double", effects=_READS_FIELD),
                    variant(f"{_REF} -> number", "rt_record_ref_number", effects=_READS_FIELD,
                            projection="rt_record_ref_number_projection")],
          effects=_READS_FIELD)
primitive("%record-set!",
          "(record: value, type: value, k: index, value: own value, who: string) -> void",
          "rt_record_set", "Replace the field at index k, for a procedure named who.",
          effects="reads string record, writes record, allocates memory, fails")
primitive("%applicable-type", "(name: symbol, fields: value, call: value, roles: value) -> value",
          "rt_applicable_type", "A record type as %record-type's, whose records are applicable: a "
          "call of one calls the procedure with the record before the arguments.  roles is #f, or "
          "a vector with the role of each named field, which makes the records modules.",
          effects="allocates objects, fails")

# What programs may ask of any record.

primitive("record?", "(x: value) -> boolean", "rt_is_any_record",
          "Whether it is a record of any type.", effects="",
          example="(define-record-type pt (make-pt x) pt? (x pt-x)) "
                  "(print (record? (make-pt 1)))  ; => #t")
primitive("record-type", "(record: value) -> value", "rt_type_of_record",
          "The type of a record.",
          example="(define-record-type pt (make-pt x) pt? (x pt-x)) "
                  "(print (eq? (record-type (make-pt 1)) pt))  ; => #t",
          effects="reads record, fails")
primitive("record-type-name", "(type: value) -> value", "rt_name_of_record_type",
          "The name of a record type, a symbol.",
          example="(define-record-type pt (make-pt x) pt? (x pt-x)) "
                  "(print (record-type-name pt))  ; => pt", effects="reads record, fails")
primitive("record-type-fields", "(type: value) -> value", "rt_fields_of_record_type",
          "The names of a record type's fields, a list of symbols.",
          example="(define-record-type pt (make-pt x y) pt? (x pt-x) (y pt-y)) "
                  "(print (record-type-fields pt))  ; => (x y)",
          effects="reads vector record, allocates objects, fails")
primitive("record-fields", "(record: value) -> value", "rt_fields_of_record",
          "The values of a record's fields, a list in the order of record-type-fields.",
          example="(define-record-type pt (make-pt x y) pt? (x pt-x) (y pt-y)) "
                  "(print (record-fields (make-pt 1 2)))  ; => (1 2)",
          effects="reads vector record, allocates objects, fails")
primitive("%record-roles", "(x: value) -> value", "rt_roles_of_record",
          "The roles of a module's fields, a vector; #f for other values.", effects="reads record")
primitive("%record-slot", "(record: value, k: index) -> value", "rt_record_slot",
          "The field of any record at index k, also one without a name.",
          effects="reads record, allocates numbers, fails")
primitive("%set-record-slot!", "(record: value, k: index, value: own value) -> void",
          "rt_set_record_slot", "Replace the field of any record at index k.",
          effects="reads record, writes record, allocates numbers, fails")

# Hash tables, by equal?, in the order of insertion.

_COMPARE = "reads pair vector string bytevector table tensor"
_SEARCH = f"{_COMPARE}, allocates numbers memory, fails"
_CHANGE = f"{_COMPARE}, writes table, allocates numbers memory, fails"

primitive("make-hash-table", "() -> value", "rt_make_hash_table",
          "A new hash table.  Keys are compared by equal?, tensors by eq?.",
          effects="allocates objects",
          example="(print (make-hash-table))  ; => #<hash-table>")
primitive("%make-identity-table", "() -> value", "rt_make_identity_table",
          "A new hash table whose keys are compared by eqv?.", effects="allocates objects")
primitive("%identity-table?", "(table: hash-table) -> boolean", "rt_is_identity_table",
          "Whether a table compares its keys by eqv?.", effects="reads table, fails")
primitive("%note-equivalence!", "(table: hash-table, number: index) -> void",
          "rt_note_equivalence",
          "Keep the number of the equivalence that a table was made with, for the library.",
          effects="reads table, writes table, fails")
primitive("%noted-equivalence", "(table: hash-table) -> value", "rt_noted_equivalence",
          "The number that %note-equivalence! was given, or 0.", effects="reads table, fails")
primitive("hash-table?", "(x: value) -> boolean", "rt_is_hash_table",
          "Whether it is a hash table.", effects="")
primitive("hash-ref", "(table: hash-table, key: value, default: value = absent) -> value",
          "rt_hash_ref",
          "The value of a key, or the default, which is not called if it is a procedure: "
          "hash-table-ref calls one.  A missing key without a default is an error.",
          example="(print (hash-ref (make-hash-table) 'a 0))  ; => 0",
          effects=_SEARCH)
primitive("hash-set!", "(table: hash-table, key: own value, value: own value) -> void",
          "rt_hash_set", "Set the value of a key.",
          example="(define t (make-hash-table)) (hash-set! t 'a 1) (print (hash-ref t 'a))  ; => 1",
          effects=_CHANGE)
primitive("hash-delete!", "(table: hash-table, key: value) -> void", "rt_hash_delete",
          "Remove a key, if the table has it.",
          effects=_CHANGE)
primitive("hash-has-key?", "(table: hash-table, key: value) -> boolean", "rt_hash_has_key",
          "Whether the table has a key.",
          example="(print (hash-has-key? (make-hash-table) 'a))  ; => #f",
          effects=_SEARCH)
primitive("hash-size", "(table: hash-table) -> fixnum", "rt_hash_size", "How many keys it has.",
          example="(print (hash-size (hash-table 'a 1 'b 2)))  ; => 2",
          effects="reads table, fails")
primitive("hash-keys", "(table: hash-table) -> value", "rt_hash_keys",
          "The list of the keys, in the order of insertion.",
          example="(print (hash-keys (hash-table 'a 1 'b 2)))  ; => (a b)",
          effects="reads table, allocates memory objects, fails")
primitive("hash-values", "(table: hash-table) -> value", "rt_hash_values",
          "The list of the values, in the order of insertion.",
          example="(print (hash-values (hash-table 'a 1 'b 2)))  ; => (1 2)",
          effects="reads table, allocates memory objects, fails")
primitive("hash->list", "(table: hash-table) -> value", "rt_hash_to_list",
          "The list of pairs of key and value, in the order of insertion.",
          example="(print (hash->list (hash-table 'a 1 'b 2)))  ; => ((a . 1) (b . 2))",
          effects="reads table, allocates memory objects, fails")
primitive("hash-clear!", "(table: hash-table) -> void", "rt_hash_clear", "Remove all keys.",
          effects="reads table, writes table, allocates memory, fails")
primitive("hash-copy", "(table: hash-table) -> value", "rt_hash_copy",
          "A new table of the same keys and values.",
          effects="reads table, writes table, allocates memory objects, fails")

# Many keys at once, for sets; the library does what these do not.

primitive("%searchable?", "(table: value, key: value) -> boolean", "rt_is_searchable",
          "Whether it is a hash table that can be searched for the key without a procedure of the "
          "library.", effects="reads table")
primitive("%add-keys!", "(table: value, keys: value, value: value) -> value", "rt_add_keys",
          "Set the value of the keys of a list up to one for which the table is not %searchable?, "
          "and return the rest of the list.",
          effects=_CHANGE)
primitive("%unite-tables!", "(table: value, other: value) -> boolean", "rt_unite_tables",
          "Add the keys and values of another table whose keys are missing, if both search in the "
          "same way without a procedure of the library.  Whether they do.",
          effects=_CHANGE)
primitive("%selected-keys", "(table: value, other: value, kept?: value) -> value",
          "rt_selected_keys",
          "A new table of the entries of a table whose keys the other one has or, with #f, lacks; "
          "#f if the two search in different ways, or with a procedure of the library.",
          effects=f"{_COMPARE}, writes table, allocates anything, fails")

# Hash tables with their own equivalence (stdlib/language/hash-keying.lisp).

primitive("%make-keyed-table", "(keying: value) -> value", "rt_make_keyed_table",
          "A new hash table whose keys are found by hashes that the caller passes.",
          effects="reads table, writes table, allocates memory objects, fails")
primitive("%set-keying!", "(table: value, keying: value) -> void", "rt_set_keying",
          "Let a table without keys be one that %make-keyed-table has made.",
          effects="reads table, writes table, allocates memory, fails")
primitive("%hash-text", "(text: string) -> fixnum", "rt_hash_text",
          "The hash of a string's characters, below 4294967291.", effects="reads string, fails")
primitive("%table-keying", "(table: value) -> value", "rt_table_keying",
          "What %make-keyed-table was given; #f of anything else.", effects="reads table")
primitive("%keys-of-hash", "(table: value, hash: value) -> value", "rt_keys_of_hash",
          "The keys that were inserted with a hash, in the order of insertion.",
          effects="reads pair table, writes pair, allocates objects")
primitive("%keyed-ref", "(table: value, hash: value, key: value, default: value) -> value",
          "rt_keyed_ref", "The value of a key of that hash, compared by eqv?, or the default.",
          effects=_SEARCH)
primitive("%keyed-set!", "(table: value, hash: value, key: own value, value: own value) -> void",
          "rt_keyed_set", "Set the value of a key of that hash, compared by eqv?.",
          effects=_CHANGE)
primitive("%keyed-delete!", "(table: value, hash: value, key: value) -> void",
          "rt_keyed_delete", "Remove a key of that hash, compared by eqv?.",
          effects=_CHANGE)
