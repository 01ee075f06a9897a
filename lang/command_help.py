"""The text of `lambent --help`, and of `lambent COMMAND --help` for each command.

    command_help("check")  =>  usage: lambent check FILE [--time-passes]
                               ...

Only help loads this module, so scripts start without it.
"""

USAGE = """\
lambent                             the REPL
lambent FILE [ARGUMENT ...]         run a program; - is the standard input
lambent -i FILE [ARGUMENT ...]      run a program, then the REPL with its definitions
lambent -e EXPRESSION               evaluate, and print the value
        --memory-report FILE        run it, and say where its tensors took the most memory
        --profile OUT.json FILE     run it, and write which operators took how long
        --time-passes FILE          run it, and say how long each pass took
lambent compile FILE [-o PROGRAM]   compile to an executable that needs no Python
lambent compile --emit-c FILE [-o OUT.c]   write the C that it would compile
                -g                  for gdb: the lines of the Lisp source, little optimization
                --time-passes       say how long each pass and the C compiler took
lambent launch -n COUNT FILE        run it in several processes, which train together
lambent check FILE                  say what looks wrong, without running it
lambent show PASS FILE              print what a pass returns: read expand core anf owned c ...
lambent show                        list the passes
lambent doc NAME                    how a procedure or form is used
lambent doctor                      what is installed, what is missing, and the fix
lambent COMMAND --help              the options of compile, launch, check, show, doc, doctor
lambent --version, lambent --help"""

_HELP = "  --help         print this"
_TIME_PASSES = "  --time-passes  say how long each pass took"

_COMMANDS = {
    "compile": f"""\
usage: lambent compile FILE [-o PROGRAM] [--emit-c] [-g] [--time-passes]

Compile a program to an executable that needs no Python.  What looks wrong is
printed as a warning, and compiled nevertheless.

  -o PROGRAM     the file to write; without it, FILE's name without its ending
  --emit-c       write the C instead: to the file of -o, or to the standard output
  -g             for gdb: the lines of the Lisp source, little optimization
  --time-passes  say how long each pass and the C compiler took
{_HELP}""",
    "launch": f"""\
usage: lambent launch [-n COUNT] [--label] FILE [ARGUMENT ...]

Run a program of with-distributed, or an executable, in several processes of
this machine.  When one fails, the others are ended, and its status is returned.

  -n COUNT       the number of processes, 2 by default
  --label        put the number of the process before each line of its output
{_HELP}""",
    "check": f"""\
usage: lambent check FILE [--time-passes]

Say what looks wrong in a program, without running it.  The status is 0 also if
there are warnings, because they may be wrong.

{_TIME_PASSES}
{_HELP}""",
    "show": f"""\
usage: lambent show PASS FILE [--time-passes]
       lambent show

Print what a pass makes of a program: read, expand, core, anf, owned, c, frees
(where each tensor dies), or any other pass.  Without arguments, list the passes.

  --after        may stand before PASS, and changes nothing
{_TIME_PASSES}
{_HELP}""",
    "doc": f"""\
usage: lambent doc NAME

Print how a procedure or form is used, what it does, and an example.

{_HELP}""",
    "doctor": f"""\
usage: lambent doctor

Say what is installed, what is missing, and how to fix it.

{_HELP}""",
}


def command_help(command: str) -> str:
    """How a command is used, with a line for each of its options."""
    return _COMMANDS[command]
