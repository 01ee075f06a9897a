"""Procedures that evaluate programs.  Only the interpreter has them, an executable does not."""

from lambent.lang.primitives.table import primitive

primitive("eval", "(expression: value, environment: value = #f) -> value", "rt_eval",
          "The value of an expression, given as data, in an environment; by default the "
          "program's own.  Definitions and imports are allowed, too.", interpreted=True)
primitive("environment", "(*sets: value) -> value", "rt_new_environment",
          "An environment of the libraries and files that the import sets name.",
          interpreted=True)
primitive("interaction-environment", "() -> value", "rt_interaction_environment",
          "The environment of the program, or of the REPL.", interpreted=True)
primitive("scheme-report-environment", "(version: value) -> value",
          "rt_scheme_report_environment",
          "An environment of the standard names; version is 5 or 7.", interpreted=True)
primitive("null-environment", "(version: value) -> value", "rt_null_environment",
          "The same as scheme-report-environment.", interpreted=True)
primitive("load", "(path: value, environment: value = #f) -> void", "rt_load",
          "Evaluate the forms of a file, one after the other.", interpreted=True)
