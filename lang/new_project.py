"""`lambent new NAME`: a folder with a program that runs, tests and compiles.

    lambent new stock   =>   stock/main.lisp, stock/lib/stock/greeting.sld, stock/tests/ ...
"""

import re
from pathlib import Path

from lambent.lang.errors import UsageFault
from lambent.lang.system.output_folders import check_folder, unfinished_folder

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

_FILES = {
    "main.lisp": """\
;; main.lisp - the program: lambent main.lisp --help

(import (NAME greeting))

(define-command-line NAME "Greet people."
  (:version "0.1")
  (:option times "-n" :type 'integer :default 1 :check positive? :help "how often")
  (:rest names :help "whom to greet")
  (:run (lambda (options)
          (for-each (lambda (name)
                      (do ((i 0 (+ i 1))) ((= i (options 'times)))
                        (print (greeting name))))
                    (if (null? (options 'names)) '("world") (options 'names))))))

(run-command-line NAME)
""",
    "lib/NAME/greeting.sld": """\
;; greeting.sld - what the program and its tests share.

(define-library (NAME greeting)
  (export greeting)
  (import (scheme base))
  (begin
    (define (greeting name)
      "What to say to somebody of that name."
      (string-append "Hello, " name "!"))))
""",
    "tests/greeting-test.lisp": """\
;; greeting-test.lisp - lambent test runs it as a script and as an executable.

(import (srfi 64) (NAME greeting))

(test-begin "greeting")
(test-equal "a name" "Hello, Ada!" (greeting "Ada"))
(test-error "not a string" (greeting 5))
(test-end "greeting")
""",
    "README.md": """\
# NAME

    lambent main.lisp --help          run it
    lambent test                      test it, as scripts and as executables
    lambent check .                   say what looks wrong
    lambent compile main.lisp -o NAME
    ./NAME

`lib/` holds the libraries: `(import (NAME greeting))` reads `lib/NAME/greeting.sld`.
""",
    ".gitignore": """\
/NAME
/junit.xml
""",
}


def make_project(folder: Path) -> str:
    """Make the folder; what to type next."""
    name = folder.name
    if not _NAME.fullmatch(name):
        raise UsageFault(
            f"lambent: new takes a name of letters, digits, - and _, got {name}",
            hint="usage: lambent new NAME",
        )
    check_folder(folder)
    with unfinished_folder(folder) as scratch:
        project = scratch / name
        for path, text in _FILES.items():
            file = project / path.replace("NAME", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("NAME", name), "utf-8")
        project.replace(folder)
    return f"made {folder}: cd {folder}, then lambent main.lisp, lambent test\n"
