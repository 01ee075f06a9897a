"""Versions of code for likely types: passes before `type_program`, which infer types themselves."""
