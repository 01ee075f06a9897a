"""Forms for random programs that are rare in what people write, and hard on a compiler.

    procedures that never return in value positions      primitives as values, with their defaults
    NULs and letters of all planes in strings            nesting of dozens of forms
    literals, `case` and `cond` of hundreds of clauses   cycles, broken again or not
    keywords, no values and many, string ports, tables with keys of all types, guards in guards,
    tail calls in odd positions, exact numbers of hundreds of digits, constants that meet late

Each function makes one expression with a value of the given kind, like the methods of
`random_sources.py`.
"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.random_programs.random_constants import Constants

if TYPE_CHECKING:
    from tests.support.random_programs.random_sources import Maker

PREAMBLE = (
    "(define ticks 0)",
    "(define (tick) (set! ticks (+ ticks 1)))",
    '(define (todo . irritants) (apply error "to do:" irritants))',
    "(define (forever n) (if (> n 9) (raise (list 'done n)) (forever (+ n 1))))",
    "(define (leave k . more) (k 'left))",
    "(define (named x :scale 2 :name \"n\") (list x scale name))",
    "(define (even-steps? n) (or (= n 0) (odd-steps? (- n 1))))",
    "(define (odd-steps? n) (and (> n 0) (even-steps? (- n 1))))",
    "(define-syntax swap! (syntax-rules () ((_ a b) (let ((kept a)) (set! a b) (set! b kept)))))",
    "(define-syntax my-or (syntax-rules () ((_) #f) ((_ e) e)"
    " ((_ e . more) (let ((kept e)) (if kept kept (my-or . more))))))",
)
NEVER = ("(todo)", "(todo 1 'a)", "(forever 0)", "(forever 1.5)", "(raise 'never)")
STRINGS = (
    r'"a\x0;b"', r'"\x0;"', '"é\U0001f600ß"', '"\U0001d504\\x10ffff;"', r'"tab\tquote\"back\\"',
    '"ΑΣ ς ß ŉ"', f'"{"long " * 60}"',
)  # fmt: skip
CHARACTERS = (r"#\a", r"#\null", r"#\x1F600", r"#\é", r"#\space", r"#\ß", r"#\Σ", r"#\9", r"#\x7f")
SYMBOLS = ("'a", r"'|a\x0;b|", "'|two words|", "'||", "'|é\U0001f600|", "':key", "'...")
LITERALS = (
    "0", "1", "7", "-3", "2.5", "1/3", "-7/2", "4611686018427387903", "-4611686018427387904",
    "123456789012345678901234567890", "1e21", "-0.0", "+inf.0", "+nan.0", "1e-7", "100.0",
)  # fmt: skip
_UNARY = (
    "car", "cdr", "list", "vector", "not", "abs", "length", "reverse", "null?", "number?", "-",
    "exact->inexact", "number->string", "string?", "zero?", "max", "+", "string", "square",
    "make-string", "make-vector", "string->symbol", "char-upcase", "round", "even?", "display",
)  # fmt: skip
_VARIADIC = ("+", "*", "max", "list", "append", "string-append", "<", "=", "-", "vector", "cons")
_BIG_OPERATIONS = (
    "quotient", "remainder", "modulo", "gcd", "lcm", "*", "+", "-", "/", "<", "exact-integer-sqrt",
    "bitwise-and", "bitwise-xor", "floor/", "truncate/", "max",
)  # fmt: skip


def never(maker: "Maker", kind: str, depth: int) -> str:
    """A guard around an expression with a call that never returns where a value is expected."""
    maker.nevers += 1
    body = maker.expression(kind, depth - 1)
    maker.nevers -= 1
    e = maker.fresh("e")
    shown = maker.rng.choice((f"(print (said {e})) ", ""))
    return f"(guard ({e} (#t {shown}{maker.simple(kind)})) {body})"


def never_operand(maker: "Maker", kind: str, depth: int) -> str:
    """A call that never returns, as an operand of every sort of operation."""
    rng, e = maker.rng, maker.fresh("e")
    gone, number = rng.choice(NEVER), maker.expression("number", depth - 2)
    operation = rng.choice(
        (
            f"(< {number} {gone})", f"(zero? {gone})", f"(+ {gone} {number})", f"(not {gone})",
            f"(vector-ref (vector 1) {gone})", f"(if {gone} 1 2)", f"(* 2.5 {gone})",
            f"(let loop ((i {gone})) (if (< i 3) (loop (+ i 1)) i))",
            f"(let loop ((i 0)) (if (< i 3) (loop {gone}) i))", f"(string-ref \"ab\" {gone})",
            f"(let ((x 1.5)) (set! x (+ x {gone})) (* x 2))", f"(exact->inexact {gone})",
            f"(let ((f (lambda (x) {gone}))) (+ (f 1) {number}))", f"(list {number} {gone})",
            f"(when (= {gone} {number}) 2)", f"(apply + {gone})", f"({gone} 1)",
            f"(do ((i 0 (+ i {gone}))) ((> i 3) i))", f"(call/cc (lambda (k) (+ 1 {gone})))",
        )
    )  # fmt: skip
    return f"(begin (print (guard ({e} (#t (said {e}))) {operation})) {maker.simple(kind)})"


def first_class(maker: "Maker", kind: str, depth: int) -> str:
    """A primitive where the compiler cannot know it."""
    rng, e = maker.rng, maker.fresh("e")
    f, g = rng.choice(_UNARY), rng.choice(_UNARY)
    x = maker.expression(maker.kind(), depth - 2)
    numbers = " ".join(rng.choice(LITERALS) for _ in range(rng.randint(0, 4)))
    call = rng.choice(
        (
            f"((if {maker.test(0)} {f} {g}) {x})",
            f"((car (list {f} {g})) {x})",
            f"(map {f} (list {x} {maker.simple(maker.kind())}))",
            f"(let ((f {f})) (set! f {g}) (f {x}))",
            f"(apply {rng.choice(_VARIADIC)} (list {numbers}))",
            f"(map {rng.choice(_VARIADIC)} '(1 2) '(3 4))",
            f"((compose {f} {g}) {x})",
            f"(sort (list {numbers}) {rng.choice('<>')})",
            f"((cdr (assq 'b (list (cons 'a {f}) (cons 'b {g})))) {x})",
            f"(call-with-values (lambda () (values {numbers})) {rng.choice(_VARIADIC)})",
            f"(fold {rng.choice(_VARIADIC)} 0 '({numbers}))",
        )
    )
    return f"(begin (print (guard ({e} (#t (said {e}))) {call})) {maker.simple(kind)})"


def texts(maker: "Maker", kind: str, depth: int) -> str:
    """Characters, symbols and strings with NULs, of all planes, and through ports."""
    rng, e = maker.rng, maker.fresh("e")
    s, t, c = rng.choice(STRINGS), rng.choice(STRINGS), rng.choice(CHARACTERS)
    operation = rng.choice(
        (
            f"(string-append {s} {t})", f"(string->symbol {s})", f"(string<? {s} {t})",
            f"(string->number {s})", f"(string-upcase {s})", f"(string-downcase {s})",
            f"(equal? {s} (symbol->string (string->symbol {s})))", f"(string-length {s})",
            f"(string->list {s})", f"(list->string (list {c} {c}))", f"(char->integer {c})",
            f"(char-upcase {c})", f"(string-contains {s} (string {c}))", f"(string->utf8 {s})",
            f"(utf8->string (string->utf8 {s}))", f"(string {c} {s} {rng.choice(SYMBOLS)})",
            f"(read (open-input-string (call-with-output-string (lambda (p) (write {s} p)))))",
            f"(read (open-input-string {s}))", f"(read-line (open-input-string {s}))",
            f"(let ((p (open-input-string {s}))) (list (read-char p) (peek-char p) (read-char p)))",
            f"(symbol->string {rng.choice(SYMBOLS)})", f"(list {rng.choice(SYMBOLS)} {c} {s})",
            f"(hash-ref (let ((h (make-hash-table))) (hash-set! h {s} 1) h) {t} 0)",
            f"(string-split {s} {c})", f"(string-index {s} {c})", f"(format #f \"~a|~s\" {s} {c})",
            f"(map char-upcase (string->list {s}))", f"(string-ref {s} 0)",
            f"(string=? {s} (list->string (reverse (reverse (string->list {s})))))",
            f"(let ((m (string-copy {s}))) (string-set! m 0 {c}) m)", f"(char<? {c} #\\b)",
            f"(json->string {s})", f"(error {s} {c} {t})", f"(string->keyword {s})",
        )
    )  # fmt: skip
    shown = f"(guard ({e} (#t (said {e}))) {operation})"
    return f"(begin (write {shown}) (newline) {maker.simple(kind)})"


def deep(maker: "Maker", kind: str, depth: int) -> str:
    """Dozens of forms one inside the other."""
    rng = maker.rng
    text = maker.expression(kind, depth - 2)
    x = maker.fresh("d")
    for level in range(rng.randint(20, 60)):
        other = maker.simple(kind)
        text = rng.choice(
            (
                f"(let (({x} {level})) {text})", f"(if (> {x} {level % 7}) {text} {other})",
                f"(let (({x} (+ {x} 1))) {text})", f"(cond ((< {x} 3) {other}) (else {text}))",
                f"(begin (set! {x} {level}) {text})", f"((lambda ({x}) {text}) {level})",
                f"(let* (({x} {level}) (y {x})) {text})", f"(or #f {text})", f"(and {x} {text})",
                f"(case {x} ((1 2) {other}) (else {text}))", f"(let loop () {text})",
            )
        )  # fmt: skip
    return f"(let (({x} 0)) {text})"


def datum(rng: random.Random, depth: int = 2) -> str:
    if depth > 0 and rng.random() < 0.2:
        items = " ".join(datum(rng, depth - 1) for _ in range(rng.randint(0, 4)))
        dot = " . z" if items and rng.random() < 0.2 else ""
        return rng.choice((f"({items}{dot})", f"#({items})", "#u8(0 255)"))
    return rng.choice(
        (
            "a", "b", "12", "-7", "2.5", "1/3", "#t", "#f", "123456789012345678901", ":k",
            *STRINGS[:4], *CHARACTERS,
        )
    )  # fmt: skip


def large_literal(maker: "Maker", kind: str, depth: int) -> str:
    """A quoted list or vector of hundreds of elements."""
    rng, count = maker.rng, maker.rng.randint(40, 300)
    items = " ".join(datum(rng) for _ in range(count))
    at = rng.randint(0, count - 1)
    operation = rng.choice(
        (
            f"(list-ref '({items}) {at})", f"(length '({items}))", f"(vector-ref '#({items}) {at})",
            f"(length (filter number? '({items})))", f"(equal? '({items}) '({items}))",
            f"(list-tail '({items}) {at})", f"(length (list {' '.join(['1'] * count)}))",
            f"(let-values (((a . more) (apply values '({items})))) (list a (length more)))",
            f"(+ {' '.join(rng.choice(LITERALS) for _ in range(count // 4))})",
            f"(vector-length (vector-append '#({items}) '#({items})))",
            f"`({datum(rng)} ,(+ 1 2) {datum(rng)} ,@(list 1 2))",
        )
    )  # fmt: skip
    return f"(begin (print {operation}) {maker.simple(kind)})"


def many_clauses(maker: "Maker", kind: str, depth: int) -> str:
    """A `case` or `cond` of a hundred clauses and more, with keys of all types, some twice."""
    rng, x = maker.rng, maker.fresh("n")
    count = rng.randint(30, 200)
    keys = [rng.choice((str(rng.randint(0, 300)), *CHARACTERS, f"s{i}", "#t", "()", "2.5"))
            for i in range(count)]
    asked = rng.choice((f"'{rng.choice(keys)}", maker.simple("number"), "'none"))
    last = rng.choice((f"(else {maker.simple(kind)})", f"(else => (lambda (x) {x}))", ""))
    if rng.random() < 0.6:
        clauses = " ".join(
            f"(({key} {rng.choice(keys)}) {rng.choice((f'{i}', f'(list {x} {i})', '=> list'))})"
            for i, key in enumerate(keys)
        )
        form = f"(case {x} {clauses} {last})"
    else:
        clauses = " ".join(
            rng.choice((f"((eqv? {x} '{key}) {i})", f"((memv {x} '({key} z)) => car)"))
            for i, key in enumerate(keys)
        )
        form = f"(cond {clauses} {last.replace('=> (lambda (x) ', '(begin ')})"
    return f"(begin (print (let (({x} {asked})) {form})) {maker.simple(kind)})"


def cycle(maker: "Maker", kind: str, depth: int) -> str:
    """An object that holds itself, perhaps only for a while."""
    rng, x, e = maker.rng, maker.fresh("y"), maker.fresh("e")
    made, knot, end = rng.choice(
        (
            ("(list 1 2 3)", f"(set-cdr! (cddr {x}) {x})", f"(set-cdr! (cddr {x}) '())"),
            ("(list 1 2)", f"(set-car! (cdr {x}) {x})", f"(set-car! {x} 0) (set-car! (cdr {x}) 0)"),
            ("(vector 1 2)", f"(vector-set! {x} 1 {x})", f"(vector-set! {x} 1 #f)"),
            ("(list 1 (vector 2 3))", f"(vector-set! (cadr {x}) 0 {x})", f"(set-cdr! {x} '())"),
            ("(make-hash-table)", f"(hash-set! {x} 'me (list {x}))", f"(hash-clear! {x})"),
            ("(lambda () 1)", f"(set! {x} (let ((kept 5)) (lambda () (list kept {x}))))",
             f"(set! {x} #f)"),
        )
    )
    look = rng.choice(
        (
            f"(write {x})", f"(print (equal? {x} {x}))", f"(print (list? {x}))",
            f"(print (length {x}))", f"(print (list-ref {x} 7))", f"(print (procedure? {x}))",
            f"(display (list {x} {x}))", f"(print (vector-length {x}))", f"(raise {x})",
            f"(print (equal? {x} (list 1 2 3 1 2 3)))", f"(write-shared {x})",
            f"(error \"in\" {x})",
        )
    )  # fmt: skip
    if "hash" in made or "lambda" in made:
        look = rng.choice((f"(print (pair? {x}))", f"(print (procedure? {x}))"))
    guarded = f"(guard ({e} (#t (print 'caught (pair? {e})))) {look})"
    end = rng.choice((end, ""))
    return f"(let (({x} {made})) {knot} {guarded} {end} (newline) {maker.simple(kind)})"


def keywords(maker: "Maker", kind: str, depth: int) -> str:
    rng, e = maker.rng, maker.fresh("e")
    x, y = maker.expression(maker.kind(), depth - 2), maker.simple(maker.kind())
    call = rng.choice(
        (
            f"(named {x})", f"(named {x} :name {y})", f"(named {x} :scale {y} :name 1)",
            f"(apply named (list {x} ':name {y}))", f"(named {x} :wrong {y})",
            f"(named {x} :name)", f"((car (list named)) {x} :scale {y})", f"(named :name {x})",
            f"(map named (list {x} {y}))", f"(apply named {x} '(:scale 1 :scale 2))",
            f"((lambda (a :b {y} . more) (list a b more)) {x} 1 2)",
        )
    )
    return f"(begin (print (guard ({e} (#t (said {e}))) {call})) {maker.simple(kind)})"


def values_of_all_counts(maker: "Maker", kind: str, depth: int) -> str:
    rng, e = maker.rng, maker.fresh("e")
    x, y = maker.expression(maker.kind(), depth - 2), maker.simple(maker.kind())
    form = rng.choice(
        (
            "(call-with-values (lambda () (values)) list)",
            f"(call-with-values (lambda () {x}) list)", f"(list (values {x}))",
            f"(let*-values (((a b) (values {x} {y})) ((c) (values a))) (list c b))",
            f"(receive all (values {x} {y} 3) all)", f"(+ 1 (values {x} {y}))",
            f"(let-values (((a b) (values {x}))) a)", f"(begin (values {x} {y}) 5)",
            f"(call-with-values (lambda () (values {x} {y})) cons)",
            f"(let-values (((a . b) (if {maker.test(0)} (values {x} {y}) (values 1)))) (list a b))",
            f"(call-with-values (lambda () (guard (x (#t (values 1 2))) {x} (raise 'a))) list)",
            f"(call/cc (lambda (k) (call-with-values (lambda () (k {x})) list)))",
        )
    )
    return f"(begin (print (guard ({e} (#t (said {e}))) {form})) {maker.simple(kind)})"


def nested_guards(maker: "Maker", kind: str, depth: int) -> str:
    """Errors that go through guards, handlers and after-thunks, some raised again."""
    rng = maker.rng
    e, f = maker.fresh("e"), maker.fresh("e")
    inner = maker.expression(kind, depth - 2)
    raised = rng.choice(("(raise 'inner)", "(error \"inner\" 1)", "(raise 5)", "(car 1)", inner))
    again = rng.choice((f"(raise {f})", f"(raise (list {f} 1))", "(error \"again\")", "(todo)"))
    clause = rng.choice((f"((symbol? {f}) {again})", f"(#f {inner})", f"((begin {again} #t) 1)",
                         f"((number? {f}) {inner})", f"(else {again})"))
    body = rng.choice(
        (
            f"(guard ({f} {clause}) {raised} {inner})",
            f"(dynamic-wind (lambda () (display \"[\")) (lambda () (guard ({f} {clause}) {raised}))"
            " (lambda () (display \"]\")))",
            f"(with-exception-handler (lambda ({f}) (display \"h\") {again}) (lambda () {raised}))",
            f"(with-exception-handler (lambda ({f}) 4) (lambda () (+ 1 (raise-continuable {f}0))))",
            f"(parameterize ((depth 5)) (guard ({f} {clause}) {raised}))",
        )
    ).replace(f"{f}0", "'c")
    return f"(guard ({e} (#t (print (said {e}) (depth)) {maker.simple(kind)})) {body})"


def tail_calls(maker: "Maker", kind: str, depth: int) -> str:
    """Many iterations by tail calls, at the end of `and`, `apply`, `cond` and other forms."""
    rng, f, n = maker.rng, maker.fresh("t"), maker.fresh("n")
    last = maker.simple(kind)
    more = f"({f} (- {n} 1))"
    step = rng.choice(
        (
            f"(cond ((= {n} 0) {last}) (else {more}))",
            f"(if (> {n} 0) (apply {f} (list (- {n} 1))) {last})",
            f"(case {n} ((0) {last}) (else {more}))",
            f"(if (= {n} 0) {last} (and #t (or #f {more})))",
            f"(if (= {n} 0) {last} (call-with-values (lambda () (values (- {n} 1))) {f}))",
            f"(if (= {n} 0) {last} (let* ((m (- {n} 1))) (begin 1 ({f} m))))",
            f"(cond ((= {n} 0) {last}) ((- {n} 1) => {f}))",
            f"(if (even-steps? {n}) (if (= {n} 0) {last} {more}) {more})",
            f"(if (= {n} 0) {last} ((if (even? {n}) {f} (lambda (k) ({f} k))) (- {n} 1)))",
        )
    )  # fmt: skip
    return f"(letrec (({f} (lambda ({n}) {step}))) ({f} {rng.choice((3, 10, 2000))}))"


def big_numbers(maker: "Maker", kind: str, depth: int) -> str:
    rng, e = maker.rng, maker.fresh("e")
    base, power = rng.choice((2, 3, -7, 10, "1/3", "12345678901234567890")), rng.randint(20, 160)
    a, b = f"(expt {base} {power})", rng.choice(("(expt 2 62)", "(- (expt 2 64))", "7", "1/7", "0"))
    op = rng.choice(_BIG_OPERATIONS)
    form = rng.choice(
        (
            f"({op} {a} {b})", f"({op} {b} {a})", f"(exact->inexact (/ {a} (+ 1 {a})))",
            f"(number->string {a} 16)", f"(string->number (number->string {a} 2) 2)",
            f"(arithmetic-shift {a} {rng.randint(-200, 200)})", f"(exact (floor {a}))",
            f"(- {a} {a})", f"(quotient {a} (expt {base} {power - 1}))", f"(sqrt (* {a} {a}))",
            "(let loop ((i 0) (x 1)) (if (< i 70) (loop (+ i 1) (* x 3)) x))",
            "(let loop ((i 0) (x 4611686018427387000)) (if (< i 900) (loop (+ i 1) (+ x 1)) x))",
            f"(exact 1e{rng.randint(0, 60)})", f"(bit-count {a})", f"(even? {a})", f"(exp {b})",
        )
    )  # fmt: skip
    shown = f"(call-with-values (lambda () (guard ({e} (#t (said {e}))) {form})) list)"
    return f"(begin (print {shown}) {maker.simple(kind)})"


def mixed_keys(maker: "Maker", kind: str, depth: int) -> str:
    rng, h = maker.rng, maker.fresh("h")
    keys = [rng.choice((*STRINGS[:4], *CHARACTERS, *SYMBOLS, "1", "1.0", "1/2", "'(1 \"a\")", "0.0",
                        "-0.0", "(expt 2 80)", "'#(1 2)", "+nan.0", "'()", "#t"))
            for _ in range(rng.randint(3, 12))]
    fill = " ".join(f"(hash-set! {h} {key} {i})" for i, key in enumerate(keys))
    asked = " ".join(f"(hash-ref {h} {rng.choice(keys)} 'none)" for _ in range(3))
    return (
        f"(let (({h} (make-hash-table))) {fill} (hash-delete! {h} {rng.choice(keys)})"
        f" (write (list {asked} (hash-size {h}) (hash->list {h}))) (newline) {maker.simple(kind)})"
    )


def macros(maker: "Maker", kind: str, depth: int) -> str:
    """Macros, internal definitions, boxes that closures share, quasi-quotation."""
    rng = maker.rng
    x, y = maker.expression(kind, depth - 2), maker.simple(kind)
    other = maker.expression(maker.kind(), depth - 2)
    return rng.choice(
        (
            f"(let ((kept {x}) (b {y})) (swap! kept b) kept)", f"(my-or #f {x} {y})",
            f"(let () (define a {x}) (define (f) (set! a {y}) a) (f))",
            f"(let () (define-values (a b) (values {x} {other})) a)",
            f"(car `(,{x} ,@(list {other} 1) #(1 ,{y})))",
            f"(let loop ((i 0) (a {x})) (if (< i 2) (loop (+ i 1) {y}) a))",
            f"(do ((i 0 (+ i 1)) (a {x} {y})) ((= i 2) a) (print i))",
            f"(let-syntax ((one (syntax-rules () ((_ e) (car (list e)))))) (one {x}))",
            f"(vector-ref (vector-map (lambda (i) {x}) (vector 1 2)) 1)",
            f"(force (delay-force (delay {x})))",
            f"(begin (for-each (lambda (i) {other}) '(1 2)) {y})",
            f"(let ((get #f)) (let ((v {x})) (set! get (lambda () v))) (let ((r (get)))"
            " (set! get #f) r))",
        )
    )  # fmt: skip


def constants(maker: "Maker", kind: str, depth: int) -> str:
    """Arithmetic on constants that inlining, tests and effects hide (random_constants.py)."""
    e = maker.fresh("e")
    form = "three"
    while "three" in form:  # an index, of which gcc sees that it is wrong, and warns
        made = Constants(maker.rng, maker.fresh("c"))
        form = made.number(3)
    local = f"(let ((x {maker.rng.choice((1, 0.5))})) {' '.join(made.definitions)} {form})"
    return f"(begin (print (guard ({e} (#t (said {e}))) {local})) {maker.simple(kind)})"


def stores(maker: "Maker", kind: str, depth: int) -> str:
    """A field that is read and then replaced, perhaps of what is not a pair."""
    rng, p, old, e = maker.rng, maker.fresh("p"), maker.fresh("old"), maker.fresh("e")
    value, new = maker.expression(kind, depth - 1), maker.expression(maker.kind(), depth - 2)
    field, other = rng.sample(("car", "cdr"), 2)
    target = rng.choice((p, p, p, f"({other} {p})", new))
    between = rng.choice(("", f"(print (pair? {old}))", f"(set! {p} (list {p}))", f"({other} {p})"))
    again = rng.choice(("", f"(print {p})", f"(set-{field}! {p} {old})", f"(print ({field} {p}))"))
    made = f"(cons {value} {value})" if rng.random() < 0.7 else f"(list {value} {new})"
    store = f"(set-{field}! {target} {new})"
    body = f"(let (({old} ({field} {p}))) {between} {store} {again} (said {old}))"
    form = f"(let (({p} {made})) (print (guard ({e} (#t (said {e}))) {body})))"
    return f"(begin {form} {maker.simple(kind)})"


def turned(maker: "Maker", kind: str, depth: int) -> str:
    """A list that is turned round in place; its end is the value."""
    rest, done, value = maker.fresh("rest"), maker.fresh("done"), maker.expression(kind, depth - 1)
    others = " ".join(maker.simple(maker.kind()) for _ in range(maker.rng.randint(0, 3)))
    return (
        f"(let loop (({rest} (list {others} {value})) ({done} '())) (if (null? {rest}) (car {done})"
        f" (let ((next (cdr {rest}))) (set-cdr! {rest} {done}) (loop next {rest}))))"
    )


FORMS: tuple[Callable[["Maker", str, int], str], ...] = (
    never, never, never_operand, never_operand, first_class, first_class, texts, texts, deep,
    large_literal, many_clauses, cycle, cycle, keywords, values_of_all_counts, nested_guards,
    nested_guards, tail_calls, big_numbers, mixed_keys, macros, macros, stores, turned, constants,
    constants,
)  # fmt: skip


# Cycles that are left behind: only the collector frees them.  The value may be on the cycle, or
# hold it.  Programs whose operations fail have these too.


def own_vector(maker: "Maker", kind: str, depth: int) -> str:
    """A vector that holds itself and the value."""
    v, value = maker.fresh("w"), maker.expression(kind, depth - 1)
    other = maker.simple(maker.kind())
    return (
        f"(let (({v} (vector {value} #f)))"
        f" (vector-set! {v} 1 (list {v} {other})) (vector-ref {v} 0))"
    )


def taken(maker: "Maker", kind: str, depth: int) -> str:
    """A value that its pair gives up for the pair itself."""
    p, old, value = maker.fresh("p"), maker.fresh("old"), maker.expression(kind, depth - 1)
    return (
        f"(let* (({p} (list {value} 1)) ({old} (car {p})))"
        f" (set-car! {p} {p}) {old})"
    )


def own_procedure(maker: "Maker", kind: str, depth: int) -> str:
    """A procedure that calls itself through an assigned variable."""
    f, x, value = maker.fresh("self"), maker.fresh("x"), maker.expression(kind, depth - 1)
    maker.scope.append((x, kind))
    body = maker.expression(kind, depth - 2)
    maker.scope.pop()
    return (
        f"(let (({f} #f))"
        f" (set! {f} (lambda (n {x}) (if (<= n 0) {body} ({f} (- n 1) {x}))))"
        f" ({f} {maker.rng.randint(0, 3)} {value}))"
    )


def two_procedures(maker: "Maker", kind: str, depth: int) -> str:
    """Procedures that hold each other's variables, and one that is used after its cycle."""
    f, g, value = maker.fresh("one"), maker.fresh("two"), maker.expression(kind, depth - 1)
    return (
        f"(let (({f} #f) ({g} #f))"
        f" (set! {f} (lambda () {value})) (set! {g} (lambda () ({f})))"
        f" (let ((kept {f})) (set! {f} (lambda () ({g}))) (kept)))"
    )


def own_table(maker: "Maker", kind: str, depth: int) -> str:
    """A table that holds itself and a procedure that holds it; perhaps an old entry goes."""
    t, value = maker.fresh("t"), maker.expression(kind, depth - 1)
    change = maker.rng.choice(("", f" (hash-delete! {t} 1)", f" (hash-set! {t} 1 (list {t}))"))
    return (
        f"(let (({t} (make-hash-table)))"
        f" (hash-set! {t} 1 {t}) (hash-set! {t} 'call (lambda () {t})){change}"
        f" (hash-set! ((hash-ref {t} 'call)) \"v\" {value}) (hash-ref {t} \"v\"))"
    )


def ring(maker: "Maker", kind: str, depth: int) -> str:
    """A circular list; the value is on it."""
    p, value = maker.fresh("ring"), maker.expression(kind, depth - 1)
    other = maker.simple(maker.kind())
    return f"(let (({p} (list {other} {value}))) (set-cdr! (cdr {p}) {p}) (cadr (cddr {p})))"


def parent(maker: "Maker", kind: str, depth: int) -> str:
    """A node and its child, which knows the node; something may fail in between."""
    p, c = maker.fresh("parent"), maker.fresh("child")
    value, between = maker.expression(kind, depth - 1), maker.expression(maker.kind(), depth - 2)
    return (
        f"(let* (({p} (vector {value} #f)) ({c} (vector {p} {between})))"
        f" (vector-set! {p} 1 {c}) {maker.expression(kind, depth - 2)}"
        f" (vector-ref (vector-ref (vector-ref {p} 1) 0) 0))"
    )


def raised(maker: "Maker", kind: str, depth: int) -> str:
    """What is raised holds itself and its error object."""
    b, e, value = maker.fresh("box"), maker.fresh("e"), maker.expression(kind, depth - 1)
    return (
        f"(let (({b} (list #f {value})))"
        f" (guard ({e} (#t (set-car! {b} (list {e} {b})) (cadr {b})))"
        f" (set-car! {b} {b}) (raise {b})))"
    )


def escaping(maker: "Maker", kind: str, depth: int) -> str:
    """A continuation that holds what is passed to it."""
    b, k, value = maker.fresh("box"), maker.fresh("k"), maker.expression(kind, depth - 1)
    return (
        f"(let (({b} (list #f))) (call/cc (lambda ({k})"
        f" (set-car! {b} (list {k} {b})) ({k} {value}))))"
    )


def collected(maker: "Maker", kind: str, depth: int) -> str:
    """A collection between the operands of a call."""
    name, value = maker.fresh("v"), maker.expression(kind, depth - 1)
    return f"(let (({name} {value})) (collect-garbage) {name})"


def left_in_vector(maker: "Maker", kind: str, depth: int) -> str:
    """Vectors in a loop, each with the one before and itself; the last one's value is used."""
    i, v, value = maker.fresh("i"), maker.fresh("w"), maker.expression(kind, depth - 1)
    return (
        f"(let loop (({i} {maker.rng.randint(0, 4)}) ({v} (vector 0 {value})))"
        f" (if (<= {i} 0) (vector-ref {v} 1)"
        f" (let ((new (vector {v} (vector-ref {v} 1) #f)))"
        f" (vector-set! new 2 (lambda () (list new {v}))) (loop (- {i} 1) new))))"
    )


CYCLES: tuple[Callable[["Maker", str, int], str], ...] = (
    own_vector, taken, turned, own_procedure, two_procedures, own_table, ring, parent, raised,
    escaping, collected, left_in_vector,
)  # fmt: skip
