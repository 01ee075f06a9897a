"""Modules: the files and libraries that a program imports.  Each is analysed once and run once.

    (import "shapes.lisp")   =>  the file is read and analysed; its names become visible; its forms
                                 run at the import, unless they have run already

A module's top-level variables become variables of the program with unique names: `area` of
shapes.lisp is `area{shapes}` in Core, so private names never clash.  Users see `area` (`usage.py`).

`Modules` belongs to one program, or to one session of the REPL.  It also records which files the
program was read from: a cached program is valid as long as these have not changed.
"""

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from types import MappingProxyType

from lambent.lang.core.analyze import Item, items_of
from lambent.lang.core.denotation import Denotation, Macro
from lambent.lang.core.ir import Core
from lambent.lang.core.modules.define_library import (
    Declarations,
    LibraryName,
    included_names,
    library_name,
    shown_name,
)
from lambent.lang.core.modules.import_sets import ImportSet, names_of
from lambent.lang.core.modules.library import closed_names, library_names_by_file
from lambent.lang.core.modules.srfi_libraries import LACKING, OWN_FOLDERS
from lambent.lang.core.modules.standard_libraries import (
    AUXILIARY_WORDS,
    EVALUATOR_LIBRARIES,
    STANDARD_LIBRARIES,
)
from lambent.lang.core.scope import Evaluator, RecordTypes, Scope
from lambent.lang.core.special_forms import bad_form
from lambent.lang.errors import MissingInput, SyntaxFault
from lambent.lang.syntax.datum import Datum, List, String, Symbol
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, field

_ENDINGS = (".sld", ".lisp", ".scm")  # of files that hold a library


@dataclass(slots=True, eq=False)
class Module:
    """An analysed file or library.  items: its forms, and the modules that run before them.

    title: how messages show it.  form: the `define-library`, None for a file.
    """

    title: str
    scope: Scope
    exports: Mapping[str, Denotation | None] = field(default_factory=dict)
    items: tuple["Core | Module", ...] = ()
    form: List | None = None


@dataclass(slots=True)
class Modules:
    """What a program imports.

    library, macros, evaluator: as in scopes.  evaluates: an evaluator is available when the program
    runs.
    interactive: names may be imported and defined again, and changed files are read again.
    inputs: the bytes that were read, by path; None for a file that was not found.
    """

    library: frozenset[str] = frozenset()
    macros: Mapping[str, Macro] = field(default_factory=dict)
    evaluator: Evaluator | None = None
    evaluates: bool = False
    interactive: bool = False
    inputs: dict[str, bytes | None] = field(default_factory=dict)
    record_types: RecordTypes = field(default_factory=RecordTypes)
    _files: dict[str, Module] = field(default_factory=dict)
    _libraries: dict[LibraryName, Module] = field(default_factory=dict)
    _roots: dict[str, str] = field(default_factory=dict)  # a library's file => its folder
    _includers: dict[str, str] = field(default_factory=dict)  # the last file that included a file
    _loading: list[str] = field(default_factory=list)  # paths, outermost first
    _run: set[Module] = field(default_factory=set)  # modules whose forms run already
    _ambient_sets: dict[str, ImportSet] = field(default_factory=dict)  # by their titles
    _tags: dict[str, int] = field(default_factory=dict)

    def program_scope(self, path: str = "") -> Scope:
        """The scope of the program itself.  path: its file, which no module can import."""
        if path:
            self._loading.append(path)
        return self._scope("")

    # Import forms.

    def import_into(self, scope: Scope, form: List) -> list[Module]:
        """Enter the names of an `import` form into a scope.  Returns the modules that must run."""
        if len(form.items) < 2 or form.tail is not None:
            raise bad_form(form)
        modules: list[Module] = []

        def find(datum: Datum) -> ImportSet:
            source = self._find(datum)
            if isinstance(source, Module):
                modules.append(source)
                return ImportSet(source.title, source.exports, ambient=False)
            return source

        for item in form.items[1:]:
            self._enter(names_of(item, find), scope, item.span)
        return modules

    def _enter(self, imported: ImportSet, scope: Scope, span: Span) -> None:
        for name, meaning in imported.names.items():
            if meaning is None or (imported.ambient and meaning == scope.ambient(name)):
                continue  # visible without the import
            if name in scope.own and not self.interactive:
                continue  # a module's own definitions take precedence over imports
            other = scope.imported.get(name)
            if other and not self.interactive and scope.names[name] != meaning:
                raise SyntaxFault(
                    f"import: {name} comes from {other} and from {imported.title}",
                    span,
                    hint=f"(except set {name}) leaves it out, (prefix set x:) renames all",
                )
            scope.change(name, meaning, span, yields=True)
            if not imported.ambient:
                scope.imported[name] = imported.title

    def _find(self, datum: Datum) -> "Module | ImportSet":
        if isinstance(datum, String):
            return self._file(self.path_of(datum), datum.span)
        name = library_name(datum)
        if name in self._libraries:
            return self._libraries[name]
        if name in STANDARD_LIBRARIES:
            return self._standard(name, datum.span)
        if name[0] == "lambent" and (names := self._library_file_names(name)) is not None:
            return self._ambient(shown_name(name), names)
        path = self._library_file(name, datum.span)
        if path is None:
            raise self._unknown_library(name, datum.span)
        self._file(path, datum.span)
        if name not in self._libraries:
            raise SyntaxFault(f"import: {path} does not define {shown_name(name)}", datum.span)
        return self._libraries[name]

    # Ambient names.

    def _standard(self, name: LibraryName, span: Span) -> ImportSet:
        if name in EVALUATOR_LIBRARIES and not self.evaluates:
            raise SyntaxFault(
                f"import: an executable has no {shown_name(name)}",
                span,
                hint=f"run the program with: lambent {span.source.name}",
            )
        names = STANDARD_LIBRARIES[name]
        defined = closed_names(OWN_FOLDERS[name]) if name in OWN_FOLDERS else {}
        own = {n: meaning for n, meaning in defined.items() if n in names}
        return self._ambient(shown_name(name), names, LACKING.get(name, ()), own)

    def _ambient(
        self,
        title: str,
        names: Sequence[str],
        lacking: Sequence[str] = (),
        own: Mapping[str, Denotation] = MappingProxyType({}),
    ) -> ImportSet:
        """What names mean without an import; own: those that mean something else after it.

        The files of a program usually import the same libraries, which have thousands of names.
        """
        if title in self._ambient_sets:
            return self._ambient_sets[title]
        scope = Scope(self.library, macros=self.macros)
        exports: dict[str, Denotation | None] = {}
        for name in names:
            meaning = scope.ambient(name)
            if meaning is not None or name in AUXILIARY_WORDS:
                exports[name] = meaning
        found = ImportSet(title, {**exports, **own}, ambient=True, lacking=lacking)
        return self._ambient_sets.setdefault(title, found)

    def _library_file_names(self, name: LibraryName) -> list[str] | None:
        """The names of `(lambent)`, the whole library, or of `(lambent FILE)`, one of its files."""
        if len(name) == 1:
            return sorted({*self.library, *self.macros})
        names = library_names_by_file().get(str(name[1])) if len(name) == 2 else None
        return None if names is None else sorted(names)

    def _unknown_library(self, name: LibraryName, span: Span) -> SyntaxFault:
        own = [("lambent", file) for file in library_names_by_file()]
        libraries = [*STANDARD_LIBRARIES, *self._libraries, *own]
        shown = sorted(map(shown_name, libraries))
        near = get_close_matches(shown_name(name), shown, n=1, cutoff=0.8)
        base = "/".join(map(str, name))
        folders = [folder or "." for folder in self._library_folders(span.source.name)]
        files = f"{base}.sld, {base}.lisp and {base}.scm"
        hint = f"looked for {files} in {', '.join(folders)}; -L FOLDER names others"
        if len(name) == 2 and name[0] == "srfi" and isinstance(name[1], int):
            numbers = [
                str(library[1])
                for library in STANDARD_LIBRARIES
                if library[0] == "srfi" and len(library) == len(name)
            ]
            hint = f"the SRFIs that Lambent has are {', '.join(numbers)}"
        elif near:
            hint = f"did you mean {near[0]}?"
        return SyntaxFault(f"import: unknown library {shown_name(name)}", span, hint=hint)

    def has_library(self, datum: Datum) -> bool:
        """Whether `(import datum)` would find a library: for `cond-expand`."""
        name = library_name(datum)
        if name in EVALUATOR_LIBRARIES:
            return self.evaluates
        return (
            name in self._libraries
            or name in STANDARD_LIBRARIES
            or (name[0] == "lambent" and self._library_file_names(name) is not None)
            or self._library_file(name, datum.span) is not None
        )

    # Files.

    def path_of(self, name: String) -> str:
        """The path of a file that a program names, relative to the file that contains the name."""
        folder = os.path.dirname(name.span.source.name)
        return os.path.normpath(os.path.join(folder, name.text))

    def read_file(self, path: str, span: Span, who: str) -> Source:
        """The text of a file that a form names."""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (OSError, ValueError) as error:
            reason = os.strerror(getattr(error, "errno", None) or 22)
            raise MissingInput(f"{who}: cannot open {path}: {reason}", span) from None
        self.inputs[path] = data
        try:
            return Source(path, data.decode("utf-8"))
        except UnicodeDecodeError as error:
            message = f"{who}: {path} is not UTF-8 text (byte {error.start})"
            raise SyntaxFault(message, span) from None

    def _file(self, path: str, span: Span) -> Module:
        identity = os.path.realpath(path)
        self._check_cycle(identity, path, span)
        if identity in self._files and not self._has_changed(path):
            return self._files[identity]
        source = self.read_file(path, span, "import")
        self._loading.append(path)
        try:
            tag = os.path.splitext(os.path.basename(path))[0]
            scope = self.new_scope(tag)
            module = Module(f'"{path}"', scope)
            module.items = tuple(items_of(read(source), scope)[0])
            module.exports = {
                name: meaning
                for name, meaning in scope.names.items()
                if isinstance(name, str) and name not in scope.imported
            }
        finally:
            self._loading.pop()
        self._files[identity] = module
        return module

    def _has_changed(self, path: str) -> bool:
        if not self.interactive:
            return False
        try:
            with open(path, "rb") as file:
                return file.read() != self.inputs.get(path)
        except OSError:
            return False

    def _check_cycle(self, identity: str, path: str, span: Span) -> None:
        paths = [os.path.realpath(other) for other in self._loading]
        if identity in paths:
            cycle = [*self._loading[paths.index(identity) :], path]
            links = ", which imports ".join(cycle[1:])
            raise SyntaxFault(f"import: {cycle[0]} imports {links}", span)

    def _library_file(self, name: LibraryName, span: Span) -> str | None:
        """The file of a library.

        It is searched for in the folder of the importing file, then in the folder from which that
        file itself was found, in `lib` beside these, and in those of the variable LAMBENT_PATH.
        """
        for folder in self._library_folders(span.source.name):
            base = os.path.join(folder, *map(str, name))
            for path in (base + ending for ending in _ENDINGS):
                if os.path.isfile(path):
                    self._roots[path] = folder
                    return path
                self.inputs[path] = None
        return None

    def _library_folders(self, importer: str) -> list[str]:
        """Where a library is looked for; tests use the `lib` that lies beside their own folder."""
        beside = os.path.dirname(importer)
        folders = [beside]
        if (root := self._roots.get(importer)) is not None:
            folders.append(root)
        folders += [os.path.join(folder, "lib") for folder in folders]
        if os.path.basename(os.path.abspath(beside)) == "tests":
            folders.append(os.path.normpath(os.path.join(beside, os.pardir, "lib")))
        return list(dict.fromkeys([*folders, *library_path()]))

    def included(self, form: List) -> list[Datum]:
        """The data of the files that an `include` form names; `include-ci` folds their case."""
        head = form.items[0]
        assert isinstance(head, Symbol), head
        data: list[Datum] = []
        for name in included_names(form):
            path, outer = self.path_of(name), name.span.source.name
            including = [outer]
            while (includer := self._includers.get(including[-1])) is not None:
                including.append(includer)
            if path in including:
                raise SyntaxFault(f"{head.name}: {path} includes itself", name.span)
            self._includers[path] = outer
            source = self.read_file(path, name.span, head.name)
            data += read(source, folds_case=head.name == "include-ci")
        return data

    # Libraries.

    def define_library(self, form: List) -> None:
        """Analyse a `define-library` form; its name can be imported from then on."""
        declarations = Declarations(form, self)
        name = declarations.name
        before = self._libraries.get(name)
        if before is not None and before.form is form:
            return  # the program is being analysed a second time
        if name in STANDARD_LIBRARIES or (before is not None and not self.interactive):
            message = f"define-library: {shown_name(name)} is defined already"
            raise SyntaxFault(message, form.items[1].span)
        scope = self.new_scope(".".join(map(str, name)))
        module = Module(shown_name(name), scope, form=form)
        module.items = tuple(items_of(declarations.body, scope)[0])
        module.exports = declarations.exported(scope)
        self._libraries[name] = module

    def new_scope(self, name: str) -> Scope:
        """The scope of a new module.  The Core names of its variables end in the module's name."""
        tag = name.replace("{", "(").replace("}", ")")
        count = self._tags[tag] = self._tags.get(tag, 0) + 1
        unique = tag if count == 1 else f"{tag}.{count}"
        return self._scope(unique)

    def _scope(self, module: str) -> Scope:
        return Scope(
            self.library,
            macros=self.macros,
            evaluator=self.evaluator,
            module=module,
            modules=self,
            record_types=self.record_types,
        )

    # Programs.

    def in_run_order(self, items: Sequence[Item]) -> list[Core]:
        """The forms in the order in which they run: each module once, where it is first needed."""
        return list(self._forms_of(items))

    def _forms_of(self, items: Sequence[Item]) -> Iterator[Core]:
        for item in items:
            if not isinstance(item, Module):
                yield item
            elif item not in self._run:
                self._run.add(item)
                yield from self._forms_of(item.items)

    def snapshot(self) -> "Snapshot":
        """The modules so far.  A session restores them when an entry fails."""
        return Snapshot(dict(self._files), dict(self._libraries), set(self._run))

    def restore(self, before: "Snapshot") -> None:
        """Forget the modules since the snapshot: they may not have run to their end."""
        self._files, self._libraries = dict(before.files), dict(before.libraries)
        self._run = set(before.run)


def library_path() -> list[str]:
    """The folders of the variable LAMBENT_PATH, which the option -L adds to."""
    return [folder for folder in os.environ.get("LAMBENT_PATH", "").split(os.pathsep) if folder]


@dataclass(frozen=True, slots=True)
class Snapshot:
    files: Mapping[str, Module]
    libraries: Mapping[LibraryName, Module]
    run: Set[Module]
