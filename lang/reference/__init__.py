"""What every procedure, form and operator does: for `lambent doc` and docs/reference.md."""
