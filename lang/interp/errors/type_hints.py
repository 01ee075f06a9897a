"""The hint for a value of the wrong type: what makes the right one of it, or the right order.

    (length [1 2])        =>  [...] is a tensor, not a list: ...
    (map '(1 2) abs)      =>  the order is (map procedure list)
    (string-append "a" 1) =>  (number->string x) makes a string of a number

`lang/type_hint_header.py` writes the same rows for executables, in C.  A row is looked for only
when the error has been made; this module is loaded with every program, because nothing can be
loaded where descriptors or memory are used up.
"""

from functools import lru_cache
from typing import NamedTuple

from lambent.lang.interp.values.values import (
    NIL,
    NUMBERS,
    UNSPECIFIED,
    Boolean,
    Bytes,
    Char,
    HashTable,
    Lisp,
    Pair,
    Procedure,
    String,
    Symbol,
    Tensor,
    Vector,
)


class _Row(NamedTuple):
    """A hint for the procedures (any, if empty), the expected nouns and the values' types.

    In the hint, {} is the procedure's name.  An empty hint says that the later rows do not help.
    """

    names: str
    nouns: str
    types: str
    hint: str


_REMEMBERED = 256  # pairs of a noun and a type; some nouns hold numbers, so there is no end of them
ANY = "*"  # the nouns of rows for any expectation
CALLEE = "not a procedure"  # the noun of rows on calls of what is not a procedure


def type_hint(name: str, noun: str, value: Lisp) -> str | None:
    """The hint for `name: expected noun, got value`."""
    return hint_of_type(name, noun, _type_of(value))


def hint_of_type(name: str, noun: str, type_: str) -> str | None:
    """The hint of the first row for a value of a type."""
    for row in _rows(noun, type_):
        if not row.names or name in row.names.split():
            return row.hint.replace("{}", name) or None
    return None


@lru_cache(_REMEMBERED)
def _rows(noun: str, type_: str) -> tuple[_Row, ...]:
    return tuple(
        r for r in ROWS if {noun, ANY} & {*r.nouns.split("|")} and type_ in r.types.split()
    )


def _type_of(value: Lisp) -> str:
    if isinstance(value, Tensor):
        return "tensor"
    if value is NIL:
        return "list"
    if value is UNSPECIFIED:
        return "unspecified"
    if value.__class__ in NUMBERS:
        return "integer" if value.__class__ is int else "fraction"
    return _TYPES.get(value.__class__, "other")


_TYPES = {
    Pair: "list", Vector: "vector", String: "string", Symbol: "symbol", Char: "character",
    Boolean: "boolean", Bytes: "bytevector", HashTable: "table", Procedure: "procedure",
}  # fmt: skip

_KEYS = "procedure integer fraction string symbol boolean character"  # what may be looked for
_NUMBERS = "a number|an integer|an exact integer|a non-negative exact integer"

ROWS = tuple(map(_Row._make, [
    ("zero-grad!", "a tensor", "other list",
     "(zero-grad optimizer) clears the gradients of all that it trains"),
    # Arguments in another order.
    ("map for-each map-in-order append-map filter-map filter remove partition find find-tail any "
     "every count list-index take-while drop-while span break pair-for-each",
     "a list", "procedure", "the order is ({} procedure list)"),
    ("fold fold-left fold-right pair-fold pair-fold-right", "a list",
     "procedure integer fraction string symbol boolean character other",
     "the order is ({} procedure initial list)"),
    ("reduce reduce-right", "a list",
     "procedure integer fraction string symbol boolean character other",
     "the order is ({} procedure default list)"),
    ("apply", "a list", "procedure", "the order is (apply procedure list)"),
    ("vector-map vector-for-each vector-map! vector-any vector-every vector-count vector-index "
     "vector-skip vector-partition", "a vector", "procedure", "the order is ({} procedure vector)"),
    ("string-map string-for-each", "a string", "procedure", "the order is ({} procedure string)"),
    ("member memq memv", "a list", "string",
     "the order is ({} x list); (string-contains text part) searches a string"),
    ("member memq memv delete", "a list",
     _KEYS,
     "the order is ({} x list)"),
    ("assoc assq assv alist-delete", "a list",
     _KEYS,
     "the order is ({} key list)"),
    ("list-ref list-tail take drop take-right drop-right split-at",
     "a non-negative exact integer", "list vector", "the order is ({} list index)"),
    ("list-set!", "a non-negative exact integer", "list vector",
     "the order is (list-set! list index value)"),
    ("string-ref string-take string-take-right string-drop string-drop-right",
     "a string", "integer", "the order is ({} string index)"),
    ("substring", "a string", "integer", "the order is (substring string start end)"),
    ("vector-ref", "a vector", "integer", "the order is (vector-ref vector index)"),
    ("vector-set!", "a vector", "integer", "the order is (vector-set! vector index value)"),
    ("vector-fill!", "a vector",
     "integer fraction string symbol boolean character procedure",
     "the order is (vector-fill! vector value)"),
    ("string-join", "a list", "string", "the order is (string-join list separator)"),
    ("hash-ref hash-table-ref/default", "a hash table",
     _KEYS,
     "the order is ({} table key default)"),
    ("hash-table-ref", "a hash table",
     _KEYS,
     "the order is (hash-table-ref table key thunk)"),
    ("hash-set! hash-table-set!", "a hash table",
     _KEYS,
     "the order is ({} table key value)"),
    ("hash-has-key? hash-delete! hash-table-contains? hash-table-exists? hash-table-delete!",
     "a hash table", _KEYS,
     "the order is ({} table key)"),
    ("hash-update! hash-table-update! hash-table-update!/default", "a hash table",
     _KEYS,
     "the order is ({} table key procedure default)"),
    ("hash-for-each hash-map hash-table-walk", "a hash table", "procedure",
     "the order is ({} table procedure)"),
    ("hash-fold", "a hash table", "procedure integer fraction string symbol boolean list",
     "the order is (hash-fold procedure initial table)"),

    # Layers that are called like the functions of PyTorch.  Their docs say the same.
    ("gelu leaky-relu rrelu elu celu softplus hardtanh hardshrink softshrink", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x) applies it to a tensor"),
    ("prelu", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x weight) applies it to a tensor"),
    ("threshold", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x limit value) applies it to a tensor"),
    ("glu softmax log-softmax softmin", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x dim) applies it to a tensor"),
    ("adaptive-max-pool1d adaptive-avg-pool1d adaptive-max-pool2d adaptive-avg-pool2d "
     "adaptive-max-pool3d adaptive-avg-pool3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x output-size) applies it to a tensor"),
    ("max-pool1d avg-pool1d max-pool2d avg-pool2d max-pool3d avg-pool3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x kernel-size) applies it to a tensor"),
    ("max-unpool1d max-unpool2d max-unpool3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x indices :kernel-size kernel-size) applies it to a "
     "tensor"),
    ("lp-pool1d lp-pool2d lp-pool3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x norm-type kernel-size) applies it to a tensor"),
    ("batch-norm1d batch-norm2d batch-norm3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-batch-norm x mean var) applies it to a tensor"),
    ("instance-norm1d instance-norm2d instance-norm3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-instance-norm x) applies it to a tensor"),
    ("conv1d conv-transpose1d conv2d conv-transpose2d conv3d conv-transpose3d linear", ANY,
     "tensor",
     "({} ...) creates a layer; (tensor-{} x weight bias) applies it to a tensor"),
    ("dropout1d dropout2d dropout3d dropout alpha-dropout feature-alpha-dropout", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x p) applies it to a tensor"),
    ("zero-pad1d zero-pad2d zero-pad3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-pad x padding) applies it to a tensor"),
    ("constant-pad1d constant-pad2d constant-pad3d", ANY, "tensor",
     '({} ...) creates a layer; (tensor-pad x padding "constant" value) applies it to a tensor'),
    ("reflection-pad1d reflection-pad2d reflection-pad3d", ANY, "tensor",
     '({} ...) creates a layer; (tensor-pad x padding "reflect") applies it to a tensor'),
    ("replication-pad1d replication-pad2d replication-pad3d", ANY, "tensor",
     '({} ...) creates a layer; (tensor-pad x padding "replicate") applies it to a tensor'),
    ("circular-pad1d circular-pad2d circular-pad3d", ANY, "tensor",
     '({} ...) creates a layer; (tensor-pad x padding "circular") applies it to a tensor'),
    ("fractional-max-pool2d fractional-max-pool3d", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x kernel-size output-size) applies it to a tensor"),
    ("multi-head-attention grouped-query-attention", ANY, "tensor",
     "({} ...) creates a layer; (attention q k v) applies it to a tensor"),
    ("embedding", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} weight indices) applies it to a tensor"),
    ("embedding-bag", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} weight indices offsets) applies it to a tensor"),
    ("bilinear", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} a b weight bias) applies it to a tensor"),
    ("flatten", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x start-dim end-dim) applies it to a tensor"),
    ("unflatten", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x dim sizes) applies it to a tensor"),
    ("layer-norm rms-norm", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x normalized-shape) applies it to a tensor"),
    ("group-norm", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x num-groups) applies it to a tensor"),
    ("local-response-norm", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x size) applies it to a tensor"),
    ("upsample", ANY, "tensor",
     "({} ...) creates a layer; (tensor-interpolate x size) applies it to a tensor"),
    ("pixel-shuffle", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x upscale-factor) applies it to a tensor"),
    ("pixel-unshuffle", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x downscale-factor) applies it to a tensor"),
    ("channel-shuffle", ANY, "tensor",
     "({} ...) creates a layer; (tensor-{} x groups) applies it to a tensor"),
    ("rnn-cell gru-cell lstm-cell rnn gru lstm", ANY, "tensor",
     "({} ...) creates a layer; (({} 4 8) x) applies it to a tensor"),
    ("transformer-encoder-layer transformer-block", ANY, "tensor",
     "({} ...) creates a layer; (({} 8 2) x) applies it to a tensor"),
    ("transformer-decoder-layer", ANY, "tensor",
     "({} ...) creates a layer; (({} 8 2) x memory) applies it to a tensor"),
    ("transformer-encoder", ANY, "tensor",
     "({} ...) creates a layer; (({} layer 6) x) applies it to a tensor"),
    ("transformer-decoder", ANY, "tensor",
     "({} ...) creates a layer; (({} layer 6) x memory) applies it to a tensor"),

    # Tensors.
    ("length", "a list", "tensor",
     "[...] is a tensor, not a list: (tensor-shape t) lists its sizes, (tensor->list t) its "
     "elements"),
    ("list-ref", "a list", "tensor",
     "[...] is a tensor, not a list: write (tensor-ref t index), or (tensor->list t) for a "
     "list"),
    ("", "a list|a list that ends", "tensor",
     "[...] is a tensor, not a list: write (list 1 2) or '(1 2), or (tensor->list t)"),
    ("car", "a pair", "tensor",
     "[...] is a tensor, not a list: write (tensor-ref t 0), or (tensor->list t) for a list"),
    ("", "a pair", "tensor",
     "[...] is a tensor, not a list: write (list 1 2) or '(1 2), or (tensor->list t)"),
    ("vector-ref", "a vector", "tensor",
     "[...] is a tensor, not a vector: write (tensor-ref t index), or #(1 2) for a vector"),
    ("vector-set!", "a vector", "tensor",
     "[...] is a tensor, not a vector: write (tensor-set! t index value), or #(1 2) for a "
     "vector"),
    ("vector-length", "a vector", "tensor",
     "[...] is a tensor, not a vector: (tensor-shape t) lists its sizes; #(1 2) is a vector"),
    ("", "a vector", "tensor",
     "[...] is a tensor, not a vector: write #(1 2), or (list->vector (tensor->list t))"),
    ("", "a hash table", "tensor",
     "[...] is a tensor: (tensor-ref t index) is an element of it"),
    ("", CALLEE, "tensor",
     "[...] is a tensor, (...) calls: write (tensor-ref t index) for an element"),

    ("", _NUMBERS, "tensor", "(tensor-item t) makes a number of a tensor of one element"),

    # Calls of what is not a procedure.
    ("", CALLEE, "list",
     "(...) calls its first part; (list-ref list index) is an element of a list"),
    ("", CALLEE, "vector", "(vector-ref vector index) is an element of a vector"),
    ("", CALLEE, "string",
     "the procedure comes first, inside the parentheses, as in (print \"a\"); "
     "(string-ref string index) is a character of a string"),
    ("", CALLEE, "table", "(hash-ref table key) is the value of a key"),
    ("", CALLEE, "integer fraction",
     "the procedure comes first, as in (+ 1 2); write (list 1 2) for a list, x, not (x), for a "
     "variable's value"),
    ("", CALLEE, "symbol", "'f is a symbol: write f for the procedure"),
    ("", CALLEE, "boolean unspecified",
     "parentheses around a call call its result: write (f x), not ((f x))"),

    # Lists.
    ("append", "a list", "string",
     "(string-append a b) joins strings; (string->list s) makes a list of a string"),
    ("apply", "a list", "integer fraction string symbol boolean character other table",
     "the last argument is a list: write (apply f (list x y)), or (f x y)"),
    ("append append!", "a list", "integer fraction symbol boolean character",
     "{} joins lists: write (list x) for one element"),
    ("length", "a list", "vector", "(vector-length v) is the length of a vector"),
    ("length", "a list", "string", "(string-length s) is the length of a string"),
    ("length", "a list", "table", "(hash-size table) is how many keys a table has"),
    ("length", "a list", "bytevector", "(bytevector-length b) is the length of a bytevector"),
    ("map for-each", "a list", "vector string",
     "vector-{} takes vectors, string-{} strings, {} lists"),
    ("list-ref", "a list", "vector", "(vector-ref v index) is an element of a vector"),
    ("list-ref", "a list", "string", "(string-ref s index) is a character of a string"),
    ("list-set!", "a list", "vector", "(vector-set! v index value) changes a vector"),
    ("append", "a list", "vector", "(vector-append a b) joins vectors"),
    ("reverse", "a list", "string", "(string-reverse s) reverses a string"),
    ("assoc assq assv list-ref", "a list", "table", "(hash-ref table key) is the value of a key"),
    ("member memq memv", "a list", "table",
     "(hash-has-key? table key) is whether a table has a key"),
    ("for-each", "a list", "table", "(hash-for-each table procedure) takes each key and value"),
    ("map", "a list", "table", "(hash-map table procedure) takes each key and value"),
    ("vector->list", "a list", "vector", ""),
    ("", "a list|a list that ends", "vector", "(vector->list v) makes a list of a vector"),
    ("list->string", "a list", "string", "it is a string already"),
    ("", "a list|a list that ends", "string", "(string->list s) makes a list of a string"),
    ("", "a list|a list that ends", "table", "(hash->list table) makes a list of a hash table"),
    ("", "a pair", "vector",
     "(vector-ref v index) is an element of a vector, (vector->list v) makes a list of it"),
    ("", "a pair", "string",
     "(string-ref s index) is a character of a string, (string->list s) makes a list of it"),
    ("", "a pair", "table", "(hash->list table) makes a list of a hash table"),
    ("assoc assq assv", "a pair",
     "integer fraction string symbol boolean character list vector",
     "its list is one of pairs: (list (cons key value) ...)"),

    # Numbers.
    ("+", "a number", "string",
     "(string-append a b) joins strings, (string->number s) makes a number of one"),
    ("=", "a number", "string", "string=? compares strings, equal? any values"),
    ("=", "a number", "character", "char=? compares characters, equal? any values"),
    ("=", "a number", "symbol boolean list vector table procedure bytevector",
     "= compares numbers, equal? any values"),
    ("< > <= >=", "a number", "string", "string{}? compares strings"),
    ("< > <= >=", "a number", "character", "char{}? compares characters"),
    ("number->string", "a number", "string", "it is a string already"),
    ("", _NUMBERS, "string",
     "(string->number s) makes a number of a string"),
    ("", _NUMBERS, "character",
     "(char->integer c) is the code of a character, (string->number (string c)) its digit"),
    ("+", "a number", "list",
     "(append a b) joins lists, (apply + list) adds elements, (map + a b) those of two lists"),
    ("* - / max min gcd lcm", "a number|an integer", "list",
     "(apply {} list) takes the elements of a list, (map {} list) is for each element"),
    ("abs sqrt exp log sin cos tan floor ceiling round truncate square exact inexact 1+",
     "a number", "list vector",
     "(map {} list) and (vector-map {} vector) take each element"),
    ("+", "a number", "vector",
     "(vector-append a b) joins vectors, (vector-map + a b) adds their elements"),
    ("", "an exact integer|a non-negative exact integer", "fraction",
     "(exact (floor x)) makes an exact integer of a number"),
    ("", "a flonum", "integer fraction", "(inexact x) makes a flonum of a number"),
    ("list-ref list-set! vector-ref vector-set! string-ref string-set!",
     "a non-negative exact integer", "integer",
     "indices count from 0 at the start; the last one is the length less 1"),

    # Text.
    ("string-append", "a string", "list",
     "(apply string-append list) joins the strings of a list"),
    ("string-append", "a string", "integer fraction",
     "(number->string x) makes a string of a number, (string x y) of any values"),
    ("string-append", "a string", "character boolean vector table other",
     "(string x y) makes a string of any values"),
    ("string-length", "a string", "list", "(length list) is the length of a list"),
    ("string-length", "a string", "vector", "(vector-length v) is the length of a vector"),
    ("string-ref", "a string", "list", "(list-ref list index) is an element of a list"),
    ("string-ref", "a string", "vector", "(vector-ref v index) is an element of a vector"),
    ("string-upcase string-downcase string-foldcase", "a string", "character",
     "char-upcase and char-downcase take characters"),
    ("string->symbol", "a string", "symbol", "it is a symbol already"),
    ("string->number", "a string", "integer fraction", "it is a number already"),
    ("string->list", "a string", "list", "it is a list already"),
    ("", "a string", "symbol", "(symbol->string x) makes a string of a symbol"),
    ("", "a string", "integer fraction", "(number->string x) makes a string of a number"),
    ("", "a string", "character", "(string c) makes a string of a character"),
    ("", "a string", "list", "(list->string list) makes a string of a list of characters"),
    ("", "a string", "tensor", "[...] is a tensor; (string x) makes a string of any value"),
    ("", "a string", "bytevector", "(utf8->string b) makes a string of bytes"),
    ("symbol->string", "a symbol", "string", "it is a string already"),
    ("", "a symbol", "string", "(string->symbol s) makes a symbol of a string"),
    ("", "a char-set", "string", "(string->char-set s) makes a char-set of a string"),
    ("", "a char-set", "character", "(char-set c) makes a char-set of a character"),
    ("", "a character", "string",
     "\"a\" is a string, #\\a a character; (string-ref s 0) is the first of a string"),
    ("", "a character or a procedure", "string",
     "\"a\" is a string, #\\a a character; (string-contains text part) searches for a string"),
    ("", "a character", "integer", "(integer->char n) makes a character of its code"),

    # Vectors, tables, bytes, tensors.
    ("vector-ref", "a vector", "list", "(list-ref list index) is an element of a list"),
    ("vector-ref", "a vector", "string", "(string-ref s index) is a character of a string"),
    ("vector-ref", "a vector", "table", "(hash-ref table key) is the value of a key"),
    ("vector-set!", "a vector", "list", "(list-set! list index value) changes a list"),
    ("vector-set!", "a vector", "table", "(hash-set! table key value) changes a table"),
    ("vector-length", "a vector", "list", "(length list) is the length of a list"),
    ("vector-length", "a vector", "string", "(string-length s) is the length of a string"),
    ("vector-append", "a vector", "list", "(append a b) joins lists"),
    ("vector-map", "a vector", "list", "map takes lists, vector-map vectors"),
    ("vector-for-each", "a vector", "list", "for-each takes lists, vector-for-each vectors"),
    ("", "a vector", "list", "(list->vector list) makes a vector of a list"),
    ("", "a vector", "string", "(string->vector s) makes a vector of a string"),
    ("", "a hash table", "list",
     "(assoc key list) looks in a list of pairs, (alist->hash-table list) makes a table of one"),
    ("", "a hash table", "vector", "(vector-ref v index) is an element of a vector"),
    ("", "a textual input port", "string",
     "(open-input-file path) opens a file, (open-input-string text) reads a text"),
    ("", "a textual output port", "string",
     "(open-output-file path) opens a file; the port comes last, as in (display x port)"),
    ("", "a bytevector", "string", "(string->utf8 s) makes bytes of a string"),
    ("", "a bytevector", "list", "(apply bytevector list) makes a bytevector of a list"),
    ("", "a tensor", "list vector", "(tensor x) returns a tensor of a list or a vector"),
]))  # fmt: skip
