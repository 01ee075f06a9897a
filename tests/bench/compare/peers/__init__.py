"""Scripts that run a model outside of Lambent, for `lambent bench --compare`.

A Python that has the package runs one: `python SCRIPT TASK.json RESULT.json`.  It measures what
`lambent bench` does, and writes the same figures.
"""
