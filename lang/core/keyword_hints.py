"""The hint of an unknown keyword: the one that was meant, if one is near.

    :max_tokens, :max-token   =>  did you mean :max-tokens?
    :bias=#f                  =>  write :bias #f

`rt_say_near_keyword` in runtime/errors/keyword_hint.c is the counterpart for executables.
"""

from collections.abc import Collection


def keyword_hint(keyword: str, keywords: Collection[str], usage: str) -> str:
    """What the user may have meant, or how the procedure is called."""
    name, equals, value = keyword.partition("=")
    dashed = name.replace("_", "-")
    near = [k for k in sorted(keywords) if _is_near(_bytes(k), _bytes(dashed))]
    meant = dashed if dashed in keywords else near[0] if near else None
    if meant is None:
        return f"usage: {usage}"
    if not equals:
        return f"did you mean :{meant}?"
    return f"write :{meant} {value}" if value else f"write :{meant}"


def _bytes(name: str) -> bytes:
    return name.encode(errors="surrogatepass")


def _is_near(a: bytes, b: bytes) -> bool:
    """Whether one added, missing or changed letter makes a name of four letters or more another."""
    if min(len(a), len(b)) < 4 or abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return max(len(a), len(b)) - start - end <= 1
