"""Forms that other forms replace: `include`, `cond-expand`; and the forms of modules.

    (include "part.lisp")   =>  (begin form ...), the forms of the file

They may appear at the top level and in bodies, as definitions may.  `analyze` handles `import` and
`define-library`; the handlers here report them where they are not allowed.
"""

from collections.abc import Sequence

from lambent.lang.core.ir import Core
from lambent.lang.core.modules.features import chosen
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import core_name, listed, rewriting_form, special_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List

_IMPORT = '(import "file.lisp" (library name) ...)'
_LIBRARY = "(define-library (name ...) declaration ...)"


@special_form("import", _IMPORT)
def _import(form: List, env: Env) -> Core:
    raise SyntaxFault("import: expected at the top level", form.span)


@special_form("define-library", _LIBRARY)
def _define_library(form: List, env: Env) -> Core:
    raise SyntaxFault("define-library: expected at the top level", form.span)


@rewriting_form("include", '(include "file.lisp" ...)')
def _include(form: List, env: Env) -> Datum:
    modules = env.unit.scope.modules
    if modules is None:
        raise SyntaxFault("include: cannot include files in the body of a defmacro", form.span)
    return _sequence(modules.included(form), form, env)


rewriting_form("include-ci", '(include-ci "file.lisp" ...)')(_include)


@rewriting_form("cond-expand", "(cond-expand (requirement form ...) ... [(else form ...)])")
def _cond_expand(form: List, env: Env) -> Datum:
    return _sequence(chosen(form, env.unit.scope.modules), form, env)


def _sequence(data: Sequence[Datum], form: List, env: Env) -> Datum:
    return listed(form, core_name("begin", form, env), *data)
