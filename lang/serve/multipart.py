"""Forms with files from strangers (RFC 7578): read in one pass, with bounds on everything.

    form_of(b"--b\\r\\nContent-Disposition: form-data; name=model\\r\\n\\r\\nm\\r\\n--b--", "b")
        =>  Form(texts={"model": ["m"]}, files={})

The whole body is in memory already, and bounded.  Each byte is looked at once or twice: the body is
searched for the boundary only, and the heads of parts are short.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import MessageError
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import HTTP

from lambent.lang.serve.faults import ApiError

_MOST_PARTS = 64
_LONGEST_HEAD = 4096  # bytes
_LONGEST_NAME = 60  # characters
_LONGEST_TEXT = 64_000  # bytes of a part that is not a file
_LONGEST_BOUNDARY = 70  # by RFC 2046


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a form.  name: as the client calls it."""

    name: str
    data: memoryview


@dataclass(slots=True)
class Form:
    """The parts of a form by their names; a text may come several times, a file once."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, Upload] = field(default_factory=dict)


def boundary_of(content_type: str) -> str:
    """The boundary that a Content-Type header names; an ApiError if there is none."""
    head = Message()
    head["Content-Type"] = content_type[:_LONGEST_HEAD]
    try:
        boundary = head.get_boundary("")
    except (MessageError, ValueError, LookupError):
        boundary = ""
    if not boundary or len(boundary) > _LONGEST_BOUNDARY or not boundary.isascii():
        raise _wrong("the content type multipart/form-data names no boundary")
    return boundary


def form_of(body: bytes, boundary: str) -> Form:
    """The parts of a body; an ApiError if it is not a form."""
    form = Form()
    for start, end in _parts(body, b"--" + boundary.encode()):
        _add(form, body, start, end)
    return form


def _parts(body: bytes, mark: bytes) -> Iterator[tuple[int, int]]:
    """Where the parts of a body begin and end: between lines of the boundary."""
    if not body.startswith(mark):
        raise _wrong("the body does not begin with the boundary of its content type")
    at = len(mark)
    for _ in range(_MOST_PARTS + 1):
        if body.startswith(b"--", at):
            return
        if not body.startswith(b"\r\n", at):
            raise _wrong("a line of the boundary has more than that")
        end = body.find(b"\r\n" + mark, at)
        if end < 0:
            raise _wrong("the last part does not end with the boundary")
        yield at + 2, max(end, at + 2)
        at = end + 2 + len(mark)
    raise _wrong(f"the form has more than {_MOST_PARTS} parts")


def _add(form: Form, body: bytes, start: int, end: int) -> None:
    """Add the part between two places of a body to a form."""
    blank = body.find(b"\r\n\r\n", start, min(end, start + _LONGEST_HEAD))
    if blank < 0:
        raise _wrong(f"a part has no head of at most {_LONGEST_HEAD} bytes")
    name, file = _names(body[start:blank])
    data = memoryview(body)[blank + 4 : end]
    if name in form.files or (file is not None and name in form.texts):
        raise _wrong(f"the form has two parts {_shown(name)}, one of them a file")
    if file is not None:
        form.files[name] = Upload(file, data)
        return
    if len(data) > _LONGEST_TEXT:
        raise _wrong(f"the part {_shown(name)} is longer than {_LONGEST_TEXT} bytes")
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError:
        raise _wrong(f"the part {_shown(name)} is not UTF-8 text") from None
    form.texts.setdefault(name, []).append(text)


def _names(head: bytes) -> tuple[str, str | None]:
    """The name of a part, and that of its file, if it is one."""
    try:
        message = BytesHeaderParser(policy=_PLAIN).parsebytes(head)
        name = message.get_param("name", header="content-disposition")
        file = message.get_filename()
    except (MessageError, ValueError, LookupError):
        name, file = None, None
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise _wrong(f"a part has no name of at most {_LONGEST_NAME} characters in its "
                     "Content-Disposition")
    return name, None if file is None else _shown(file)


_PLAIN = HTTP.clone(header_factory=lambda name, value: value)  # headers as they are


def _shown(name: str) -> str:
    """A name in a message or a log: short, and without characters that do not print."""
    return "".join(letter if letter.isprintable() else "?" for letter in name[:_LONGEST_NAME])


def _wrong(message: str) -> ApiError:
    return ApiError(message, code="invalid_form")
