"""Bytes as text against Python: encodings, base64, digests, UUIDs, gzip files."""

import base64
import gzip
import hashlib
import random
import uuid
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

EXAMPLES = settings(deadline=None, max_examples=60, database=None)
data = st.binary(max_size=300)
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)

# Lambent's names of encodings, and Python's.
CODECS = {
    "utf-8": "utf-8", "utf-8-sig": "utf-8-sig", "utf-16": "utf-16", "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be", "utf-32": "utf-32", "utf-32le": "utf-32-le", "utf-32be": "utf-32-be",
    "ascii": "ascii", "latin-1": "latin-1", "koi8-r": "koi8-r", "iso-8859-15": "iso8859-15",
    "windows-1251": "cp1251", "gb18030": "gb18030",
}  # fmt: skip
WHOLE = [name for name in CODECS if name.startswith("utf")]


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    return lambent.Session()


@pytest.mark.parametrize("name", CODECS)
@EXAMPLES
@given(text=texts)
def test_texts_are_encoded_as_by_python(session: lambent.Session, name: str, text: str) -> None:
    if name not in WHOLE:
        text = text.encode(CODECS[name], "ignore").decode(CODECS[name])
    encode = session.eval(f"(lambda (text) (string->bytevector text '{name}))")
    decode = session.eval(f"(lambda (bytes) (bytevector->string bytes '{name}))")
    encoded = bytes(encode(text))
    if encoded != text.encode(CODECS[name]):  # \u200b and the like have two forms in GB 18030
        assert name == "gb18030"
    assert decode(encoded) == text


@pytest.mark.parametrize("name", WHOLE)
@EXAMPLES
@given(source=st.one_of(data, texts.map(str.encode)))
def test_what_is_not_text_is_found_as_by_python(
    session: lambent.Session, name: str, source: bytes
) -> None:
    decode = session.eval(f"""
      (lambda (bytes)
        (guard (e (#t #f)) (bytevector->string bytes '{name})))""")
    try:
        expected = source.decode(CODECS[name])
    except UnicodeDecodeError:
        assert decode(source) is False
        return
    assert decode(source) == expected


@EXAMPLES
@given(source=st.one_of(data, texts.map(str.encode)))
def test_bytes_that_are_not_utf_8_are_replaced_as_by_python(
    session: lambent.Session, source: bytes
) -> None:
    replace = session.eval("(lambda (b) (bytevector->string b 'utf-8 :invalid 'replace))")
    assert replace(source) == source.decode("utf-8", "replace")


@EXAMPLES
@given(source=data)
def test_digits_are_those_of_python(session: lambent.Session, source: bytes) -> None:
    encoded = session.eval("bytevector->base64")(source)
    assert encoded == base64.b64encode(source).decode()
    url = session.eval('(lambda (b) (bytevector->base64 b "-_"))')(source)
    assert url == base64.urlsafe_b64encode(source).decode()
    decode = session.eval("base64->bytevector")
    assert bytes(decode(encoded)) == bytes(decode(encoded.rstrip("="))) == source
    assert session.eval("bytevector->hex-string")(source) == source.hex()
    assert bytes(session.eval("hex-string->bytevector")(source.hex().upper())) == source


@EXAMPLES
@given(source=data)
def test_digests_are_those_of_python(session: lambent.Session, source: bytes) -> None:
    for name in ("md5", "sha1", "sha256", "sha512"):
        assert session.eval(name)(source) == hashlib.new(name, source).hexdigest()
    assert session.eval("crc32")(source) == zlib.crc32(source)
    assert session.eval("adler32")(source) == zlib.adler32(source)


@EXAMPLES
@given(name=texts)
def test_named_uuids_are_those_of_python(session: lambent.Session, name: str) -> None:
    named = session.eval("(lambda (name) (uuid-v5 'url name))")
    assert named(name) == str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def test_random_uuids_have_their_form(session: lambent.Session) -> None:
    made = [uuid.UUID(session.eval(f"(uuid-v{version})")) for version in (4, 7) for _ in range(50)]
    assert [one.version for one in made] == [4] * 50 + [7] * 50
    assert {one.variant for one in made} == {uuid.RFC_4122}
    assert len(set(made)) == 100


def test_gzip_files_are_those_of_python(session: lambent.Session, tmp_path: Path) -> None:
    random.seed(5)
    read = session.eval("""
      (lambda (path)
        (call-with-port (open-gzip-binary-input-file path)
          (lambda (port) (let ((all (read-bytevector 10000000 port)))
                           (if (eof-object? all) #u8() all)))))""")
    write = session.eval("""
      (lambda (path bytes)
        (call-with-port (open-gzip-binary-output-file path)
          (lambda (port) (write-bytevector bytes port))))""")
    path = tmp_path / "file.gz"
    for size in (0, 1, 65535, 65536, 200_000, 500_000):
        source = bytes(random.choices(range(random.choice([2, 256])), k=size))
        path.write_bytes(gzip.compress(source[: size // 2]) + gzip.compress(source[size // 2 :]))
        assert bytes(read(str(path))) == source
        write(str(path), source)
        assert gzip.decompress(path.read_bytes()) == source
