"""The command `lambent`: its arguments, and its exit status.

    lambent examples/digits.lisp        =>  run.run_file("examples/digits.lisp", [])
    lambent compile a.lisp -o a         =>  pipeline.compile_file(...)

Running a script must start fast, so this module imports the rest only as needed, and parses the
command line by hand.  The user never sees a Python traceback: mistakes are `LispError`s, and any
other exception is reported as a bug in Lambent.
"""

import errno
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lambent.lang.errors import (
    EXIT_INTERRUPT,
    EXIT_RUNTIME,
    LispError,
    MissingInput,
    UsageFault,
    render,
)
from lambent.lang.system.streams import prepare_output

if TYPE_CHECKING:
    from pathlib import Path

    from lambent.lang.core.check.diagnostic import Diagnostic

_HELP = frozenset({"-h", "--help"})  # anywhere among a command's words
_REPORTS_USAGE = "lambent [--memory-report] [--profile OUT.json] FILE [ARGUMENT ...]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the result is its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _die_quietly_on_closed_pipes()
    _open_missing_streams()
    prepare_output()
    try:
        status = _dispatch(words)
        sys.stdout.flush()
        return status
    except LispError as error:
        _flush_output()
        print(render(error), file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return EXIT_INTERRUPT
    except MemoryError:
        _flush_output()
        print("lambent: not enough memory", file=sys.stderr)
        return EXIT_RUNTIME
    except OSError as error:
        if error.errno != errno.ENOSPC:
            return _report_internal_error(error)
        return _report_full_disk(error)
    except Exception as error:  # a bug in Lambent
        return _report_internal_error(error)


def _dispatch(words: list[str]) -> int:
    match words:
        case []:
            return _run_entries()
        case ["-L", folder, *rest]:
            _add_library_folder(folder)
            return _dispatch(rest)
        case ["-", *rest] if _on_evaluator():
            from lambent.lang.evaluator.start import run_input as run_input_on_evaluator

            return run_input_on_evaluator(rest)
        case ["-", *rest]:
            from lambent.lang.interp.repl.piped import run_input

            return run_input(rest)
        case ["-i", file, *rest]:
            return _run_repl(file, rest)
        case ["-e", text] if _on_evaluator():
            from lambent.lang.evaluator.start import run_text as run_text_on_evaluator

            return run_text_on_evaluator(text, "-e", ["-e"], shows=True)
        case ["-e", text]:
            from lambent.lang.interp.run import run_text

            return run_text(text, "-e")
        case ["-h" | "--help" | "help"]:
            return _help()
        case ["help", command] if command in COMMANDS:
            return _help(command)
        case ["--version"]:
            return _version()
        case ["--memory-report" | "--profile", *_]:
            return _run_with_reports(words)
        case ["--time-passes", *rest]:
            return _timed(rest)
        case ["bench", *rest] if "--compare" in rest and _HELP.isdisjoint(rest):
            return _compare(rest)
        # Lisp parses their words, in executables too.
        case ["generate" | "chat" | "quantize" | "bench" | "transcribe", *_]:
            return _run_model_command(words)
        case ["help", "generate" | "chat" | "quantize" | "bench" | "transcribe" as command]:
            return _run_model_command([command, "--help"])
        case ["launch", *rest]:  # what follows the program's name belongs to the program
            return _launch(rest)
        case [command, *rest] if command in COMMANDS and not _HELP.isdisjoint(rest):
            return _help(command)
        case [command, *rest] if command in COMMANDS and "--time-passes" in rest:
            return _timed([word for word in words if word != "--time-passes"])
        case [command, *rest] if command in COMMANDS:
            from lambent.lang.cancelling import cancelled_by_ctrl_c

            _collect_seldom()
            with cancelled_by_ctrl_c():
                return COMMANDS[command](rest)
        case [option, *_] if option.startswith("-"):
            wrong = {
                "-e": "-e takes one expression",
                "-i": "-i takes the name of a program",
                "-L": "-L takes a folder with libraries",
            }
            raise _bad_usage(wrong.get(option, f"unknown option: {option}"))
        case [word, file, *_] if not os.access(word, os.F_OK) and os.access(file, os.F_OK):
            message = f"cannot open {word}: {os.strerror(errno.ENOENT)}"
            raise MissingInput(message, hint=f"lambent {file} runs a program; lambent --help")
        case [file, *rest] if _on_evaluator():
            from lambent.lang.evaluator.start import run_file as run_on_evaluator

            return run_on_evaluator(file, rest)
        case [file, *rest]:
            from lambent.lang.interp.run import run_file

            return run_file(file, rest)
    raise AssertionError(words)


def _on_evaluator() -> bool:
    """Whether Lisp runs on the evaluator: where that is built, unless LAMBENT_MACHINE says no (0),
    or yes (1), and then it is built now."""
    choice = os.environ.get("LAMBENT_MACHINE")
    if choice:
        return choice != "0"
    from lambent.lang.evaluator.start import is_built

    return is_built()


def _run_entries() -> int:
    """The REPL, or entries from a pipe."""
    if sys.stdin.isatty():
        return _run_repl(None, [])
    if _on_evaluator():
        from lambent.lang.evaluator.repl import run_piped as run_on_evaluator

        return run_on_evaluator()
    from lambent.lang.interp.repl.piped import run_piped

    return run_piped()


def _run_repl(file: str | None, arguments: list[str]) -> int:
    if _on_evaluator():
        from lambent.lang.evaluator.repl import run_repl as run_on_evaluator

        return run_on_evaluator(file, arguments)
    from lambent.lang.interp.repl.repl import run_repl

    return run_repl(file, arguments)


def _add_library_folder(folder: str) -> None:
    """Look for libraries in a folder, before those of the variable LAMBENT_PATH."""
    if not os.path.isdir(folder):  # noqa: PTH112 - pathlib takes longer to load
        raise _bad_usage(f"-L takes a folder with libraries, got {folder}")
    others = os.environ.get("LAMBENT_PATH", "")
    os.environ["LAMBENT_PATH"] = folder + (os.pathsep + others if others else "")


def _timed(words: list[str]) -> int:
    """The command without the option, and a table of its steps, also if it fails."""
    from lambent.lang.system import timing

    if not words or words[0].startswith("--"):
        raise _bad_usage("--time-passes takes a program", "lambent --time-passes FILE")
    timing.start()
    try:
        return _dispatch(words)
    finally:
        timing.finish()


_YOUNG = 200_000  # objects


def _collect_seldom() -> None:
    """Let Python look for garbage seldom.

    What commands make of a program is alive until they end, and Python would walk over all of it
    again and again: that was a fifth of the time that a long program took.
    """
    gc.set_threshold(_YOUNG)


def _run_with_reports(words: list[str]) -> int:
    """`[--memory-report] [--profile OUT] FILE [ARGUMENT ...]`: the program runs as without."""
    from lambent.lang.interp.reports import REPORTS

    while words[:1] in (["--memory-report"], ["--profile"]):
        if words[0] == "--memory-report":
            REPORTS.memory = True
            words = words[1:]
        elif len(words) > 1:
            REPORTS.profile = words[1]
            words = words[2:]
        else:
            raise _bad_usage("--profile takes the name of the file to write")
    if not words or words[0] in COMMANDS:
        raise _bad_usage("reports are made on the run of a program", _REPORTS_USAGE)
    return _dispatch(words)


def _compile(words: list[str]) -> int:
    """`compile FILE [-o OUT] [--emit-c] [-g] [--quick]`: C to the standard output if there is no
    OUT."""
    emit_c, debug, quick = "--emit-c" in words, "-g" in words, "--quick" in words
    words = [word for word in words if word not in ("--emit-c", "-g", "--quick")]
    output: str | None = None
    if "-o" in words:
        at = words.index("-o")
        if at + 1 == len(words):
            raise _bad_usage("-o takes the name of the file to write")
        output = words[at + 1]
        del words[at : at + 2]
    file = _one_file(words, "lambent compile FILE [-o PROGRAM] [--emit-c] [-g] [--quick]")
    from lambent.lang.pipeline import compile_file, emit_file
    from lambent.lang.system.collector import collector_paused
    from lambent.lang.system.outputs import write_text

    target = _target(file, output, emit_c)
    with collector_paused():
        if not emit_c:
            assert target is not None
            compile_file(file, target, debug, _print_diagnostics, quick=quick)
        elif target is None:
            sys.stdout.write(emit_file(file, None, debug, _print_diagnostics))
        else:
            write_text(target, emit_file(file, target, debug, _print_diagnostics))
    return 0


def _bundle(words: list[str]) -> int:
    """`bundle FILE -o OUT [--files PATH ...]`: prints how large the bundle is."""
    usage = "lambent bundle FILE -o FOLDER [--files PATH ...]"
    program: list[str] = []
    outputs: list[str] = []
    files: list[str] = []
    kind = program
    for word in words:
        match word:
            case "-o":
                kind = outputs
            case "--files":
                kind = files
            case _ if word.startswith("-"):
                raise _bad_usage(f"unknown option: {word}", usage)
            case _:
                kind.append(word)
                kind = files if kind is files else program
    file = _one_file(program, usage)
    if len(outputs) != 1 or not outputs[0]:
        raise _bad_usage("bundle takes -o and the name of one folder or archive", usage)
    from lambent.lang.bundle.bundle import make_bundle
    from lambent.lang.bundle.report import print_report
    from lambent.lang.system.collector import collector_paused

    with collector_paused():
        bundle = make_bundle(file, outputs[0], files, _print_diagnostics)
    print_report(bundle)
    return 0


def _target(file: str, output: str | None, emit_c: bool) -> "Path | None":
    """The file to write; an error, before the work begins, if it must not be written."""
    from pathlib import Path

    from lambent.lang.system.outputs import check_destination, refuse_inputs, refuse_other_files

    if output == "":
        raise _bad_usage("-o takes the name of the file to write")
    if output is None and emit_c:
        return None
    target = Path(file).stem if output is None else output
    refuse_inputs(target, [file])
    if output is None:
        refuse_other_files(Path(target), f"lambent compile {file} -o {target}")
    if not emit_c:
        check_destination(Path(target))
    return Path(target)


def _check(words: list[str]) -> int:
    """`check FILE ...`: status 0 even with warnings, which may be wrong."""
    usage = "lambent check FILE ..."
    _refuse_options(words, usage)
    if not words:
        raise _bad_usage("no file is given", usage)
    status = 0
    for file in _programs_of(words):
        try:
            _print_warnings(file)
        except LispError as error:  # the others are checked all the same
            print(render(error), file=sys.stderr)
            status = status or error.status
    return status


def _programs_of(paths: list[str]) -> Iterator[str]:
    """The files, and the programs in and below the folders, each once and in alphabetical order."""
    from pathlib import Path

    seen: set[str] = set()
    for path in paths:
        inside = sorted(str(file) for file in Path(path).rglob("*.lisp") if file.is_file())
        if Path(path).is_dir() and not inside:
            raise UsageFault(f"lambent: no file in {path} ends in .lisp")
        for file in inside or [path]:
            if file not in seen:
                seen.add(file)
                yield file


def _print_warnings(file: str) -> None:
    """Print what looks wrong to stderr: `warning: demo.lisp:3:1: ...`."""
    from lambent.lang.pipeline import diagnose_file

    _print_diagnostics(diagnose_file(file))


def _print_diagnostics(diagnostics: "Sequence[Diagnostic]") -> None:
    for diagnostic in diagnostics:
        print(diagnostic.text, file=sys.stderr)


def _show(words: list[str]) -> int:
    """`show [--after] PASS FILE [--all]`; `show` alone lists the passes."""
    from lambent.lang.passes import find_pass, list_text
    from lambent.lang.pipeline import show

    usage = "lambent show PASS FILE"
    everything = "--all" in words
    match [word for word in words if word not in ("--after", "--all")]:
        case []:
            sys.stdout.write(list_text())
            return 0
        case [name, *_] if everything and find_pass(name).name != "show_frees":
            raise UsageFault(f"lambent show: {name} has no option --all",
                             hint="lambent show frees --all FILE marks every value")
        case [name, file] if not name.startswith("-") and not file.startswith("-"):
            sys.stdout.write(show(find_pass(name).name, file, everything=everything))
            return 0
        case [name]:
            _refuse_options([name], usage)
            find_pass(name)
        case others:
            _refuse_options(others, usage)
    raise _bad_usage("show takes a pass and a file", usage)


def _new(words: list[str]) -> int:
    """`new NAME`."""
    from pathlib import Path

    from lambent.lang.new_project import make_project

    usage = "lambent new NAME"
    _refuse_options(words, usage)
    if len(words) != 1 or not words[0]:
        raise _bad_usage("new takes the name of one folder", usage)
    sys.stdout.write(make_project(Path(words[0])))
    return 0


def _test(words: list[str]) -> int:
    """`test [OPTION ...] [FILE ...]`: status 1 if a test fails, 2 if the words are wrong."""
    from lambent.lang.testing import run_tests

    return run_tests(words)


def _examples(words: list[str]) -> int:
    """`examples [NAME | -o FOLDER]`."""
    from pathlib import Path

    from lambent.lang.examples import copy_examples, example_text, list_examples

    match words:
        case []:
            sys.stdout.write(list_examples())
        case [name] if name and not name.startswith("-"):
            sys.stdout.write(example_text(name))
        case ["-o", output] if output:
            copy_examples(Path(output))
        case _:
            raise _bad_usage(
                f"examples takes a name, -o and a folder, or nothing, got {' '.join(words)}",
                "lambent examples [NAME | -o FOLDER]",
            )
    return 0


def _doc(words: list[str]) -> int:
    if len(words) != 1:
        raise _bad_usage("doc takes one name", "lambent doc NAME")
    from lambent.lang.reference.pages import describe

    print(describe(words[0]))
    return 0


# The default, the least value and what it is, by the option of `launch`.
_COUNTS = {
    "-n": (2, 1, "number of processes"),
    "--restarts": (0, 0, "number of restarts"),
    "--machines": (1, 1, "number of machines"),
    "--machine": (0, 0, "machine's number"),
}


def _launch(words: list[str]) -> int:
    """`launch [-n COUNT] [--label] ... FILE [ARGUMENT ...]`: options come before the file."""
    from lambent.lang.launch import Plan, command_for, launch

    usage = "lambent launch [-n COUNT] [OPTION ...] FILE [ARGUMENT ...]"
    numbers = {option: default for option, (default, _, _) in _COUNTS.items()}
    label = False
    address: tuple[str, int] | None = None
    while words and words[0].startswith("-"):
        if words[0] in _HELP:
            return _help("launch")
        match words:
            case [option, *values] if option in _COUNTS:
                _, least, noun = _COUNTS[option]
                number = _small_number(values[0]) if values else None
                if number is None or number < least:
                    raise _bad_usage(f"{option} takes a {noun} from {least}" + _got(values), usage)
                numbers[option] = number
                words = values[1:]
            case ["--address", place, *words] if (parsed := _parse_address(place)):
                address = parsed
            case ["--address", *values]:
                raise _bad_usage("--address takes HOST:PORT" + _got(values), usage)
            case ["--label", *words]:
                label = True
            case [word, *_]:
                raise _bad_usage(f"unknown option: {word}", usage)
    if not words:
        raise _bad_usage("no file is given", usage)
    if numbers["--machine"] >= numbers["--machines"]:
        raise _bad_usage("--machine takes a number below that of --machines, "
                         f"{numbers['--machines']}, got {numbers['--machine']}", usage)
    if numbers["--machines"] > 1 and not address:
        raise _bad_usage("several machines need the --address of rank 0", usage)
    return launch(Plan(
        command_for(words[0], words[1:]), numbers["-n"], label, numbers["--machines"],
        numbers["--machine"], address, numbers["--restarts"],
    ))


def _small_number(text: str) -> int | None:
    """A number of at most nine digits; more processes and machines there are not."""
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _got(values: list[str]) -> str:
    """The end of a message about the first of the words after an option."""
    return f", got {values[0][:60]}" if values else ""


def _parse_address(text: str) -> tuple[str, int] | None:
    """HOST:PORT; an address of IPv6 may stand in brackets."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    number = _small_number(port)
    if not host or number is None or not 0 < number < 1 << 16:
        return None
    return host, number


def _run_model_command(words: list[str]) -> int:
    """`generate`, `chat`, `quantize`, `bench`, `transcribe`: stdlib/chat/model-command.lisp."""
    program = "(language-model-command (cdr (command-line)))"
    if _on_evaluator():
        from lambent.lang.evaluator.start import run_text as run_on_evaluator

        return run_on_evaluator(program, "lambent", ["lambent", *words])
    from lambent.lang.interp.run import run_guarded, run_program

    return run_guarded(lambda: run_program(program, "lambent", ["lambent", *words]))


def _compare(words: list[str]) -> int:
    """`bench FOLDER --compare [OPTION ...]`: a benchmark, in tests/, which wheels do not carry."""
    from importlib import import_module
    from pathlib import Path

    from lambent.lang.cancelling import cancelled_by_ctrl_c

    checkout = Path(__file__).parents[1]
    if not (checkout / "tests" / "bench" / "compare").is_dir():
        raise UsageFault("lambent: bench --compare runs only in a checkout of Lambent",
                         hint="lambent bench FOLDER measures Lambent alone")
    sys.path.insert(0, str(checkout))
    with cancelled_by_ctrl_c():
        return int(import_module("tests.bench.compare.command").compare(words))


def _serve(words: list[str]) -> int:
    """`serve FOLDER [OPTION ...]`; mistakes in the words show before a missing package does."""
    from importlib.util import find_spec

    from lambent.lang.serve.options import parse

    parse(words)
    if find_spec("aiohttp") is None:
        raise LispError("lambent: serve needs the Python package aiohttp",
                        hint="pip install 'lambent[serve]'")
    from lambent.lang.serve.command import serve

    return serve(words)


def _doctor(words: list[str]) -> int:
    if words:
        raise _bad_usage("doctor takes no arguments")
    from lambent.lang.doctor import examine

    return examine()


def _help(command: str | None = None) -> int:
    from lambent.lang.command_help import USAGE, command_help

    print(USAGE if command is None else command_help(command))
    return 0


def _version() -> int:
    from importlib.metadata import version

    print(f"lambent {version('lambent')}")
    return 0


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "compile": _compile,
    "bundle": _bundle,
    "check": _check,
    "show": _show,
    "doc": _doc,
    "examples": _examples,
    "new": _new,
    "test": _test,
    "doctor": _doctor,
    "launch": _launch,
    "serve": _serve,
}


def _one_file(words: list[str], usage: str) -> str:
    _refuse_options(words, usage)
    match words:
        case [file]:
            return file
        case []:
            raise _bad_usage("no file is given", usage)
    raise _bad_usage(f"one file at a time, got {' '.join(words)}", usage)


def _refuse_options(words: list[str], usage: str) -> None:
    """Report an unknown option among the remaining words of a command."""
    for word in words:
        if word.startswith("-"):
            raise _bad_usage(f"unknown option: {word}", usage)


def _bad_usage(message: str, usage: str = "lambent --help") -> UsageFault:
    return UsageFault(f"lambent: {message}", hint=f"usage: {usage}")


def _die_quietly_on_closed_pipes() -> None:
    """`lambent big.lisp | head` ends as any Unix command does, and as executables do."""
    import signal

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _open_missing_streams() -> None:
    """Open /dev/null for closed streams, as with `>&-`, so that programs run as executables do."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115
            setattr(sys, name, stream)


def _report_full_disk(error: OSError) -> int:
    """Report a full disk.  The buffered output is dropped, or Python would fail on it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    print(f"cannot write: {error.strerror}", file=sys.stderr)
    return EXIT_RUNTIME


def _flush_output() -> None:
    """Flush what the program printed, so that it comes before the error message."""
    sys.stdout.flush()


def _report_internal_error(error: Exception) -> int:
    """Say that Lambent itself is broken, and keep what a report needs."""
    from lambent.lang.crash_report import report

    print(report(error), file=sys.stderr)
    return EXIT_RUNTIME
