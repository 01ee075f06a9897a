"""The text of `lambent --help`, and of `lambent COMMAND --help` for each command.

    command_help("check")  =>  usage: lambent check FILE ... [--time-passes]
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
                --quick             less optimization, in less time
                --time-passes       say how long each pass and the C compiler took
lambent bundle FILE -o FOLDER       an executable with all that it needs on other machines
lambent launch -n COUNT FILE        run it in several processes, which train together
lambent generate FOLDER PROMPT      continue a text with a language model
lambent chat FOLDER                 talk with one
lambent serve FOLDER                answer the requests of OpenAI's clients with one
lambent quantize FOLDER NEW         write one with weights of 8 or 4 bits, also as GGUF
lambent transcribe WAV --model DIR  print what is spoken, by Whisper; subtitles
lambent bench FOLDER                measure one; in a checkout, --compare with others
lambent check FILE ...              say what looks wrong, in folders too, without a run
lambent show PASS FILE              print what a pass returns: read expand core anf owned c ...
lambent show                        list the passes
lambent doc NAME                    how a procedure or form is used
lambent test [FILE ...]             run tests on both back ends, and compare
lambent new NAME                    a folder that runs, tests and compiles
lambent examples [NAME]             the programs that come with Lambent; print one
lambent -L FOLDER ...               look for libraries there, too, as in LAMBENT_PATH
lambent doctor                      what is installed, what is missing, and the fix
lambent COMMAND --help              the options of a command
lambent --version, lambent --help"""

_HELP = "  --help         print this"
_TIME_PASSES = "  --time-passes  say how long each pass took"

_COMMANDS = {
    "compile": f"""\
usage: lambent compile FILE [-o PROGRAM] [--emit-c] [-g] [--quick] [--time-passes]

Compile a program to an executable that needs no Python.  What looks wrong is
printed as a warning, and compiled nevertheless.

  -o PROGRAM     the file to write; without it, FILE's name without its ending
  --emit-c       write the C instead: to the file of -o, or to the standard output
  -g             for gdb: the lines of the Lisp source, little optimization
  --quick        optimize less, in less time: for programs that change often
  --time-passes  say how long each pass and the C compiler took
{_HELP}""",
    "bundle": """\
usage: lambent bundle FILE -o OUTPUT [--files PATH ...]

Compile a program, and put the executable into a folder with all that it needs
on another machine: no Python, compiler or torch package.  A program without
tensors needs nothing else, others take LibTorch along, which is large.

  -o OUTPUT         a new or empty folder, an archive (X.tar, X.tar.gz, X.tgz),
                    or one file that unpacks itself at its first start (X.run)
  --files PATH ...  files and folders that the program reads; what is below the
                    program's folder keeps its place: see (program-folder)
  --help            print this""",
    "launch": f"""\
usage: lambent launch [-n COUNT] [OPTION ...] FILE [ARGUMENT ...]

Run a program of with-distributed, or an executable, in several processes of
this machine.  When one fails, the others are ended, and its status is returned.

  -n COUNT       the number of processes, 2 by default
  --label        put the number of the process before each line of its output
  --restarts N   start all processes again after a failure, up to N times; the
                 program continues from its checkpoint
  --machines N   how many machines run this command
  --machine K    which of them this is, from 0
  --address HOST:PORT
                 where machine 0 is, the same on all
{_HELP}""",
    "serve": f"""\
usage: lambent serve FOLDER [--host NAME] [--port N] [OPTION ...]
       lambent serve --model NAME=FOLDER ... [OPTION ...]

Serve language models, encoders, cross-encoders and Whisper of folders or GGUF
files over HTTP, by the protocol of OpenAI's clients: chat completions,
completions, responses, embeddings, models, with streaming; transcriptions of WAV
files; and rerank.  Many requests share
batches.  It needs the Python package aiohttp.

  --host NAME        the address to listen at, 127.0.0.1 by default
  --port N           8000 by default; 0 takes a free one, and prints it
  --name NAME        the model's name in requests, by default the folder's
  --model NAME=PATH  one more model; may come several times
  --adapter MODEL:NAME=PATH
                     a LoRA adapter, which requests name MODEL:NAME; several times
  --api-key KEY      what clients must send; or the variable LAMBENT_API_KEY
  --max-tokens N     the most new tokens of a request (4096)
  --max-body N       the most bytes of a request's body (4000000)
  --max-audio N      the most bytes of a request with a sound (25000000)
  --max-batch N      requests that are decoded together (8)
  --max-waiting N    requests that may wait besides (64)
  --max-responses N  responses that are kept for the requests that continue them
                     (256)
  --cache-tokens N   how many tokens keys and values have room for, of requests
                     that run and of the beginnings of earlier ones (by default
                     1024 for each of a batch, or one context up to 32768)
  --cache-bits N     keep keys and values in 8 or 4 bits
  --cache-window N   let tokens see, and keep, only the last N
  --cache-sinks N    and the first N: texts may exceed the model's context
  --draft DRAFT      ngrams, or the folder of a smaller model that guesses ahead
  --draft-tokens N   how many tokens at a time (4)
  --timeout N        seconds for a client to send a body, or to receive (30)
  --drain N          seconds for running requests to finish after SIGTERM (30)
  --log FILE         add a line of JSON for each request; - is standard error
  --cors ORIGINS     whose pages may ask: origins with commas, or * (nobody's)
  --dtype NAME       float32, bfloat16 or float16 instead of the folder's
  --device NAME      cpu, cuda ...
  --bits N           quantise the weights to 8 or 4 bits
  --threads N        threads that LibTorch uses
{_HELP}""",
    "check": f"""\
usage: lambent check FILE ... [--time-passes]

Say what looks wrong in programs, without running them.  Of a folder, all files
in it and below it that end in .lisp.  The status is 0 also if there are
warnings, because they may be wrong.

{_TIME_PASSES}
{_HELP}""",
    "show": f"""\
usage: lambent show PASS FILE [--time-passes]
       lambent show

Print what a pass makes of a program: read, expand, core, anf, owned, c, frees
(where each tensor dies), or any other pass.  Without arguments, list the passes.

  --all          frees marks all values, also numbers, strings and lists without
                 tensors
  --after        may stand before PASS, and changes nothing
{_TIME_PASSES}
{_HELP}""",
    "doc": f"""\
usage: lambent doc NAME

Print how a procedure or form is used, what it does, and an example.

{_HELP}""",
    "examples": f"""\
usage: lambent examples [NAME]
       lambent examples -o FOLDER

List the programs that come with Lambent, with what they are, or print one.

  -o FOLDER      copy them all, with their data, into a new or empty folder
{_HELP}""",
    "new": f"""\
usage: lambent new NAME

Make a folder with a program, a library, a test and a README: it runs, tests and
compiles as it is.

{_HELP}""",
    "test": f"""\
usage: lambent test [OPTION ...] [FILE ...]

Run programs with tests of SRFI 64, as scripts and as executables, and compare
what they print.  Of a folder, all files below it whose names begin with test- or
end in -test.lisp or -tests.lisp; without a FILE, those of the folder tests.
Failures are printed with what was expected and what came.  The status is 0 if
all tests passed, 1 if one failed or the back ends differ, 2 if a program did not
compile or run to its end, or no test ran.

  --interpreted     as scripts only
  --compiled        as executables only
  --filter TEXT     only tests with the text in their group and name
  --junit FILE      write the results as JUnit's XML, too
{_HELP}""",
    "doctor": f"""\
usage: lambent doctor

Say what is installed, what is missing, and how to fix it.

{_HELP}""",
}


def command_help(command: str) -> str:
    """How a command is used, with a line for each of its options."""
    return _COMMANDS[command]
