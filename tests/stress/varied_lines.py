"""Lines of text that tokenizers get wrong: all scripts, emoji, marks, spaces, controls, names of
special tokens in the middle.

    lines(10000, seed=1, names=["<s>"])  =>  10,000 strings, always the same
"""

# Its characters look like others, and a table of texts is easier to read in long lines.
# ruff: noqa: RUF001, E501, SIM905

import random
import sys
import unicodedata
from collections.abc import Callable, Sequence

from tests.support.paths import ROOT

_SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u2003", "\u3000", "\u0085",
           "\u2028", "\u200a", "\u1680", "\x0b", "\x0c", "\x1c", " \n", "\n\n\n", "        "]  # fmt: skip
_INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\u061c",
              "\u202e", "\u180e", "\0", "\x01", "\x1b", "\x7f", "\x9f", "\ufffd", "\ufffe",
              "\U0010ffff", "\ue000", "\U000f0000", "\u0378", "\U0003ffff", "\ufe0f"]  # fmt: skip
_EMOJI = ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "🇯🇵🇺🇸", "✌🏽", "👍🏿", "1️⃣", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️‍🔥", "☺", "☺️", "🧑🏻‍🚀", "🫨", "🪿",
          "🏳️‍🌈", "©", "™", "〰️"]  # fmt: skip
_TRAPS = ["é", "é", "Å", "Å", "Å", "ﬁ", "ﬃ", "①", "½", "㎏", "가", "가", "각", "ᄀ가", "ẛ̣", "ſ",
          "ǆ", "İ", "ı", "ß", "ẞ", "Σ", "ς", "ΐ", "q̣̇", "q̣̇", "ָּ", "क्ष", "ड़", "்", "ำ", "ༀ",
          "𝐇𝒆𝓁𝔩𝕠", "ｆｕｌｌ", "ﾊﾟ", "ﾊﾝｶｸ", "㍿", "ﷺ", "…", "‥", "⁹", "₂", "⅔", "Ⅷ", "℡", "̈a", "\u0344", "ﬆ",
          "丽", "豈", "𠀀", "〆", "々", "ー", "ゝ", "〇", "🈚", "𑄮", "𝅗𝅥", "´", "\u1fee", "－", "〜", "~", "▁",
          "▁▁a", "Ġ", "Ċa", "##ing", "</w>", "@@", "''", "``"]  # fmt: skip
_WORDS = """the of don't CAN'T we'll I'M they've you're he'D it's 'tis rock'n'roll O'Neil naïve
CamelCase snake_case kebab-case HTTPServer iPhone15 x86_64 0x1F 3.14159 1,000,000 12345678901234567890
user@example.com https://example.com/a?b=c&d=%20#e C:\\Windows\\ ../../x == != >= -> ::= /* */ // #include
{"a":[1,2]} <div class="x"> $HOME ${x} `code` **bold** ~~~ --- *** ??? !!! ... ,,, ((())) [[x]] \\n \\u0041
Donaudampfschifffahrtsgesellschaft antidisestablishmentarianism pneumono ' " ’s ’LL 's'S 'Re""".split()
_SENTENCES = """The quick brown fox jumps over the lazy dog.|Zwölf Boxkämpfer jagen Viktor quer über den
großen Sylter Deich.|Портрет – это всё, что нужно: щёки, ёжик.|色は匂へど散りぬるを 我が世誰ぞ常ならむ|東京都に住んでいます。2024年5月|
我能吞下玻璃而不伤身体。|키스의 고유조건은 입술끼리 만나야 하고|صِف خَلقَ خَودِ كَمِثلِ الشَمسِ|דג סקרן שט בים מאוכזב|ऋषियों को सताने वाले
दुष्ट राक्षसों|กฎหมายไทย เป็นมนุษย์สุดประเสริฐ|ខ្ញុំអាចញ៉ាំកញ្ចក់បាន|မြန်မာစာ|ཤེས་རབ|ქართული ენა|Ξεσκεπάζω τὴν
ψυχοφθόρα βδελυγμία|Hôtel à Nîmes, œuvre|Pchnąć w tę łódź jeża|ኢትዮጵያ|தமிழ் மொழி|ಕನ್ನಡ|తెలుగు|മലയാളം|සිංහල|
Việt Nam đất nước|ᏣᎳᎩ|ᓄᓇᕗᑦ|ⴰⵎⴰⵣⵉⵖ|ߒߞߏ|ꦗꦮ|ᠮᠣᠩᠭᠣᠯ|def f(x):\n    return x**2  # no|for (int i = 0; i < n; i++) {\n\t\ta[i] += 1;\n}
""".replace("\n", " ").replace("\\n", "\n").replace("\\t", "\t").split("|")
_ASSIGNED = [code for code in range(sys.maxunicode + 1)
             if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]  # fmt: skip


def _sources() -> list[str]:
    """Lines of the project: prose and programs."""
    files = [*sorted(ROOT.glob("docs/*.md"))[:6], *sorted(ROOT.glob("ctorch/text/*.cpp")),
             *sorted(ROOT.glob("stdlib/tokenizers/*.lisp")), ROOT / "lang/cli.py"]  # fmt: skip
    return [line for file in files for line in file.read_text().splitlines() if line.strip()]


def lines(count: int, seed: int = 1, names: Sequence[str] = ()) -> list[str]:
    """Lines; names are texts of special tokens, which stand in some of them."""
    chance = random.Random(seed)
    sources = _sources()
    pick = chance.choice

    def neighbours() -> str:
        start = pick(_ASSIGNED)
        codes = range(max(0, start - 12), min(sys.maxunicode, start + 12))
        letters = [chr(c) for c in codes if not 0xD800 <= c < 0xE000]
        return "".join(pick([*letters, *letters, " "]) for _ in range(chance.randrange(1, 30)))

    def anything() -> str:
        codes = (chance.randrange(0x110000) for _ in range(chance.randrange(1, 20)))
        return "".join(chr(c) for c in codes if not 0xD800 <= c < 0xE000)

    def assigned() -> str:
        return "".join(chr(pick(_ASSIGNED)) for _ in range(chance.randrange(1, 25)))

    def marked() -> str:
        marks = "".join(chr(chance.randrange(0x300, 0x370)) for _ in range(chance.randrange(1, 9)))
        return pick("aeoqEÅ") + marks

    def numbers() -> str:
        digits = pick(["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９", "²³¹½", "ⅠⅡⅢ", "一二三"])
        text = "".join(pick(digits) for _ in range(chance.randrange(1, 14)))
        return pick(["", "-", "$", " "]) + text + pick(["", ".5", ",000", "%", "px", "th"])

    def long() -> str:
        letters = pick(["a", "ab", "xyz1", "é", "日本", " ", "\n", "😀", "ا", "0", "= -", "\u0301"])
        return "".join(pick(letters) for _ in range(chance.randrange(20, 1500)))

    def named() -> str:
        name = pick(list(names) or ["<s>"])
        return pick([name, name, name + name, f" {name} ", f"a{name}b", name[:-1], name.upper()])

    def normal() -> str:
        return unicodedata.normalize(pick(["NFC", "NFD", "NFKC", "NFKD"]), pick(_SENTENCES))

    parts: list[tuple[int, Callable[[], str]]] = [
        (30, lambda: pick(_WORDS)), (12, lambda: pick(_SPACES)), (8, lambda: pick(_INVISIBLE)),
        (8, lambda: pick(_EMOJI)), (12, lambda: pick(_TRAPS)), (6, neighbours), (2, anything),
        (4, assigned), (4, marked), (6, numbers), (6, named), (8, normal), (6, lambda: pick(_SENTENCES)),
        (2, lambda: "".join(chance.choices(_SPACES, k=chance.randrange(2, 9)))),
    ]  # fmt: skip
    weights = [weight for weight, _ in parts]

    def mixed() -> str:
        glue = pick([" ", " ", "", ""])
        return glue.join(part() for _, part in chance.choices(parts, weights,
                                                              k=chance.randrange(1, 14)))  # fmt: skip

    made = ["", " ", "  ", "\0", "\n", *names, *_TRAPS, *_EMOJI, *_SPACES, *_INVISIBLE, *_SENTENCES]
    while len(made) < count:
        kind = chance.random()
        if kind < 0.2:
            made.append(pick(["", "", " ", "\t"]) + pick(sources))
        elif kind < 0.21:
            made.append(pick(["", " "]) + long() + pick(["", " ", "x"]))
        elif kind < 0.4:
            made.append(pick([neighbours, anything, assigned, numbers, named, normal])())
        else:
            made.append(mixed())
    return made[:count]
