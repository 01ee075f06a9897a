"""Programs on the evaluator: their code, and the executable that runs it."""

from lambent.lang.compile.closures.share_globals import share_globals
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.compile.ownership.borrow import borrow
from lambent.lang.compile.ownership.check_owned import check_owned
from lambent.lang.compile.ownership.exchange_fields import exchange_fields
from lambent.lang.compile.ownership.insert_frees import insert_frees
from lambent.lang.compile.ownership.move_fields import move_fields
from lambent.lang.compile.ownership.place_cleanups import place_cleanups
from lambent.lang.compile.types.effects import find_effects
from lambent.lang.compile.units.with_library import with_library
from lambent.lang.compile_library import compile_units_for
from lambent.lang.deep import call_deep
from lambent.lang.evaluator.code import Unsupported
from lambent.lang.evaluator.code_file import code_file
from lambent.lang.evaluator.emit_code import emit_code
from lambent.lang.interp.code_cache import Inputs
from lambent.lang.passes import Job, run_between
from lambent.lang.pipeline import executable_program, read_source

# The passes after `to_anf` that code needs: none of those that choose representations.
_PASSES = (
    share_globals, find_effects, exchange_fields, borrow, insert_frees, move_fields,
    place_cleanups,
)  # fmt: skip


def code_of_file(path: str) -> tuple[bytes, Inputs]:
    """The code of the program in a file, and what the files were that it imports."""
    job = Job(read_source(path), evaluates=False)
    program = with_library(executable_program(job))
    if program.tensors:
        raise Unsupported("tensors")
    compile_units_for(program)
    anf: Anf = run_between("with_library", "to_anf", program, job)
    inputs = job.scope.modules.inputs if job.scope.modules is not None else {}
    return call_deep(_code, anf, job.verifies), inputs


def _code(anf: Anf, verifies: bool) -> bytes:
    for run in _PASSES:
        anf = run(anf)
    if verifies:
        check_owned(anf)
    return code_file(*emit_code(anf))
