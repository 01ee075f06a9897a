"""Documentation of procedures, forms and operators, for `lambent doc` and docs/reference.md."""
