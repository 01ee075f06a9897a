"""`eval`, `load` and environments: the first call loads the front end."""

from typing import TYPE_CHECKING

from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import FALSE, UNSPECIFIED, Environment, Lisp

if TYPE_CHECKING:
    from lambent.lang.interp.world import World


def _world() -> "World":
    from lambent.lang.interp.machine import RUNNING

    return RUNNING[0].world


def _environment(name: str, environment: Lisp) -> Environment:
    if environment is FALSE:
        return interaction_environment()
    if environment.__class__ is not Environment:
        wrong_type(name, "an environment", environment)
    return environment


def eval_(expression: Lisp, environment: Lisp = FALSE) -> Lisp:
    where = _environment("eval", environment)
    return _world().evaluate(expression, where.scope)


def load(path: Lisp, environment: Lisp = FALSE) -> Lisp:
    name = text_of("load", path)
    where = _environment("load", environment)
    _world().load(name, where.scope)
    return UNSPECIFIED


def new_environment(*sets: Lisp) -> Environment:
    return Environment(_world().environment(sets))


def interaction_environment() -> Environment:
    return Environment(_world().scope)


def scheme_report_environment(version: Lisp) -> Environment:
    if version not in (5, 7):
        wrong_type("scheme-report-environment", "5 or 7", version)
    return new_environment()


def null_environment(version: Lisp) -> Environment:
    if version not in (5, 7):
        wrong_type("null-environment", "5 or 7", version)
    return new_environment()
