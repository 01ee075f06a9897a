"""The printed form of the facts of inference, which `lambent show infer` prints.

    area(r: float) -> float
      t1: float
"""

from lambent.lang.compile.types.infer import Facts


def facts_text(facts: Facts) -> str:
    """Each function with the abstract types of its parameters, its result and its names."""
    return "\n".join(_function_text(name, facts) for name in facts.functions)


def _function_text(name: str, facts: Facts) -> str:
    own = facts.functions[name].parameters
    pairs = zip(own, facts.parameters[name], strict=True)
    row = ", ".join(f"{parameter.name}: {found.value}" for parameter, found in pairs)
    lines = [f"{name}({row}) -> {facts.results[name].value}"]
    lines += [f"  {local}: {found.value}" for local, found in facts.names[name].items()]
    return "\n".join(lines) + "\n"
