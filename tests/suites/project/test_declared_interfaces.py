"""The C libraries that Lambent declares itself, beside their own headers where those are installed.

A program that says the sizes of structures, the values of constants and the kinds of functions'
parameters is compiled twice, with Lambent's declarations and with the library's.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SAYING = """
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

template <class T> std::string kind()
{
    if (std::is_pointer<T>::value) return "pointer";
    if (std::is_void<T>::value) return "void";
    std::string size = std::to_string(sizeof(typename std::conditional<
        std::is_void<T>::value, char, T>::type));
    if (std::is_floating_point<T>::value) return "float" + size;
    return (std::is_signed<T>::value ? "signed" : "unsigned") + size;
}

template <class T> struct Function;
template <class R, class... A> struct Function<R(A...)> {
    static std::string text()
    {
        std::string text = kind<R>() + " of";
        int each[] = {0, (text += " " + kind<A>(), 0)...};
        (void)each;
        return text;
    }
};
template <class R, class... A> struct Function<R(A...) noexcept> : Function<R(A...)> {};

#define FUNCTION(name, type) std::printf("%s: %s\\n", #name, Function<type>::text().c_str());
#define VALUE(name) std::printf("%s = %lld\\n", #name, static_cast<long long>(name));
#define SIZE(type) std::printf("%s: %zu bytes\\n", #type, sizeof(type));
#define FIELD(structure, field) \\
    std::printf("%s at %zu, %s\\n", #field, offsetof(structure, field), \\
        kind<std::decay<decltype(structure::field)>::type>().c_str());

int main()
{
"""


@dataclass(frozen=True, slots=True)
class Library:
    """functions: their names; where Lambent declares only types, a function that names the type.
    fields: of the structure.  part: a pattern for the declarations in a file that holds more."""

    declared: str
    own: str
    functions: dict[str, str]
    structure: str = ""
    fields: str = ""
    values: str = ""
    part: str = ""


def declared_functions(path: str, pattern: str) -> dict[str, str]:
    names = re.findall(pattern, (ROOT / path).read_text(), re.M)
    assert len(names) > 5
    return {name: f"decltype({name})" for name in names}


GMP, ZLIB = "runtime/numbers/gmp_abi.h", "ctorch/files/zlib_abi.h"
OPENED_ZLIB = "runtime/ports/zlib_abi.h"
OPENED_ZLIB_NAMES = re.findall(r"\b(\w+)_type\(", (ROOT / OPENED_ZLIB).read_text())
PNG, PCRE2 = "ctorch/images/png_abi.h", "runtime/text/pcre2_abi.h"
PNG_TYPES = {
    "png_image_begin_read_from_memory": "png_begin_read_type",
    "png_image_begin_read_from_stdio": "png_begin_read_from_stream_type",
    "png_image_finish_read": "png_finish_read_type",
    "png_image_write_to_memory": "png_write_type",
    "png_image_free": "png_free_type",
}
OPENMP, SETTER = "ctorch/quantize/parallel.h", "ctorch/dispatch/one_thread.cpp"
PCRE2_VALUES = re.findall(
    r"^#define (PCRE2_(?!LIBRARIES)\w+) ", (ROOT / PCRE2).read_text(), re.M
)
PCRE2_NAMES = re.findall(r"\b(pcre2_\w+)_type\(", (ROOT / PCRE2).read_text())
LIBRARIES = (
    Library(GMP, "gmp.h", declared_functions(GMP, r"^[a-z_ ]+\*?(__gmp\w+)\("),
            "__mpq_struct", "_mp_num _mp_den"),
    Library(GMP, "gmp.h", {}, "__mpz_struct", "_mp_alloc _mp_size _mp_d"),
    Library(ZLIB, "zlib.h", declared_functions(ZLIB, r"^\w+_type (\w+);"),
            "z_stream", "next_in avail_in total_in next_out avail_out total_out msg state zalloc "
            "zfree opaque data_type adler reserved",
            "Z_NO_FLUSH Z_FINISH Z_OK Z_STREAM_END Z_DEFAULT_COMPRESSION Z_DEFLATED "
            "Z_DEFAULT_STRATEGY"),
    Library(OPENED_ZLIB, "zlib.h", {name: f"{name}_type" for name in OPENED_ZLIB_NAMES},
            "z_stream", "next_in avail_in total_in next_out avail_out total_out msg state zalloc "
            "zfree opaque data_type adler reserved",
            "Z_NO_FLUSH Z_FINISH Z_OK Z_STREAM_END Z_BUF_ERROR Z_DEFLATED Z_DEFAULT_STRATEGY"),
    Library(PNG, "png.h", PNG_TYPES, "png_image",
            "opaque version width height format flags colormap_entries warning_or_error message",
            "PNG_IMAGE_VERSION"),
    Library(PCRE2, "pcre2.h", {f"{name}_8": f"{name}_type" for name in PCRE2_NAMES},
            values=" ".join(PCRE2_VALUES)),
    Library(OPENMP, "omp.h", {
        name: f"decltype({name})"
        for name in ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
    }, part=r'^extern "C" \{\n.*?^\}\n'),
    Library(SETTER, "omp.h", {"omp_set_num_threads": "std::remove_pointer<SetThreads>::type"},
            part=r"^using SetThreads = .*?;\n"),
)
# No header has GOMP_parallel: gcc itself declares what it calls for OpenMP's directives.
OWN_PRELUDE = """\
#define PCRE2_CODE_UNIT_WIDTH 8
#define GOMP_parallel __builtin_GOMP_parallel
"""


def said(library: Library, own: bool, folder: Path) -> str:
    """What the program prints with the library's own header or with Lambent's."""
    declarations = f'#include "{ROOT / library.declared}"\n'
    if own:
        declarations = f"{OWN_PRELUDE}#include <{library.own}>\n"
    elif library.part:
        found = re.search(library.part, (ROOT / library.declared).read_text(), re.M | re.S)
        assert found, f"{library.declared} has no {library.part}"
        declarations = found[0]
    lines = [
        *(f"FUNCTION({name}, {f'decltype({name})' if own else declared})"
          for name, declared in library.functions.items()),
        *(f"VALUE({name})" for name in library.values.split()),
        *([f"SIZE({library.structure})"] if library.structure else []),
        *(f"FIELD({library.structure}, {field})" for field in library.fields.split()),
    ]
    source, program = folder / "program.cpp", folder / "program"
    body = SAYING + "\n".join(lines) + "\n}\n"
    source.write_text(declarations + body)
    command = ["g++", "-std=c++17", "-fopenmp", "-Wno-invalid-offsetof"]
    done = subprocess.run(
        [*command, str(source), "-o", str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def has_header(name: str) -> bool:
    command = ["g++", "-x", "c++", "-E", "-DPCRE2_CODE_UNIT_WIDTH=8", "-"]
    return subprocess.run(
        command, input=f"#include <{name}>\n", capture_output=True, text=True, check=False
    ).returncode == 0


@pytest.mark.parametrize(
    "library", LIBRARIES, ids=lambda one: f"{one.own}-{one.structure or one.declared}"
)
def test_declarations_are_the_librarys(library: Library, tmp_path: Path) -> None:
    if not has_header(library.own):
        pytest.skip(f"{library.own} is not installed")
    ours, theirs = (said(library, own, tmp_path) for own in (False, True))
    assert ours == theirs
    assert ours
