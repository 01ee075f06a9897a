"""What the C functions of the runtime can do, read from the compiler's own view of them.

gcc writes each function as GIMPLE (`-fdump-tree-gimple`, before any optimization): every call and
every store is a line of its own.  From these follow the functions that each one may reach, and what
those do: note an error, allocate, call a procedure, store into an object.

    rt_set_car  =>  fails (by rt_fail_wrong_type), writes a pair (rt_set_car)

A path counts although no run may take it, so the result is an upper bound: what is not in it cannot
happen.  Indirect calls are resolved by the field that holds the function: a closure's `entry`, or
one of the hooks for tensors.  A function whose address is taken counts as called.
"""

import re
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.paths import ROOT

RUNTIME = ROOT / "runtime"

# They give references back.  What that does is not an effect of an operation: nobody can reach the
# memory any more.
RELEASING = frozenset(
    ("rt_release", "rt_free", "rt_free_cold", "rt_free_all", "rt_text_free", "rt_finish_object")
)
# They tell the collector of cycles of an object, and may run it.  No program can notice that.
COLLECTING = ("rt_add_candidate", "rt_note_store")

# The functions that note an error for their caller; nothing fails without one of them.
_NOTING = ("rt_note", "rt_rethrow")
# Where memory runs out, this makes the next poll fail, not the operation.
_LATER = ("rt_note_shortage",)
# What no program can notice: how a new vector holds its elements, a signal that is blocked while
# bytes are written.
_UNNOTICED = ("rt_untag_doubles", "rt_write_to_pipe")
_UNSEEN = frozenset((*RELEASING, *COLLECTING, *_LATER, *_UNNOTICED))
# A poll fails or has no effect; what words a message is part of a failure.
_PART_OF_FAILING = ("rt_describe", "rt_c_string", "rt_enter_slow", "rt_poll_interrupt")

# The hooks for tensors (rt.h) that only read or count, and those that return tensors.
_HARMLESS_HOOKS = frozenset(
    ("dup", "free", "count", "dtype", "describe", "live", "live_bytes", "watch_live_bytes")
)
_COMPUTING_HOOKS = frozenset(("arithmetic", "make"))
# The functions of an rt_foreign_kind: one releases, one describes.
_OF_FOREIGN_KINDS = frozenset(("free", "text"))
# The functions of an rt_filter, which stands between a port and its file: those that ask, and those
# that use the file.
_ASKING_FILTERS = frozenset(("has_input", "text_of_reason"))
_USING_FILTERS = frozenset(("read", "write"))
# Functions of ctorch that call procedures, those of custom gradients.
_CALLING_BACK = ("ct_backward", "ct_gradients")
# Functions of ctorch that only describe a tensor, or convert C values.
_DESCRIBING = frozenset(
    ("ct_rank", "ct_size", "ct_dtype", "ct_device", "ct_free", "ct_clone", "ct_last_error",
     "ct_last_hint", "ct_is_module", "ct_failed_at_file")
)  # fmt: skip

_ALLOCATORS = ("rt_allocate", "rt_allocate_plain", "rt_try_allocate", "rt_refill",
               "rt_take_block")  # fmt: skip
_RAW_ALLOCATORS = ("malloc", "realloc", "calloc", "rt_malloc", "rt_realloc", "rt_try_malloc",
                   "rt_try_realloc")  # fmt: skip
_NUMBER_KINDS = ("12", "13", "14")  # RT_DOUBLE, RT_INTEGER, RT_RATIO in rt.h

# The functions of other libraries: what only computes or reads, and what changes something.
_HARMLESS = frozenset(
    """
    __builtin_add_overflow __builtin_clzll __builtin_cpu_init __builtin_cpu_supports
    __builtin_expect __builtin_mul_overflow __builtin_signbit __builtin_unreachable
    __builtin_va_copy __builtin_va_end __builtin_va_start __ctype_b_loc __errno_location acos asin
    atan atan2 atoi atol ceil clock clock_getres clock_gettime cos exp fabs floor fmod free frexp
    fstat fstatvfs getauxval getrandom gmtime_r iconv iconv_close iconv_open localtime_r tzset
    closedir fcntl getcwd getegid getenv geteuid getgid getgrgid getgrnam getgroups getpid getppid
    getpwnam getpwuid getuid gnu_get_libc_version ioctl isatty ldexp log lstat memchr memcmp memmem
    nearbyint opendir poll pow qsort readdir readlink realpath rint round sigaddset sigemptyset
    sigismember sigpending sigwait sin snprintf sqrt stat statvfs strchr strcmp strcspn strdup
    strerror
    strlen strncmp strpbrk strrchr strspn strstr strtod strtol sysconf tan tanh time trunc vsnprintf
    __gmpq_clear __gmpq_cmp __gmpz_clear __gmpz_cmp __gmpz_perfect_square_p __gmpz_popcount
    __gmpz_scan1 __gmpz_sizeinbase
    """.split()  # noqa: SIM905, a table that people read
)
_CHANGES = {
    **dict.fromkeys(
        """
        chmod chown close dup2 fclose fflush fgets flock fopen fprintf fputs fread fscanf fsync
        ftruncate fwrite link mkdir mkfifo nanosleep open pipe read rename rmdir symlink truncate
        unlink utimensat write
        """.split(), "port",  # noqa: SIM905, a table that people read
    ),
    **dict.fromkeys(
        """
        _exit chdir dlopen dlsym execve fork kill nice pthread_sigmask setenv setitimer sigaction
        signal sigprocmask umask unsetenv waitpid
        """.split(), "state",  # noqa: SIM905
    ),
}  # fmt: skip
# Variables for memory, interrupts and constants, which no program can see.
_BOOKKEEPING = frozenset(
    """
    blocks candidates constant_count constant_room constants cube_fractions immortals is_short
    large_bytes square_fractions
    least most_large_bytes next noticed region_at region_end region_size regions reserve revived
    round_visits rt_free_blocks rt_next rt_stack_limit tensors_grew until_forced until_room
    until_slice visited visits walked
    """.split()  # noqa: SIM905
)
# The structs whose fields programs can change, by the words of `Memory`.
_STRUCTS = {
    "rt_pair": "pair", "rt_vector_object": "vector", "rt_record_object": "record",
    "rt_record_type_object": "record", "rt_string_object": "string",
    "rt_bytes_object": "bytevector", "rt_cell": "cell", "table_object": "table",
    "rt_port_object": "port", "rt_condition": "condition", "rt_caught": "condition",
    "rt_closure_object": "dynamic",
}  # fmt: skip

# Where a value comes from: the index of the parameter that holds it, "fresh" for an object that the
# function itself has made, or "other".
Root = int | str


@dataclass(slots=True)
class Function:
    """One C function, and what its own lines do."""

    name: str
    file: str
    type: str
    calls: set[str] = field(default_factory=set)
    sites: list[tuple[str, list["Root"]]] = field(default_factory=list)  # calls, with arguments
    stores: set[tuple[str, int]] = field(default_factory=set)  # into objects that a parameter holds
    does: set[str] = field(default_factory=set)  # "fails", "calls", "allocates numbers", ...
    is_fresh: bool = False  # it returns an object that it has made
    points_into: str | None = None  # the struct in which the address that it returns lies

    def key(self, own: set[str]) -> str:
        return _key(self.name, self.file, own)

    def note_store(self, struct: str, root: Root) -> None:
        if isinstance(root, int):
            self.stores.add((struct, root))
        elif root == "other":
            self.does.add(f"writes {struct}")


def read_functions(sources: Sequence[Path], folder: Path, include: Sequence[Path]) -> "Program":
    """The functions of C sources, compiled into a folder.  include: folders with headers."""
    options = [f"-I{path}" for path in include]

    def dumped(number: int, source: Path) -> str:
        base = folder / f"{number}.o"
        subprocess.run(
            ["gcc", "-std=c99", "-O0", "-w", "-fdump-tree-gimple", *options, "-c", str(source),
             "-o", str(base)],
            check=True, cwd=folder,
        )  # fmt: skip
        return next(folder.glob(f"{number}.*.gimple")).read_text(encoding="utf-8")

    with ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(dumped, range(len(sources)), sources))
    return Program.of({str(s): t for s, t in zip(sources, texts, strict=True)})


_HEADER = re.compile(r"^(?:__attribute__\(\(.*\)\)\n)?(\w[\w \*]*?)(\w+) \((.*)\)\n\{\n", re.M)
_NAME = r"[A-Za-z_][\w.]*"


@dataclass(slots=True)
class Program:
    functions: dict[str, Function]

    @staticmethod
    def of(texts: Mapping[str, str]) -> "Program":
        bodies: list[tuple[Function, str, str]] = []
        seen: set[str] = set()  # inline functions of headers are in many files
        for file, text in texts.items():
            heads = list(_HEADER.finditer(text))
            for here, following in zip(heads, [*heads[1:], None], strict=True):
                end = following.start() if following else len(text)
                function = Function(here[2], file, here[1].strip())
                if function.name not in seen:
                    bodies.append((function, here[3], text[here.end() : end]))
                if function.name.startswith(_GLOBAL):
                    seen.add(function.name)
        program = Program({})
        defined = {file: set[str]() for file in texts}
        for function, _, _ in bodies:
            defined[function.file].add(function.name)
        in_tables = {file: _in_tables(Path(file), names) for file, names in defined.items()}
        everywhere = {name for names in defined.values() for name in names}
        types = {f.key(defined[f.file]): f.type for f, _, _ in bodies}
        types["rt_captures"] = "struct rt_closure_object *"  # it returns an address in one
        fresh = set(_ALLOCATORS)
        while True:
            known = dict(types)
            for function, parameters, body in bodies:
                own, tables = defined[function.file], in_tables[function.file]
                program.functions[function.key(own)] = function
                _GimpleReader(
                    function, parameters, body, everywhere, own, types, fresh, tables
                ).read()
            found = fresh | {f.key(defined[f.file]) for f, _, _ in bodies if f.is_fresh}
            if found == fresh and types == known:
                break
            fresh = found
        program.pass_stores_on()
        return program

    def pass_stores_on(self) -> None:
        """What a function stores into the object of a parameter, its callers store into theirs."""
        changed = True
        while changed:
            changed = False
            for function in self.functions.values():
                for key, roots in function.sites:
                    callee = None if key in _UNSEEN else self.functions.get(key)
                    for struct, index in callee.stores if callee else ():
                        root = roots[index] if index < len(roots) else "other"
                        before = len(function.does) + len(function.stores)
                        function.note_store(struct, root)
                        changed |= len(function.does) + len(function.stores) > before

    def reached(self, start: str) -> set[str]:
        """The functions that one may call, except where it fails."""
        found: set[str] = set()
        waiting = [start]
        while waiting:
            key = waiting.pop()
            function = self.functions.get(key)
            if key in found or function is None or _is_failure(function):
                continue
            found.add(key)
            waiting += function.calls
        return found

    def effects(self, start: str, without: str = "") -> dict[str, list[str]]:
        """What a function may do, each with the path of calls that leads there.

        without: a function that does not count.
        """
        found: dict[str, list[str]] = {}
        before: dict[str, str | None] = {start: None}
        waiting = deque([start])
        while waiting:
            key = waiting.popleft()
            function = self.functions.get(key)
            if function is None:
                continue
            if _is_failure(function) and key != start:
                found.setdefault("fails", _path(before, key))
                continue
            stores = function.stores if key == start else ()
            for effect in function.does | {f"writes {struct}" for struct, _ in stores}:
                found.setdefault(effect, _path(before, key))
            for name in sorted(function.calls):
                if name not in before and name not in {*_UNSEEN, without}:
                    before[name] = key
                    waiting.append(name)
        return found


def _in_tables(source: Path, names: set[str]) -> set[str]:
    """The functions of a file that its text mentions without calling them: in tables."""
    text = source.read_text(encoding="utf-8")
    return {name for name in names if re.search(rf"\b{name}\b(?! ?\()", text)}


def _is_failure(function: Function) -> bool:
    return function.name.startswith("rt_fail") or function.name in _PART_OF_FAILING


def _path(before: Mapping[str, str | None], key: str) -> list[str]:
    names: list[str] = []
    at: str | None = key
    while at is not None:
        names.append(at)
        at = before[at]
    return names[::-1]


def _key(name: str, file: str, own: set[str]) -> str:
    """These prefixes are of global functions, all others belong to their file."""
    return name if name.startswith(_GLOBAL) or name not in own else f"{file}:{name}"


_GLOBAL = ("rt_", "bridge_")


@dataclass(slots=True)
class _GimpleReader:
    """One reading of a function.  It follows names to what they were made from."""

    function: Function
    parameters: str
    body: str
    everywhere: set[str]
    own: set[str]  # the functions of its file
    types: dict[str, str]
    fresh: set[str]
    in_tables: set[str]
    declared: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  # of the parameters
    made: dict[str, list[str]] = field(default_factory=dict)

    def read(self) -> None:
        function = self.function
        function.calls.clear()
        function.does.clear()
        function.sites.clear()
        function.stores.clear()
        for declaration in re.split(r", (?![^(]*\))", self.parameters):
            self.declare(declaration)
        self.order = list(self.declared)
        lines = [line.strip().rstrip(";") for line in self.body.splitlines()]
        for line in lines:
            if found := re.fullmatch(rf"({_NAME}) = (.*)", line):
                self.made.setdefault(found[1], []).append(found[2])
            elif " " in line and not re.search(r"[=(]|^return|^goto|^//", line):
                self.declare(line)
        for line in lines:
            self.line(line)
        self.function.points_into = None
        returned = {m[1] for line in lines if (m := re.fullmatch(rf"return ({_NAME})", line))}
        function.is_fresh = bool(returned) and all(self.root(name) == "fresh" for name in returned)
        if function.type in ("rt_value *", "const rt_value *"):
            for name in sorted(returned):
                function.points_into = function.points_into or self.struct_of(name, 0)
            if function.points_into:
                self.types[self.key(function.name)] = f"struct {function.points_into} *"
        if function.type == "rt_value" and any(
            value == "0" for name in returned for value in self.made.get(name, ())
        ):
            function.does.add("returns RT_ERROR")

    def key(self, name: str) -> str:
        return _key(name, self.function.file, self.own)

    def declare(self, text: str) -> None:
        found = re.fullmatch(r"(.*?)([\w.]+)(\[\d+\])?", text.strip())
        if found:
            self.declared[found[2]] = found[1].strip()

    def line(self, line: str) -> None:
        match = re.fullmatch(rf"(?:(\S.*?) = )?({_NAME}) \((.*)\)", line)
        if match and match[2] != "if":
            self.call(match[2], match[3])
        for name in set(re.findall(r"(?<![\w.>])[a-z_]\w*", re.sub(r'"(\\.|[^"])*"', "", line))):
            if name in self.everywhere and name not in self.declared and not _is_head(line, name):
                self.function.calls.add(self.key(name))  # its address
        if found := re.fullmatch(r"(\S.*?) = (.*)", line):
            self.store(found[1])
            self.load(found[2])

    def call(self, name: str, arguments: str) -> None:
        does = self.function.does
        if name in self.declared or (name.startswith("_") and name[1:].isdigit()):
            self.indirect(name)
        elif name in _NOTING:
            does.add("fails")
        elif name in ("rt_allocate", "rt_allocate_plain", "rt_try_allocate"):
            kind = arguments.split(",")[0]
            does.add(f"allocates {'numbers' if kind in _NUMBER_KINDS else 'objects'}")
        elif name in _RAW_ALLOCATORS:
            does.add("allocates memory")
        elif name in self.everywhere:
            self.function.calls.add(self.key(name))
            passed = [part.strip() for part in re.split(r", (?![^(]*\))", arguments)]
            self.function.sites.append((self.key(name), [self.root_of(part) for part in passed]))
        elif name in ("memcpy", "memmove", "memset"):
            self.store(f"*{arguments.split(',')[0]}")
        elif name in _CHANGES:
            does.add(f"writes {_CHANGES[name]}")
        elif name in _HARMLESS:
            pass
        elif name.startswith("__gmp"):
            does.add("allocates numbers")
        elif name.startswith("rt_plot_drawer."):  # a process beside the program draws
            does |= {"fails", "writes port"}
        elif name.startswith("ct_"):  # in ctorch, which is C++: what it stores is not seen
            does.add("reads tensor")
            if name in _CALLING_BACK:
                does.add("calls")
            if name not in _DESCRIBING:
                does |= {"allocates memory", "allocates objects"}
        else:
            does.add(f"unknown {name}")

    def indirect(self, name: str) -> None:
        """A call of what a field or a parameter holds."""
        fields = {value.rsplit("->", 1)[-1] for value in self.made.get(name, ())}
        through = " ".join(self.made.get(name, ()))
        if "rt_tensors" in through:
            if not fields <= _HARMLESS_HOOKS:
                self.function.does |= {"fails", "allocates memory", "reads tensor"}
            if fields & _COMPUTING_HOOKS:
                self.function.does.add("computes with tensors")
        elif "editor" in through:  # the library of edit_line.c
            self.function.does.add("writes state")
        elif (fields <= _OF_FOREIGN_KINDS and fields) or (fields <= _ASKING_FILTERS and fields):
            pass
        elif fields <= _USING_FILTERS and fields:
            self.function.does.add("writes port")
        elif fields and fields <= {"entry", "last_entry", "general"}:
            self.function.does.add("calls")
        elif name not in self.order:
            self.function.calls |= {self.key(function) for function in self.in_tables}

    def store(self, target: str) -> None:
        base = re.match(rf"\*?\(?({_NAME}|MEM\[.*\])", target)
        if base is None or target == base[1]:
            if base:
                self.store_variable(base[1])
            return
        self.store_variable(base[1])
        struct = self.struct_of(base[1], 0)
        if struct and struct in _STRUCTS:
            self.function.note_store(_STRUCTS[struct], self.root(base[1]))

    def store_variable(self, name: str) -> None:
        known = name in self.declared or name in _BOOKKEEPING or name in _DECLARING
        if not known and re.fullmatch(r"[a-z]\w+", name):
            self.function.does.add(f"writes variable {name}")

    def load(self, text: str) -> None:
        for base in re.findall(rf"({_NAME})->|\*({_NAME})", text):
            struct = self.struct_of(base[0] or base[1], 0)
            if struct in _STRUCTS and self.root(base[0] or base[1]) != "fresh":
                self.function.does.add(f"reads {_STRUCTS[struct]}")

    def struct_of(self, name: str, depth: int) -> str | None:
        """The struct that an address lies in."""
        found = re.search(r"struct (\w+) \*", self.declared.get(name, ""))
        if found:
            return found[1]
        for value in self.made.get(name, ()) if depth < 8 else ():
            if call := re.fullmatch(rf"({_NAME}) \((.*)\)", value):
                found = re.search(r"struct (\w+) \*", self.types.get(self.key(call[1]), ""))
                if found:
                    return found[1]
                continue
            inner = re.match(rf"&?({_NAME})(->| \+|$|\[)", value)
            struct = self.struct_of(inner[1], depth + 1) if inner and inner[1] != name else None
            if struct:
                return struct
        return None

    def root(self, name: str, seen: tuple[str, ...] = ()) -> Root:
        """Where the object at an address, or the value of a variable, comes from."""
        values = self.made.get(name, [])
        if name in self.order:
            return self.order.index(name) if not values else "other"
        if name in seen:
            return "nothing"  # its other values count
        roots = {self.root_of(value, (*seen, name)) for value in values} - {"nothing"}
        return roots.pop() if len(roots) == 1 else "other" if roots else "nothing"

    def root_of(self, value: str, seen: tuple[str, ...] = ()) -> Root:
        if value in ("0", "0B"):
            return "nothing"
        if call := re.fullmatch(rf"({_NAME}) \((.*)\)", value):
            if call[1].startswith("rt_fail"):
                return "nothing"
            if re.fullmatch(r"rt_\w+_of|rt_of_object|table_of|rt_captures", call[1]):
                return self.root(call[2], seen)
            return "fresh" if self.key(call[1]) in self.fresh else "other"
        # A copy, an address inside of the object, or the array at its end; no other field.
        inner = re.fullmatch(
            rf"(?:\([^)]*\) ?)?({_NAME})(?: \+ \S+)?|&({_NAME})(?:->.*)?"
            rf"|({_NAME})->(?:items|data|fields)",
            value,
        )
        return self.root(inner[1] or inner[2] or inner[3], seen) if inner else "other"


_DECLARING = ("static", "struct", "const")  # a line that begins so declares a variable


def _is_head(line: str, name: str) -> bool:
    """Whether a name stands at the head of a call, which `call` has seen."""
    return re.search(rf"(?:^|= ){re.escape(name)} \(", line) is not None
