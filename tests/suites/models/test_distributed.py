"""Programs in several processes: what they exchange, and what they say when one of them fails.

Each test starts real processes over real connections, scripts and executables.  The time-outs are
so long that only a hang meets them, except where a program is to be late.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from torch.distributed import TCPStore

from lambent.lang.pipeline import compile_file

TIMEOUT = 300  # seconds; a busy machine is slow
BACK_ENDS = ("script", "executable")

OPERATIONS = """
(define (show name x) (print name x))
(with-distributed :timeout 60
  (define mine (tensor (list (+ 1.0 (rank)) 10.0)))
  (show "world" (list (rank) (world-size) (local-rank)))
  (show "sum" (all-reduce mine))
  (show "mean" (all-reduce mine :op 'mean))
  (show "product" (all-reduce mine :op 'product))
  (show "max" (all-reduce mine :op 'max))
  (show "min" (all-reduce mine :op 'min))
  (show "unchanged" mine)
  (show "in place" (eq? mine (all-reduce! mine)))
  (show "changed" mine)
  (show "broadcast" (broadcast (tensor (list (rank) 7)) :from 1))
  (let ((x (tensor (list (rank) 7))))
    (show "broadcast!" (list (eq? x (broadcast! x)) x)))
  (show "all-gather" (all-gather (tensor (list (rank) 7))))
  (show "all-gather bool" (all-gather (tensor (list (= (rank) 0)))))
  (show "scatter" (reduce-scatter [[1 2] [3 4]]))
  (show "scatter mean" (reduce-scatter (tensor (list (rank) 5.0)) :op 'mean))
  (show "0-d" (all-reduce (tensor 1.5)))
  (show "empty" (all-reduce (tensor-zeros 0)))
  (show "view" (all-reduce (tensor-transpose [[1 2] [3 4]] 0 1)))
  (let ((x (tensor-zeros 2 2)))
    (all-reduce! (tensor-select (tensor-add! x 1.0) 1 0))
    (show "view in place" x))
  (show "half" (tensor-dtype (all-reduce (tensor-to mine 'bfloat16))))
  (show "complex" (tensor-imag (all-reduce (tensor-complex mine mine))))
  (show "bool" (all-reduce (tensor (list (= (rank) 0) #f)) :op 'max))
  (show "recorded" (requires-grad? (all-reduce (* 2 (requires-grad! (tensor-ones 1))))))
  (show "values" (call-with-values (lambda () (values 1 2)) list))
  (barrier))
(show "after" (list (rank) (world-size) (cdr (assq 'live-handles (tensor-memory)))))
(with-distributed :timeout 60
  (show "again" (all-reduce [1 2])))
"""
OPERATIONS_PRINT = """\
world ({rank} 2 {rank})
sum [3.0 20.0]
mean [1.5 10.0]
product [2.0 100.0]
max [2.0 10.0]
min [1.0 10.0]
unchanged [{own}.0 10.0]
in place #t
changed [3.0 20.0]
broadcast [1 7]
broadcast! (#t [0 7])
all-gather ([0 7] [1 7])
all-gather bool ([#t] [#f])
scatter [{scattered}]
scatter mean [{half}]
0-d 3.0
empty []
view [[2 6] [4 8]]
view in place [[2.0 1.0] [2.0 1.0]]
half bfloat16
complex [6.0 40.0]
bool [#t #f]
recorded #f
values (1 2)
after (0 1 0)
again [2 4]
"""

# Losses of a model whose batch is divided among the ranks.  `unused` never has a gradient, and
# `seldom` has one only on rank 0.
TRAINING = """
(manual-seed 0)
(define x (tensor-randn 64 20))
(define y (tensor-randint 0 5 '(64)))
(define (part t)
  (let ((n (quotient 64 (world-size))))
    (tensor-slice t 0 (* n (rank)) (* n (+ 1 (rank))))))
(with-distributed :timeout 60
  (manual-seed (rank))
  (define (weights . shape) (requires-grad! (* 0.1 (tensor-randn shape))))
  (define w1 (weights 20 30))
  (define b1 (requires-grad! (tensor-zeros 30)))
  (define w2 (weights 30 2000))
  (define w3 (weights 2000 5))
  (define unused (requires-grad! (tensor-zeros 3)))
  (define seldom (requires-grad! (tensor-ones 2)))
  (define wide (requires-grad! (tensor-ones 4 :dtype 'float64)))
  (define frozen (tensor (list (+ 1.0 (rank)))))
  (define parameters (list w1 b1 w2 w3 unused seldom wide frozen))
  (data-parallel! parameters :bucket-size 0.1)
  (define (loss)
    (let* ((h (tensor-tanh (+ (@ (part x) w1) b1)))
           (logits (@ (tensor-tanh (@ h w2)) w3)))
      (+ (cross-entropy logits (part y))
         (* 0.01 (tensor-mean (* wide wide)))
         (if (= (rank) 0) (* (world-size) (tensor-sum (* 0.01 seldom seldom))) 0.0))))
  (define (update!)
    (no-grad
     (for-each (lambda (p)
                 (when (and (requires-grad? p) (tensor-grad p))
                   (tensor-add! p (tensor-grad p) :alpha -0.1)))
               parameters))
    (for-each zero-grad! parameters))
  (define (equal-everywhere? p)
    (every (lambda (q) (equal? p q)) (all-gather p)))
  (dotimes (i 6)
    (let ((l (loss)))
      (if (= i 3)                    ; two halves of the batch's gradient
          (begin
            (without-gradient-sync (backward (* 0.5 l) :retain-graph #t))
            (backward (* 0.5 l)))
          (backward l))
      (let ((mean (tensor-item (all-reduce (detach l) :op 'mean))))
        (when (= (rank) 0) (print mean)))
      (update!)
      (unless (every equal-everywhere? parameters) (error "the ranks differ at step" i))))
  (print "unused" (tensor-grad unused) "frozen" frozen))
"""

# Batches of which the ranks' parts count unequally, as targets are ignored.
UNEQUAL = """
(manual-seed 0)
(define x (tensor-randn 16 3))
(define y (tensor-index-fill (tensor-randint 0 4 '(16)) 0 [0 1 2 3 4 6 8 10 11 12] -100))
(with-distributed :timeout 60
  (define each (quotient 8 (world-size)))
  (define own (shard-dataset (tensor-dataset x y) (rank) (world-size)))
  (define (trained . options)
    (manual-seed 1)
    (let ((m (linear 3 4)))
      (data-parallel! m)
      (apply fit m (data-loader own :batch-size each) :optimizer (sgd (parameters m) :lr 0.5)
             :loss cross-entropy :epochs 2 :progress #f options)
      (linear-weight m)))
  (let ((a (trained)) (b (trained :accumulate 2)))
    (define w (requires-grad! (tensor-ones 4 3)))
    (data-parallel! (list w))
    (define part (tensor-arange (rank) 16 (world-size)))
    (accumulate-gradients (lambda (x y) (cross-entropy (tensor-linear x w) y))
                          (tensor-split (tensor-index-select x 0 part) each)
                          (tensor-split (tensor-index-select y 0 part) each))
    (when (= (rank) 0) (print (map tensor->list (list a b (tensor-grad w)))))))
"""

# Ways to fail; the first argument chooses.
FAILURES = """
(define way (cadr (command-line)))
(define w (requires-grad! (tensor-ones 300 300)))
(define (nap seconds)
  (let ((end (+ (current-jiffy) (* seconds (jiffies-per-second)))))
    (let loop () (when (< (current-jiffy) end) (loop)))))
(define (odd? . ways) (and (= (rank) 1) (member way ways)))
(with-distributed :timeout (if (equal? way "late") 1 60)
  (when (equal? way "parameters")
    (data-parallel! (list w (requires-grad! (tensor-ones (+ 2 (rank)))))))
  (data-parallel! (list w))
  (when (odd? "error") (error "no more" 'data [1 2]))
  (when (odd? "raise") (raise 'enough))
  (when (odd? "exit") (exit 3))
  (when (odd? "escape") (call/cc (lambda (leave) (leave 1))))
  (when (odd? "operation") (broadcast [1.0]))
  (when (odd? "shape") (all-reduce [1.0 2.0]))
  (when (odd? "dtype") (all-reduce [1]))
  (when (odd? "reduction") (all-reduce [1.0] :op 'max))
  (when (odd? "gradient") (backward (tensor-sum (* w w))))
  (when (odd? "late") (nap 4))
  (when (equal? way "twice") (guard (e (#t (print "caught"))) (all-reduce [#t])))
  (when (equal? way "loop")
    (let loop ((i 0))
      (backward (tensor-sum (* w w)))
      (when (= i 20) (display "ready\\n" (current-error-port)))
      (loop (+ i 1))))
  (unless (odd? "leave") (all-reduce [1.0]))
  (print "done"))
"""

# Rank 1 is late, so rank 0 waits in its first backward; or rank 0 fails where Ctrl-C waits for the
# end of a long operation.
WAITING = """
(define place (cadr (command-line)))
(define w (requires-grad! (tensor-ones 2)))
(define (nap seconds)
  (let ((end (+ (current-jiffy) (* seconds (jiffies-per-second)))))
    (let loop () (when (< (current-jiffy) end) (loop)))))
(define (steps)
  (when (= (rank) 1) (nap 1))
  (display "ready\\n" (current-error-port))
  (backward (tensor-sum (* (+ 1 (rank)) w)))
  (backward (tensor-sum (* (+ 1 (rank)) w)))
  (print (tensor-grad w)))
(with-distributed :timeout 60
  (data-parallel! (list w))
  (when (and (equal? place "failure") (= (rank) 0))
    (display "ready\\n" (current-error-port))
    (error "no more" (tensor-shape (car (tensor-sort (tensor-rand 4000000))))))
  (when (equal? place "body") (steps))
  (when (equal? place "after-thunk")
    (dynamic-wind (lambda () 0) (lambda () 0) steps))
  (let loop () (all-reduce w) (loop)))
"""

THREADS = """
(print (tensor-sum (@ (tensor-ones 9 9) (tensor-ones 9 9))))
(read-line)
(with-distributed :timeout 60 (print (all-reduce [1])))
(read-line)
"""

# A rank that is quick finds the store of the group before at the port.
MANY_GROUPS = """
(define (group i)
  (with-distributed :timeout 60 (all-reduce (tensor (list i (rank))))))
(dotimes (i 15)
  (let ((sum (group i)))
    (unless (equal? sum (tensor (list (* 2 i) 1))) (error "wrong sum" i sum))))
(print "done")
"""


@dataclass(frozen=True, slots=True)
class Ended:
    output: str
    errors: str
    status: int


class Programs:
    """The programs of this file, each compiled once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, text: str, back_end: str) -> list[str]:
        texts = [OPERATIONS, TRAINING, FAILURES, THREADS, MANY_GROUPS, WAITING, UNEQUAL]
        name = f"p{texts.index(text)}"
        source, executable = self.folder / f"{name}.lisp", self.folder / name
        if not source.exists():
            source.write_text(text)
        if back_end == "script":
            return [sys.executable, "-m", "lambent.lang", str(source)]
        if not executable.exists():
            compile_file(str(source), executable, False)
        return [str(executable)]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("distributed"))


def free_port() -> int:
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        return int(port.getsockname()[1])


def environment(rank: int, world: int, port: int) -> dict[str, str]:
    """What a launcher sets."""
    return {
        **os.environ, "RANK": str(rank), "WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "LAMBENT_CHECK_LEAKS": "1",
    }


def start(command: Sequence[str], folder: Path, env: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, cwd=folder, env=env, text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process: "subprocess.Popen[str]") -> Ended:
    output, errors = process.communicate(timeout=TIMEOUT)
    return Ended(output, errors, process.returncode)


def run(commands: Sequence[Sequence[str]], folder: Path) -> list[Ended]:
    """Run a command for each rank."""
    port = free_port()
    started = [start(command, folder, environment(k, len(commands), port))
               for k, command in enumerate(commands)]
    return [ended(process) for process in started]


def without_leaks(errors: str) -> str:
    """Without the report of what is alive at the end of an executable, which must be nothing."""
    text, found = re.subn(r"live handles: 0, live objects: 0\n\Z", "", errors)
    assert found or "live handles" not in text, errors
    return text


@pytest.mark.parametrize("back_ends", [("script", "script"), ("executable", "executable"),
                                       ("script", "executable")])
def test_operations(programs: Programs, back_ends: tuple[str, str]) -> None:
    commands = [programs.command(OPERATIONS, back_end) for back_end in back_ends]
    for rank, end in enumerate(run(commands, programs.folder)):
        assert (without_leaks(end.errors), end.status) == ("", 0)
        expected = OPERATIONS_PRINT.format(
            rank=rank, own=rank + 1, scattered=["[2 4]", "[6 8]"][rank], half=["0.5", "5.0"][rank])
        assert end.output == expected


@pytest.mark.parametrize("whose_store", ["rank 0's", "the launcher's"])
def test_many_groups_one_after_the_other(
    programs: Programs, whose_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """torchrun runs one store for all groups, and says so in the variable."""
    launched = whose_store == "the launcher's"
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False) if launched else None
    port = store.port if store else free_port()
    monkeypatch.setenv("TORCHELASTIC_USE_AGENT_STORE", str(launched))
    started = [start(programs.command(MANY_GROUPS, back_end), programs.folder,
                     environment(rank, 2, port)) for rank, back_end in enumerate(BACK_ENDS)]
    for process in started:
        end = ended(process)
        assert (without_leaks(end.errors), end.status, end.output) == ("", 0, "done\n")


def losses(ends: list[Ended]) -> list[float]:
    for end in ends:
        assert (without_leaks(end.errors), end.status) == ("", 0)
        assert end.output.endswith("unused #f frozen [1.0]\n")
    return [float(line) for line in ends[0].output.splitlines()[:-1]]


def test_ranks_train_like_one_with_the_whole_batch(programs: Programs) -> None:
    """Parameters are equal in every bit on all ranks; the program itself compares them."""
    executable, script = (programs.command(TRAINING, b) for b in ("executable", "script"))
    alone = losses(run([executable], programs.folder))
    assert len(alone) == 6 and alone[-1] < alone[0]
    for commands in ([executable] * 2, [script, executable], [executable] * 4, [executable] * 8):
        assert losses(run(commands, programs.folder)) == pytest.approx(alone, rel=2e-6)


def test_unequal_parts_train_like_the_whole_batch(programs: Programs) -> None:
    script, executable = (programs.command(UNEQUAL, b) for b in BACK_ENDS)
    found = []
    for commands in ([script], [executable] * 2, [script, executable, script, executable]):
        ends = run(commands, programs.folder)
        for end in ends:
            assert (without_leaks(end.errors), end.status) == ("", 0)
        found.append([float(text) for text in re.findall(r"[-\d.e]+", ends[0].output)])
    assert len(found[0]) == 36
    for numbers in found[1:]:
        assert numbers == pytest.approx(found[0], rel=1e-4, abs=1e-6)


IN = "the ranks do different things: rank 0 is in all-reduce sum float32 (1), rank 1 is in "
DIFFERENT = "the ranks differ: parameter 1 is float32 (2) on rank 0, and parameter 1 is float32 (3)"
LATE = "rank 1 has not come to all-reduce sum float32 (1) within 1 second"
# What rank 1 says, and what the others say.
FAILING = {
    "error": ("p2.lisp:12:24: no more data [1 2]", "rank 1 has failed: no more data [1 2]"),
    "raise": ("uncaught raise: enough", "rank 1 has failed: it raised enough"),
    "exit": ("", "rank 1 has failed: it was stopped"),
    "operation": 2 * (f"{IN}broadcast float32 (1) from rank 0",),
    "shape": 2 * (f"{IN}all-reduce sum float32 (2)",),
    "dtype": 2 * (f"{IN}all-reduce sum int64 (1)",),
    "gradient": 2 * (f"{IN}backward",),
    "leave": 2 * (f"{IN}the end of with-distributed",),
    "parameters": 2 * (f"{DIFFERENT} on rank 1",),
    "late": 2 * (LATE,),
}


@pytest.mark.parametrize("way", FAILING)
def test_a_failure_of_a_rank_is_an_error_of_all(programs: Programs, way: str) -> None:
    commands = [[*programs.command(FAILURES, "executable"), way]] * (3 if way == "late" else 2)
    for rank, end in enumerate(run(commands, programs.folder)):
        without_leaks(end.errors)
        assert end.status == (3 if (rank, way) == (1, "exit") else 70)
        assert FAILING[way][0 if rank == 1 else 1] in end.errors


@pytest.mark.parametrize("way", ["error", "gradient"])
def test_both_back_ends_report_the_same(programs: Programs, way: str) -> None:
    texts = []
    for back_end in BACK_ENDS:
        ends = run([[*programs.command(FAILURES, back_end), way]] * 2, programs.folder)
        texts.append([without_leaks(end.errors) for end in ends])
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("back_end", "number", "victim"), [
    ("executable", signal.SIGKILL, 0), ("executable", signal.SIGKILL, 2),
    ("executable", signal.SIGINT, 0), ("executable", signal.SIGINT, 2),
    ("script", signal.SIGINT, 0), ("script", signal.SIGTERM, 2),
])
def test_a_rank_that_is_ended(
    programs: Programs, back_end: str, number: signal.Signals, victim: int
) -> None:
    """In the middle of a step: its gradients are on the way."""
    port, command = free_port(), [*programs.command(FAILURES, back_end), "loop"]
    started = [start(command, programs.folder, environment(k, 3, port)) for k in range(3)]
    stream = started[victim].stderr
    assert stream is not None and stream.readline() == "ready\n"
    started[victim].send_signal(number)
    killed = number != signal.SIGINT
    said = "is lost: its process has ended" if killed else "has failed: it was stopped"
    for rank, process in enumerate(started):
        end = ended(process)
        if rank == victim:
            assert end.status == (-number if killed else 130)
        else:
            assert (end.status, f"rank {victim} {said}" in end.errors) == (70, True), end


@pytest.mark.parametrize(("back_end", "place"), [
    ("script", "body"), ("script", "after-thunk"),
    ("executable", "body"), ("executable", "after-thunk"), ("executable", "failure"),
])
def test_ctrl_c_while_a_rank_is_busy(programs: Programs, back_end: str, place: str) -> None:
    """Nothing that follows runs, but an after-thunk gets its averages, and the others are told."""
    port, command = free_port(), [*programs.command(WAITING, back_end), place]
    started = [start(command, programs.folder, environment(k, 2, port)) for k in range(2)]
    stream = started[0].stderr
    assert stream is not None and stream.readline() == "ready\n"
    time.sleep(0.1)
    started[0].send_signal(signal.SIGINT)
    stopped, other = [ended(process) for process in started]
    printed = "" if place != "after-thunk" else "[3.0 3.0]\n"
    assert (without_leaks(stopped.errors), stopped.status, stopped.output) == ("", 130, printed)
    assert (other.status, "rank 0 has failed: it was stopped" in other.errors) == (70, True), other


def joining(timeout: int) -> list[str]:
    ready = '(display "ready\\n" (current-error-port))'
    text = f"(begin {ready} (with-distributed :timeout {timeout} 1))"
    return [sys.executable, "-m", "lambent.lang", "-e", text]


def test_missing_ranks_are_named(programs: Programs) -> None:
    port = free_port()
    patient = start(joining(100), programs.folder, environment(2, 4, port))
    assert patient.stderr is not None and patient.stderr.readline() == "ready\n"
    first = ended(start(joining(4), programs.folder, environment(0, 4, port)))
    message = "with-distributed: ranks 1 and 3 have not joined within 4 seconds\n"
    assert (first.status, message in first.errors) == (70, True), first
    other = ended(patient)
    assert (other.status, f"rank 0 has failed: {message}" in other.errors) == (70, True), other
    alone = ended(start(joining(1), programs.folder, environment(1, 2, port)))
    assert f"rank 0 has not joined within 1 second: nothing listens at 127.0.0.1:{port}" \
        in alone.errors


@pytest.mark.parametrize("worlds", [(2, 3), (3, 2), (3, 2, 3)])
def test_ranks_that_expect_different_numbers(programs: Programs, worlds: tuple[int, ...]) -> None:
    """All say so at once, although some would have waited for ranks that do not exist."""
    port = free_port()
    started = [start(joining(200), programs.folder, environment(rank, world, port))
               for rank, world in enumerate(worlds)]
    for rank, process in enumerate(started):
        end = ended(process)
        found = re.search(r"rank (\d) expects (\d) ranks, and rank (\d) (\d)\n", end.errors)
        assert (end.status, bool(found)) == (70, True), (rank, end)
        assert found
        told = [int(text) for text in found.groups()]
        assert worlds[told[0]] == told[1] != told[3] == worlds[told[2]]


def test_another_group_is_told_of_a_stray_rank(programs: Programs) -> None:
    port = free_port()
    started = [start(programs.command(OPERATIONS, "script"), programs.folder,
                     environment(rank, 2, port)) for rank in range(2)]
    stray = start(joining(25), programs.folder, environment(2, 3, port))
    for process in started:
        end = ended(process)
        assert end.status == 0 or "expects" in end.errors, end
    assert ended(stray).status == 70


@contextlib.contextmanager
def answering(kind: str) -> Iterator[int]:
    """A port at which something else than a rank answers."""

    def answer(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            if kind == "noise":
                for _ in range(1000):
                    connection.sendall(os.urandom(1000))
            elif kind == "zeros":
                for _ in range(1000):
                    connection.sendall(bytes(1000))
            elif kind == "http":
                connection.recv(10)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            elif kind == "silence":
                connection.recv(1 << 20)
                time.sleep(20)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.parametrize("kind", ["noise", "zeros", "http", "silence", "end"])
def test_a_port_of_another_program(programs: Programs, kind: str) -> None:
    with answering(kind) as port:
        started = [start(joining(3), programs.folder, environment(rank, 2, port))
                   for rank in range(2)]
        first, second = [ended(process) for process in started]
    assert f"rank 0 cannot listen at 127.0.0.1:{port}: another process does" in first.errors
    assert (f"rank 0 has not joined within 3 seconds: what listens at 127.0.0.1:{port} does not "
            "answer as rank 0 does") in second.errors
    assert (first.status, second.status) == (70, 70)


def test_a_name_that_is_not_found(programs: Programs) -> None:
    started = [start(joining(3), programs.folder, environment(rank, 2, free_port())
                     | {"MASTER_ADDR": "no-such-machine.invalid"}) for rank in range(2)]
    for process in started:
        end = ended(process)
        said = "cannot find the address no-such-machine.invalid of rank 0"
        assert (end.status, said in end.errors) == (70, True), end


WRONG_USE = {
    "(with-distributed :time-out 5 1)": "with-distributed: unknown option :time-out",
    "(with-distributed :timeout 0 1)":
        "with-distributed: expected a positive number of seconds for :timeout, got 0",
    "(with-distributed :backend 'nccl 1)": "with-distributed: the backend nccl is not available",
    "(with-distributed :backend 'mpi 1)": "with-distributed: unknown backend mpi",
    "(with-distributed :rank 2 :world-size 2 1)":
        "with-distributed: rank 2 does not exist among 2 ranks",
    "(with-distributed (with-distributed 1))":
        "with-distributed: with-distributed cannot be used inside of with-distributed",
    "(all-reduce [1])": "all-reduce: this works only inside of with-distributed",
    "(with-distributed (all-reduce 1))": "all-reduce: expected a tensor, got 1",
    "(with-distributed (all-reduce [1] :op 'median))":
        "all-reduce: expected an operation for :op, got median",
    "(with-distributed (all-reduce [1] :op 'mean))":
        "all-reduce: cannot take the mean of a tensor int64 (1)",
    "(with-distributed (all-reduce [#t]))": "all-reduce: cannot take the sum of a tensor bool (1)",
    "(with-distributed (broadcast [1] :from 1))":
        "broadcast: expected a rank below 1 for :from, got 1",
    "(with-distributed (data-parallel! (list)))": "data-parallel!: there is no parameter",
    "(with-distributed (data-parallel! (list 1)))": "data-parallel!: expected a tensor, got 1",
    "(with-distributed (let ((w [1.0])) (data-parallel! (list w w))))":
        "data-parallel!: parameter 1 is the same tensor as parameter 0",
    "(with-distributed (data-parallel! (list (* 2 (requires-grad! [1.0])))))":
        "data-parallel!: parameter 0 is the result of a computation",
    "(with-distributed (data-parallel! (list [1])))":
        "data-parallel!: parameter 0 is not a tensor of floating-point numbers",
    "(with-distributed (data-parallel! (list [1.0]) :bucket-size 0))":
        "data-parallel!: expected a positive number of megabytes for :bucket-size, got 0",
}


def test_wrong_use(programs: Programs) -> None:
    """All in one process: a guard catches each error, and the next group works."""
    lines = [f"(guard (e (#t (print (error-object-message e)))) {text})" if "unknown option" not in
             said else "(print 0)" for text, said in WRONG_USE.items()]
    source = programs.folder / "wrong.lisp"
    source.write_text("\n".join(lines))
    done = subprocess.run([sys.executable, "-m", "lambent.lang", source.name], text=True,
                          capture_output=True, cwd=programs.folder, timeout=TIMEOUT)
    assert (done.stderr, done.returncode) == ("", 0)
    for printed, said in zip(done.stdout.splitlines(), WRONG_USE.values(), strict=True):
        assert printed == "0" or printed.startswith(said)


@pytest.mark.parametrize(("variables", "said"), [
    ({"RANK": "x", "WORLD_SIZE": "2"}, 'the variable RANK is "x", which is not a rank'),
    ({"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "2"},
     "rank 5 does not exist among 2 ranks"),
    ({"SLURM_PROCID": "0", "SLURM_NTASKS": "1", "MASTER_PORT": "1"}, None),
])
def test_variables(programs: Programs, variables: dict[str, str], said: str | None) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "-e", "(with-distributed (all-reduce [5]))"],
        text=True, capture_output=True, env={**os.environ, **variables}, timeout=TIMEOUT)
    assert done.returncode == (70 if said else 0)
    assert (said or "") in done.stderr


def test_no_thread_remains(programs: Programs) -> None:
    command, port = programs.command(THREADS, "executable"), free_port()
    started = [start(command, programs.folder, environment(k, 2, port)) for k in range(2)]
    for process in started:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "729.0\n"
    before = [threads_of(process) for process in started]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "[2]\n"
    # The end of with-distributed waits for its threads, and reading comes after it.
    for process, count in zip(started, before, strict=True):
        assert settles(process, count)
    for process in started:
        end = ended(process)
        assert (without_leaks(end.errors), end.status) == ("", 0)


def threads_of(process: "subprocess.Popen[str]") -> int:
    return len(list(Path(f"/proc/{process.pid}/task").iterdir()))


def settles(process: "subprocess.Popen[str]", count: int) -> bool:
    """Whether the process soon has as many threads as that."""
    for _ in range(200):
        if threads_of(process) == count:
            return True
        time.sleep(0.02)
    return False


# The launcher.


def launch(folder: Path, *words: str) -> Ended:
    done = subprocess.run([sys.executable, "-m", "lambent.lang", "launch", *words], text=True,
                          capture_output=True, cwd=folder, timeout=TIMEOUT)
    return Ended(done.stdout, done.stderr, done.returncode)


def test_launch_runs_scripts_and_executables(programs: Programs) -> None:
    for back_end in BACK_ENDS:
        word = programs.command(FAILURES, back_end)[-1]
        assert launch(programs.folder, "-n", "3", word, "none") == Ended("done\n" * 3, "", 0)
    labelled = launch(programs.folder, "--label", word, "none")
    assert sorted(labelled.output.splitlines()) == ["[0] done", "[1] done"]


def test_launch_returns_the_status_of_the_first_that_fails(programs: Programs) -> None:
    [word] = programs.command(FAILURES, "executable")
    end = launch(programs.folder, word, "error")
    assert (end.output, end.status) == ("", 70)
    assert end.errors.count("rank 1 has failed: no more data [1 2]") == 1
    assert end.errors.count("p2.lisp:12:24: no more data [1 2]\n") == 1
    assert launch(programs.folder, "nothing.lisp").status == 66
    assert launch(programs.folder, "-n", "0", word).status == 64


@pytest.mark.parametrize(("options", "message"), [
    (["-n", "0"], "-n takes a number of processes from 1, got 0"),
    (["--restarts", 5000 * "9"], "--restarts takes a number of restarts from 0, got 99"),
    (["--machine", "3", "--machines", "2"],
     "--machine takes a number below that of --machines, 2, got 3"),
    (["--address", "here"], "--address takes HOST:PORT, got here"),
    (["--address", "here:" + 5000 * "9"], "--address takes HOST:PORT, got here:99"),
])
def test_launch_says_what_is_wrong(tmp_path: Path, options: list[str], message: str) -> None:
    end = launch(tmp_path, *options, "program.lisp")
    assert end.status == 64 and end.errors.startswith(f"lambent: {message}")


def test_launch_drops_the_variables_of_an_outer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LAMBENT_LISTENER", "LAMBENT_RESTARTS", "TORCHELASTIC_RESTART_COUNT"):
        monkeypatch.setenv(name, "7")
    names = '\'("LAMBENT_LISTENER" "LAMBENT_RESTARTS" "TORCHELASTIC_RESTART_COUNT")'
    (tmp_path / "show.lisp").write_text(f"(print (map get-environment-variable {names}))")
    end = launch(tmp_path, "--address", "127.0.0.1:29999", "-n", "1", "show.lisp")
    assert end == Ended("(#f #f #f)\n", "", 0)


def test_launch_passes_ctrl_c_on(programs: Programs) -> None:
    [word] = programs.command(FAILURES, "executable")
    process = start([sys.executable, "-m", "lambent.lang", "launch", word, "loop"],
                    programs.folder, dict(os.environ))
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert ended(process).status == 130
