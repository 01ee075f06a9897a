"""What users of other Schemes, Racket and PyTorch type first, and the hint that each gets."""

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.core.analyze import analyze
from lambent.lang.core.check.check import check
from lambent.lang.errors import LispError
from lambent.lang.passes import program_scope
from lambent.lang.reference.pages import describe, names_about
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from tests.suites.language.test_hints import hint_of

# Forms with brackets, or keywords, where parentheses and names are expected.
SHAPES = {
    "(let ([x 1]) x)": "[...] is a tensor: write (x 1)",
    "(let [x 1] x)": "[...] is a tensor: write (x 1)",
    "(let* ([x 1]) x)": "[...] is a tensor: write (x 1)",
    "(letrec ([x 1]) x)": "[...] is a tensor: write (x 1)",
    "(let loop ([i 0]) i)": "[...] is a tensor: write (i 0)",
    "(do ([i 0 (+ i 1)]) ((= i 1)) 1)": "[...] is a tensor: write (i 0 (+ i 1))",
    "(cond [#t 1])": "[...] is a tensor: write (#t 1)",
    "(case 1 [(1) 2])": "[...] is a tensor: write ((1) 2)",
    "(guard (e [#t 1]) 2)": "[...] is a tensor: write (#t 1)",
    "(parameterize ([p 1]) 2)": "[...] is a tensor: write (p 1)",
    "(case-lambda [(x) x])": "[...] is a tensor: write ((x) x)",
    "(let-values ([(a b) (values 1 2)]) a)": "[...] is a tensor: write ((a b) (values 1 2))",
    "(define (f [x 1]) x)": "[...] is a tensor: write (x 1)",
    "(lambda ([x 1]) x)": "[...] is a tensor: write (x 1)",
    "(define-syntax f (syntax-rules () [(_ x) x]))": "[...] is a tensor: write ((_ x) x)",
    "(define :x 1)": ":x is a keyword, which cannot be a name: write x",
    "(let ((:x 1)) 2)": ":x is a keyword, which cannot be a name: write x",
    "(let (x 1) x)": "write ((x 1))",
    "(let x [1 2])": "write (let ((x [1 2])) body ...), or (define x [1 2])",
}

FOLDERS = {
    "(list-folder path)": "directory-list ls dir listdir list-directory list-files readdir "
    "os.listdir",
    "(make-folder path)": "mkdir make-directory make-dir os.makedirs",
    "(copy-file from to)": "cp shutil.copy", "(walk-folder path)": "os.walk find-files",
    "(path-join folder name)": "build-path os.path.join", "(path-name path)": "basename",
    "(run '": "subprocess.run run-program os.system", "(shell ": "system popen",
    "(sleep seconds)": "time.sleep", "(current-folder)": "cwd getcwd pwd",
    "(call-with-temporary-folder f)": "mkdtemp tempfile.TemporaryDirectory",
    "(folder? path)": "directory? directory-exists? isdir is-directory? os.path.isdir",
    "(read-text path)": "file->string slurp read-file file->text read-to-string file-get-contents",
}
OTHERS = {
    "StepLR": "(step-schedule ", "DDP": "(data-parallel! ", "tqdm": "(do-progress ",
    "SummaryWriter": "(training-log ", "x.shape": "(tensor-shape x)",
    "loss.item": "(tensor-item loss)", "torch.amp.autocast": "(with-autocast ",
    "CosineAnnealingLR": "(cosine-schedule ", "define-simple-macro": "(define-syntax-rule ",
    "concat": "(append a b)", "current-milliseconds": "(* 1000 (current-second))",
    "string-lenght": "string-length", "vector-rev": "vector-ref",
}


@pytest.mark.parametrize("source", SHAPES)
def test_brackets_and_keywords_are_told_from_parentheses_and_names(source: str) -> None:
    text = Source("shapes.lisp", source)
    with pytest.raises(LispError) as caught:
        check(analyze(read(text), program_scope(text)))
    assert caught.value.hint == SHAPES[source]


@pytest.mark.parametrize(
    ("name", "text"), [(name, call) for call, names in FOLDERS.items() for name in names.split()]
)
def test_what_exists_is_found_under_other_names(name: str, text: str) -> None:
    assert text in (hint_of(name) or "")


@pytest.mark.parametrize("name", OTHERS)
def test_short_names_and_misspelt_ones_are_found(name: str) -> None:
    assert OTHERS[name] in (hint_of(name) or "")


@pytest.mark.parametrize("name", ["match", "make-widget", "write-fast", "csv.reader"])
def test_a_hint_that_is_far_off_is_not_given(name: str) -> None:
    hint = hint_of(name) or ""
    assert "case" not in hint and "did you mean" not in hint


def test_doc_and_apropos_know_other_names_and_meanings() -> None:
    with pytest.raises(LispError) as caught:
        describe("mkdir")
    assert caught.value.hint == "write (make-folder path)"
    assert "list-folder" in names_about("directories")
    assert "sort" in names_about("sorting")
    assert names_about("") == []
