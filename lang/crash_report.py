"""The report of a bug in Lambent: `internal error in borrow, f (a.lisp:3:1)`.

Everything is read from the traceback, so passes need not record what they do.  The frame of a
pass's function shows the pass; the nodes among the local variables show the function of the program
that it was processing, and the location of that function.

The file contains versions, the command line, the traceback, the pass's input for that function, and
the program's text.  Nothing here may fail: a section that cannot be written says so.
"""

import os
import platform
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lambent.lang.syntax.source import Source, Span

_LONGEST_SUMMARY = 200
_LONGEST_TEXT = 200_000  # characters of a printed program


@dataclass(frozen=True, slots=True)
class Crash:
    """What Lambent was doing; None for what is unknown.

    before: the input of the pass, printed; only that function's, if it is known.
    """

    step: str | None = None
    function: str | None = None
    span: "Span | None" = None
    before: str | None = None
    sources: "tuple[Source, ...]" = ()


def report(error: BaseException, secrets: tuple[str, ...] = ()) -> str:
    """Write a report to a file; returns the message for the user.

    Neither has the secrets, nor those of the command line and of the environment.  An error that
    was reported before has no second file, and a process keeps a few files only.
    """
    try:
        crash = examine(error)
    except Exception:  # an error in this module: report only the traceback
        crash = Crash()
    where = ", ".join(text for text in (crash.step, _location(crash)) if text)
    hidden = (*secrets, *_own_secrets())
    # Hidden before it is cut: a part of a secret is one, too.
    said = _without(f"{type(error).__name__}: {error}", hidden)
    said = " ".join(said.split())[:_LONGEST_SUMMARY]
    told = (
        f"lambent: internal error{f' in {where}' if where else ''}: {said}\n"
        "This is a bug in Lambent, not in your program.  Please report it to Lambent's authors,\n"
    )
    place = _place(error)
    if place not in _FILES and len(_FILES) == _MOST_FILES:
        return f"{told}together with your program ({_MOST_FILES} reports have been kept already)"
    try:
        if place not in _FILES:
            _FILES[place] = _kept(_without(_report_text(error, crash), hidden))
        return f"{told}together with the file {_FILES[place]}"
    except OSError as failure:
        return f"{told}together with your program (no report is kept: {failure.strerror})"


# The reports of this process, by what was reported: a server could write one for each request.
_FILES: dict[str, str] = {}
_MOST_FILES = 8

_SECRET_OPTION, _SECRET_VARIABLE = "--api-key", "LAMBENT_API_KEY"


def _place(error: BaseException) -> str:
    """Identifies an error: its class, and where it was raised."""
    frames = [f"{frame.f_code.co_filename}:{frame.f_lineno}" for frame in _frames(error)]
    return f"{type(error).__name__} {' '.join(frames[-1:])}"


def _own_secrets() -> Iterator[str]:
    """The keys that the command line and the environment give."""
    for word, following in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        if word == _SECRET_OPTION:
            yield following
        elif word.startswith(f"{_SECRET_OPTION}="):
            yield word.partition("=")[2]
    yield os.environ.get(_SECRET_VARIABLE, "")


def _without(text: str, secrets: tuple[str, ...]) -> str:
    forms = {form for secret in secrets if secret for form in _forms(secret)}
    for form in sorted(forms, key=len, reverse=True):  # one may contain another
        text = text.replace(form, "***")
    return text


def _forms(secret: str) -> Iterator[str]:
    """How a text may show a secret: as it is, escaped by a language or protocol, or as bytes."""
    from base64 import b64encode
    from json import dumps
    from urllib.parse import quote, quote_plus

    data = secret.encode("utf-8", "surrogateescape")
    texts = {secret, data.decode("latin-1"), data.decode("utf-8", "replace")}
    for form in texts:
        yield from (form, repr(form)[1:-1], ascii(form)[1:-1], dumps(form)[1:-1])
        yield form.encode("utf-8", "backslashreplace").decode()
    yield repr(data)[2:-1]
    yield from (quote(data), quote(data, ""), quote_plus(data))
    yield from (b64encode(data).decode(), data.hex())


def _kept(text: str) -> str:
    """Write a report to a new file; returns its name."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="lambent-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
    ) as file:
        file.write(text)
    return file.name


def _location(crash: Crash) -> str:
    if crash.function and crash.span:
        return f"{crash.function} ({crash.span.location})"
    return crash.function or (crash.span.location if crash.span else "")


# The traceback.


def examine(error: BaseException) -> Crash:
    """The pass and the function of the program in a traceback."""
    frames = list(_frames(error))
    step, start = _step(frames)
    inner = frames[start:]
    node = next(_nodes(inner), None)
    argument = _given(frames[start]) if step is not None else None
    span = _span_of(node) or next((s for s in map(_span_of, _values(inner)) if _is_own(s)), None)
    return Crash(
        step,
        _name_of(node) if node is not None else None,
        span,
        _guarded(lambda: _printed(argument, node)) if step is not None else None,
        tuple(_sources(frames)),
    )


def _frames(error: BaseException) -> Iterator[FrameType]:
    """The frames of a traceback, outermost first."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _step(frames: list[FrameType]) -> tuple[str | None, int]:
    """The innermost pass that was running, and the index of its frame.

    The frames of machine code have no local variables, so `run_pass` shows the input.
    """
    from lambent.lang.passes import PASSES, STEPS, run_pass, verify

    named = {pass_.function: name for name, pass_ in PASSES.items()} | STEPS
    steps = {(function.__module__, function.__name__): name for function, name in named.items()}
    machine_code: tuple[str, int] | None = None
    for index in range(len(frames) - 1, -1, -1):
        code, local = frames[index].f_code, frames[index].f_locals
        if code is verify.__code__:
            return f"the verification of {local['pass_'].name}", index
        if code is run_pass.__code__:
            return local["pass_"].name, index
        name = steps.get((frames[index].f_globals.get("__name__", ""), code.co_name))
        if name is not None and local:
            return name, index
        if name is not None:
            machine_code = machine_code or (name, index)
    return machine_code or (None, 0)


def _given(frame: FrameType) -> Any:
    """The input of a pass: the first argument, or the one after `pass_`."""
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    if names[:1] == ("pass_",):
        names = names[1:]
    return frame.f_locals.get(names[0]) if names else None


def _values(frames: list[FrameType]) -> Iterator[Any]:
    """The values of local variables, innermost frame first, and the fields of objects in them."""
    for frame in reversed(frames):
        for value in list(frame.f_locals.values()):
            yield value
            for name in getattr(type(value), "__slots__", ()):
                yield getattr(value, name, None)


# The nodes.


def _nodes(frames: list[FrameType]) -> Iterator[Any]:
    """The functions and definitions of the program that the frames were processing."""
    return (value for value in _values(frames) if _name_of(value) is not None)


def _name_of(value: Any) -> str | None:
    """The name of a function or definition for users; None for other values."""
    from lambent.lang.compile.ir.anf import Function
    from lambent.lang.compile.ir.lifted import LiftedFunction
    from lambent.lang.core.ir import Define, Lambda
    from lambent.lang.syntax.datum import List, Symbol

    match value:
        case Function(name=name) | LiftedFunction(name=name) | Define(name=name):
            return f"function {name}"
        case Lambda(name=name):
            return f"function {name or 'lambda'}"
        case List((Symbol(head), List((Symbol(name), *_)) | Symbol(name), *_)):
            return f"function {name}" if head in ("define", "defn") else None
    return None


def _span_of(value: Any) -> "Span | None":
    from lambent.lang.syntax.source import Span

    span = value if isinstance(value, Span) else getattr(value, "span", None)
    return span if isinstance(span, Span) else None


def _is_own(span: "Span | None") -> bool:
    """Whether a span is in the user's program."""
    return span is not None and not span.source.library and bool(span.source.text)


def _sources(frames: list[FrameType]) -> "list[Source]":
    """The sources of the program, as far as the frames refer to them."""
    from lambent.lang.syntax.source import Source

    sources: dict[str, Source] = {}
    for value in _values(frames):
        span = _span_of(value)
        source = value if isinstance(value, Source) else span.source if span else None
        if source is not None and source.text and not source.library:
            sources.setdefault(source.name, source)
    return list(sources.values())


# Text.


def _printed(argument: Any, node: Any) -> str:
    """The input of a pass for a function; its whole input, if the function is unknown."""
    from lambent.lang.compile.ir.anf import Anf, Function
    from lambent.lang.compile.ir.lifted import LiftedFunction, LiftedProgram
    from lambent.lang.compile.ir.lifted_text import function_text as lifted_function_text
    from lambent.lang.compile.ir.lifted_text import to_text as lifted_text
    from lambent.lang.compile.ir.text import function_text
    from lambent.lang.compile.ir.text import to_text as anf_text
    from lambent.lang.core.ir import Define, Lambda, Program
    from lambent.lang.core.text import to_text as core_text
    from lambent.lang.syntax.layout import data_text
    from lambent.lang.syntax.source import Source

    if isinstance(argument, Anf) and isinstance(node, Function):
        same = [f for f in (*argument.functions, argument.main) if f.name == node.name]
        return function_text(*(same or [node])[:1])
    match node, argument:
        case Function(), _:
            return function_text(node)
        case LiftedFunction(), _:
            return lifted_function_text(node)
        case Define() | Lambda(), _:
            return core_text(Program((node,)))
        case None, Anf():
            return anf_text(argument)
        case None, LiftedProgram():
            return lifted_text(argument)
        case None, Program():
            return core_text(argument)
        case None, Source():
            return argument.text
        case None, list():
            return data_text(argument)
    return data_text([node]) if node is not None else repr(argument)


def _report_text(error: BaseException, crash: Crash) -> str:
    sections = {
        "lambent": _guarded(_version),
        "python": f"{sys.version.split()[0]} ({sys.executable})",
        "torch": _guarded(_torch),
        "platform": _guarded(platform.platform),
        "command": repr(sys.argv),
        "pass": crash.step or "none: not in a pass",
        "function": _location(crash) or "unknown",
    }
    head = "".join(f"{name + ':':10} {text}\n" for name, text in sections.items())
    trace = "".join(traceback.format_exception(error))
    texts = [f"{head}\n{trace}"]
    if crash.before is not None:
        texts.append(f"--- before {crash.step}\n{crash.before[:_LONGEST_TEXT].rstrip()}\n")
    programs = {source.name: source.text for source in crash.sources} or _programs_of_command()
    texts += [f"--- {name}\n{text[:_LONGEST_TEXT]}" for name, text in programs.items()]
    return "\n".join(texts)


def _guarded(text: Callable[[], str]) -> str:
    try:
        return text()
    except Exception as error:
        return f"unknown: {type(error).__name__}: {error}"


def _version() -> str:
    from importlib.metadata import version

    return f"{version('lambent')}, {_guarded(_commit)}"


def _commit() -> str:
    """The commit of this working copy, if it is one."""
    folder = Path(__file__).resolve().parent
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20)
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else "not a working copy"


def _torch() -> str:
    from lambent.ctorch.build import any_torch

    torch = any_torch()
    return f"{torch.version} ({torch.folder})"


def _programs_of_command() -> dict[str, str]:
    """The programs that the command line names."""
    names = [word for word in sys.argv[1:] if word.endswith(".lisp") and os.access(word, os.R_OK)]
    return {name: _guarded(partial(Path(name).read_text, "utf-8")) for name in names}
