"""generate, chat and bench: as commands, compiled from examples/chat.lisp, at a terminal."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.support.model_folders import folder
from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner

GENEROUS = 40  # seconds
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def commands(runner: ProgramRunner) -> dict[str, list[str]]:
    """The same program as a script and as an executable."""
    example = ROOT / "examples/chat.lisp"
    status, said = runner.begin_compiling(example).result()
    assert status == 0, said
    return {
        "script": [sys.executable, "-m", "lambent.lang", str(example)],
        "executable": [str(runner.executable(example))],
    }


def run(command: list[str], *words: str, given: str = "") -> tuple[str, str, int]:
    done = subprocess.run([*command, *words], input=given, capture_output=True, text=True,
                          timeout=GENEROUS, env=ENVIRONMENT)
    return done.stdout, done.stderr, done.returncode


TALK = """\
Hello
/system Be brief.
/set temperature 0
/set top-k 5
/set
//about slashes

/retry
/save {folder}/talk.json
/reset
/system
/load {folder}/talk.json
/system
And now?
/quit
not read
"""

# Words after the command, what is typed, and a pattern of all that is said; {m} is the model.
SAME: dict[str, tuple[list[str], str, str, int]] = {
    "a text": (["generate", "{m}", "Once", "--greedy", "--max-tokens", "8"], "", r"(?s).+\n", 0),
    "several": (["generate", "{m}", "Once", "--count", "3", "--max-tokens", "3", "--seed", "1",
                 "--stop", "zzz"], "", r"(?s)(.*\n){3,}", 0),
    "a message": (["generate", "{m}", "Hi", "--chat", "--system", "Be kind", "--greedy",
                   "--max-tokens", "6"], "", r"(?s).*\n", 0),
    "a conversation": (["chat", "{m}", "--seed", "1", "--max-tokens", "10"], TALK,
                       r"(?s).*max-tokens 10\nseed 1\ntemperature 0\ntop-k 5\n.*"
                       r"\nBe brief\.\nBe brief\.\n.*", 0),
    "an unknown command": (["chat", "{m}"], "/nope\n",
                           r"chat: unknown command: /nope\nhint: /help lists.*\n", 70),
    "a damaged talk": (["chat", "{m}", "--load", "{m}/config.json"], "",
                       r"chat: .*config.json: expected a list of messages\n", 70),
    "a quantized folder": (["quantize", "{m}", "{new}/small", "--bits", "4"], "",
                           r".*small: [\d.]+ MB, was [\d.]+ MB\n", 0),
    "a quantized file": (["quantize", "{m}", "{new}/small.gguf", "--kind", "Q4_0"], "",
                         r".*small.gguf: [\d.]+ MB, was [\d.]+ MB\n", 0),
    "an unknown kind": (["quantize", "{m}", "{new}/small.gguf", "--kind", "Q9"], "",
                        r"chat: save-gguf: expected F32, .* as the kind, got Q9\n", 70),
    "a kind for a folder": (["quantize", "{m}", "{new}/small", "--kind", "Q4_0"], "",
                            r"chat: --kind Q4_0 is for a new file that ends with .gguf; .*\n"
                            r".*\n", 64),
    "blocks in a folder": (["quantize", "{m}", "{new}/small", "--kind", "Q4_K_M"], "",
                           r".*small: [\d.]+ MB, was [\d.]+ MB\n"
                           r"quantize-model!: 8 layers .*\n", 0),
    "nowhere": (["quantize", "{m}"], "",
                r"chat: no new folder or file is given\nhint: usage: chat quantize .*\n", 64),
    "no folder": (["generate"], "", r"chat: no folder is given\nhint: usage: chat generate "
                  r"FOLDER \[PROMPT\] \[OPTION \.\.\.\]\n", 64),
    "another folder": (["chat", "/no/such"], "",
                       r"chat: cannot open /no/such: No such file or directory\nhint: .*\n", 66),
    "not a model": (["generate", "/", "x"], "", r"chat: load-llm: .*\n(hint: .*\n)?", 70),
    "a wrong number": (["chat", "{m}", "--top-k", "0"], "",
                       r"chat: --top-k takes a positive integer, got 0\n.*\n", 64),
    "help": (["bench", "--help"], "", r"(?s)usage: chat bench FOLDER.*--repeats N.*", 0),
}


@pytest.mark.parametrize("name", SAME)
def test_both_back_ends_say_the_same(
    commands: dict[str, list[str]], name: str, tmp_path: Path
) -> None:
    words, given, pattern, status = SAME[name]
    words = [word.replace("{m}", str(folder("llama"))) for word in words]
    words = [word.replace("{new}", str(tmp_path)) for word in words]
    given = given.replace("{folder}", str(tmp_path))
    script = run(commands["script"], *words, given=given)
    assert re.fullmatch(pattern, script[0] + script[1]), script
    assert script[2] == status
    assert run(commands["executable"], *words, given=given) == script
    if "/save" in given:
        messages = json.loads((tmp_path / "talk.json").read_text())
        assert [message["role"] for message in messages] == [
            "system", "user", "assistant", "user", "assistant",
        ]
        assert messages[3]["content"] == "/about slashes"


def test_bench(commands: dict[str, list[str]], tmp_path: Path) -> None:
    figures = {}
    for back_end, command in commands.items():
        file = tmp_path / f"{back_end}.json"
        output, errors, status = run(command, "bench", str(folder("llama")), "--tokens", "10",
                                     "--repeats", "2", "--json", str(file))
        assert (errors, status) == ("", 0)
        assert re.search(r"(?m)^decode +[\d.e+]+ tokens/s, variation [\d.]+ %, 10 tokens a run$",
                         output)
        figures[back_end] = json.loads(file.read_text())
    script, executable = figures["script"], figures["executable"]
    for name in ("ids", "probe", "parameters", "dtype", "prompt_tokens", "new_tokens"):
        assert script[name] == executable[name]
    assert len(script["ids"]) == 10
    assert all(figure["load_seconds"] > 0 for figure in figures.values())
    assert all(figure["peak_bytes"] > 10_000_000 for figure in figures.values())


def test_closed_output(commands: dict[str, list[str]]) -> None:
    """As any command whose reader goes away: no message, and not a hang."""
    for command in commands.values():
        words = " ".join(f"'{word}'" for word in [
            *command, "generate", str(folder("llama")), "Once", "--ignore-eos"])
        done = subprocess.run(["sh", "-c", f"{words} | head -c 1"], capture_output=True,
                              timeout=GENEROUS, env=ENVIRONMENT)
        assert (len(done.stdout), done.stderr) == (1, b"")


# At a terminal.


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose context is so long that only Ctrl-C ends its answers."""
    path = tmp_path_factory.mktemp("model") / "endless"
    shutil.copytree(folder("llama"), path)
    config = json.loads((path / "config.json").read_text())
    config["max_position_embeddings"] = 1_000_000
    (path / "config.json").write_text(json.dumps(config))
    return path


@pytest.fixture(params=["command", "executable"])
def session(
    request: pytest.FixtureRequest, commands: dict[str, list[str]], endless: Path, tmp_path: Path
) -> "Iterator[pexpect.spawn[str]]":
    own = [sys.executable, "-m", "lambent.lang"]
    command = own if request.param == "command" else commands["executable"]
    child: pexpect.spawn[str] = pexpect.spawn(
        command[0], [*command[1:], "chat", str(endless), "--max-tokens", "5", "--seed", "1"],
        encoding="utf-8", timeout=GENEROUS, dimensions=(40, 200),
        env={**ENVIRONMENT, "TERM": "xterm", "XDG_STATE_HOME": str(tmp_path)},
    )
    yield child
    child.close(force=True)


PROMPT = r"\x1b\[\?2004h> "  # with bracketed paste switched on


def test_a_session(session: "pexpect.spawn[str]", tmp_path: Path) -> None:
    session.expect(r"endless: [\d.]+ million parameters, float32; /help lists the commands")
    session.expect(PROMPT)

    def typed(line: str, answer: str = "") -> str:
        session.sendline(line)
        session.expect(re.escape(line))
        session.expect(f"{answer}.*?{PROMPT}")
        return str(session.after)

    typed("/help", r"/save FILE +write the conversation as JSON")
    first = typed("Hello", r"\r\n[^\r\n]+")
    assert typed("/retry", r"\r\n[^\r\n]+").splitlines()[1] == first.splitlines()[1]
    typed("/nope", r"unknown command: /nope\r\nhint: /help lists the commands")
    typed("/set heat 3", r"unknown setting: heat\r\nhint: settings are max-tokens, ")
    typed("/set top-p 3", r"top-p takes a number from 0 to 1, got 3")
    typed("/set max-tokens 900000")
    typed("/set ignore-eos on")
    for _ in range(2):  # an answer that Ctrl-C ends, and another one
        session.sendline("Go on")
        session.expect("Go on\r\n")
        session.expect(r"(?s).{60}")
        session.sendintr()
        session.expect(r"\(stopped\)")
        session.expect(PROMPT)
    typed("/set max-tokens 4")
    typed("/stats")
    typed("More", r"4 tokens, first after [\d.e-]+ s, [\d.e+]+ tokens/s, cache")
    typed(f"/save {tmp_path}/talk.json", "saved 8 messages")
    session.send("not finished")
    session.expect("not finished")
    session.sendintr()
    session.expect(PROMPT)
    session.send("\x1b[A\r")
    session.expect("saved 8 messages")
    session.expect(PROMPT)
    session.sendeof()
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0
    history = (tmp_path / "lambent/chat-history").read_text().splitlines()
    assert history[0] == "/help"
    messages = json.loads((tmp_path / "talk.json").read_text())
    assert [message["role"] for message in messages] == ["user", "assistant"] * 4


def test_ctrl_c_ends_generate(commands: dict[str, list[str]], endless: Path) -> None:
    for command in commands.values():
        child: pexpect.spawn[str] = pexpect.spawn(
            command[0], [*command[1:], "generate", str(endless), "Once", "--ignore-eos",
                         "--max-tokens", "900000"],
            encoding="utf-8", timeout=GENEROUS, env=ENVIRONMENT,
        )
        child.expect(r"(?s).{30}")
        child.sendintr()
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 130
