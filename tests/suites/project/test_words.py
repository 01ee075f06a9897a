"""Facts about the texts: what they name exists everywhere, and the glossary has one row a word.

How the texts are written is for readers to judge, by the glossary in CONTRIBUTING.md.
"""

import re
import subprocess
from collections import Counter

import pytest

from tests.support.paths import ROOT

# Folders of one machine.  `me` is the user of examples.
ONE_MACHINE = re.compile(r"(?<![\w.)}])/(?:work|root|home/(?!me/)\w+|Users/\w+)/")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="it asks git for the files")
def test_no_file_names_the_folders_of_one_machine() -> None:
    listed = subprocess.run(
        ["git", "grep", "--untracked", "-nIE", "/(work|root|home|Users)/"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.splitlines()
    lines = [line for line in listed if ONE_MACHINE.search(line)]
    assert any("/home/me/" in line for line in listed), "git grep has found nothing at all"
    assert not lines, "\n".join(lines)


def test_the_glossary_explains_each_word_once() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("\n## Glossary\n")[2].partition("\n## ")[0]
    words = [
        word.strip()
        for row in re.findall(r"^\| (?!word |---)([^|]+) \|", table, re.M)
        for word in row.split(",")
    ]
    assert len(words) > 40
    assert [word for word, times in Counter(words).items() if times > 1] == []
