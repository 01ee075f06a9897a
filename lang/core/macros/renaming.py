"""`er-macro-transformer`: macros by a procedure that says itself what it renames.

    (define-syntax swap!
      (er-macro-transformer
        (lambda (form rename compare)
          (let ((a (cadr form)) (b (caddr form)))
            `(,(rename 'let) ((,(rename 'old) ,a)) (,(rename 'set!) ,a ,b)
                                                   (,(rename 'set!) ,b ,(rename 'old)))))))

`rename` returns an alias, the same one for a symbol throughout one expansion.  `compare` tells
whether two identifiers mean the same where the macro is used.  The procedure runs while the program
is analysed, and sees what the body of a `defmacro` sees.
"""

from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Namespace
from lambent.lang.core.macros.defmacro import runs_while_analysed
from lambent.lang.core.macros.patterns import is_equal_atom, is_same_identifier
from lambent.lang.core.macros.templates import Expander
from lambent.lang.core.scope import Env, Helper
from lambent.lang.core.special_forms import core_name, fresh_name, listed, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Datum, List, Symbol

USAGE = "(er-macro-transformer (lambda (form rename compare) body ...))"


def macro_of_procedure(form: List, name: str, doc: str | None, env: Env) -> Macro:
    """The macro that an `er-macro-transformer` form defines in an environment."""
    if len(form.items) != 2 or form.tail is not None:
        raise SyntaxFault(f"{name}: expected {USAGE}, got {shown(form)}", form.span)
    parameters = [fresh_name(text, form, env) for text in ("form", "rename", "compare")]
    define = listed(
        form,
        core_name("define", form, env),
        listed(form, Symbol(name, form.span), *parameters),
        listed(form, form.items[1], *parameters),
    )
    expansion = runs_while_analysed(name, define, form, env)
    visible = env.unit.scope.namespace is Namespace.PROGRAM

    def expand(use: List, around: Env) -> Datum:
        span = use.span.expanded_by(name if visible else None)
        expander = Expander(env, span)

        def rename(symbol: Datum) -> Datum:
            if not isinstance(symbol, Symbol):
                raise SyntaxFault(f"rename: expected a symbol, got {shown(symbol)}", span)
            return expander.alias(symbol)

        def compare(one: Datum, other: Datum) -> Datum:
            if isinstance(one, Symbol) and isinstance(other, Symbol):
                return Boolean(is_same_identifier(one, around, other, around), span)
            return Boolean(is_equal_atom(one, other), span)

        helpers = [Helper("rename", 1, rename), Helper("compare", 2, compare)]
        return expansion([use], use, span, around, helpers)

    return Macro(name, expand, f"({name} ...)", visible, doc)
