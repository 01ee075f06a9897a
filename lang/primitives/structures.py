"""Multiple values, records and hash tables."""

from lambent.lang.primitives.table import primitive

# Multiple values.  One value is itself; any other number of them is an object that nothing but
# the forms and procedures which receive values takes apart.

primitive("values", "(*items: value) -> value", "rt_values", "The arguments as that many values.",
          fails=False,
          example="(receive (q r) (values 3 1) (print q r))  ; => 3 1")

# For analysis and the library only.

primitive("%check-values", "(who: string, values: value, least: index, most: value) -> void",
          "rt_check_values",
          "Raise the error of a form named who that expected another number of values.")
primitive("%values-ref", "(values: value, k: index) -> value", "rt_values_ref",
          "The value at index k of values that have been counted.", fails=False)
primitive("%values-tail", "(values: value, k: index) -> value", "rt_values_tail",
          "The list of the values from index k on, which have been counted.", fails=False)

primitive("%no-clause", "(who: string, count: index, expected: string, usage: string) -> value",
          "rt_no_clause", "Raise the error of a procedure named who that has no clause for count "
          "arguments.")

# Records.  Programs make and use them through the procedures of `define-record-type`.

primitive("%record-type", "(name: symbol, fields: value) -> value", "rt_record_type",
          "A new record type with the names of its fields in a vector, or #f for a type whose "
          "records show nothing of what they hold.", fails=False)
primitive("%record", "(type: value, *fields: own value) -> value", "rt_record",
          "A new record of a type, with a value for each field.", fails=False)
primitive("%record?", "(x: value, type: value) -> boolean", "rt_is_record",
          "Whether it is a record of the type.", fails=False)
primitive("%record-ref", "(record: value, type: value, k: index, who: string) -> value",
          "rt_record_ref", "The field at index k, for a procedure named who.")
primitive("%record-set!",
          "(record: value, type: value, k: index, value: own value, who: string) -> void",
          "rt_record_set", "Replace the field at index k, for a procedure named who.")
