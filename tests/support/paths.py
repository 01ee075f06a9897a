"""Where things are in the repository, for tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
PROGRAMS = TESTS / "programs"
DOCS = ROOT / "docs"
