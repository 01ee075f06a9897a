"""The message for a call with the wrong number of arguments: of the checks and at run time.

    arity_message("substring", 2, 3, 1)  =>  "substring: expected 2 to 3 arguments, got 1"
"""


def arity_message(name: str, least: int, most: int | None, given: int) -> str:
    """most is None if there is no upper bound."""
    expected = str(least) if most in (least, None) else f"{least} to {most}"
    if most is None:
        expected, most = f"at least {least}", least
    elif least == 0 < most:
        expected = f"at most {most}"
    plural = "" if most == 1 else "s"
    return f"{name}: expected {expected} argument{plural}, got {given}"
