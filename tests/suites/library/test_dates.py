"""SRFI 19, time zones and ISO 8601 against Python's datetime and zoneinfo."""

import random
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest

import lambent

ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca",
    "America/Sao_Paulo", "Asia/Kathmandu", "Europe/Dublin", "Pacific/Apia", "America/Caracas",
    "Antarctica/Troll", "UTC", "Asia/Tehran",
)  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    return lambent.Session()


def texts(session: lambent.Session, expression: str, rows: list[str]) -> list[str]:
    """What an expression of x displays for each row."""
    return str(
        session.eval(
            f"(string-join (map (lambda (x) (string {expression})) '({' '.join(rows)})) \"\\n\")"
        )
    ).split("\n")


def moments(random: random.Random, count: int) -> Iterator[datetime]:
    """Moments of all years, most of them of the last and the next hundred."""
    for k in range(count):
        years = (2, 9998) if k % 4 == 0 else (1900, 2100)
        low, high = (datetime(year, 1, 1, tzinfo=UTC) for year in years)
        yield low + timedelta(seconds=random.randrange(int((high - low).total_seconds())))


def near_changes(zone: tzinfo, random: random.Random) -> Iterator[datetime]:
    """Moments within hours of the days at which the offset of a zone changes."""
    day = datetime(1965, 1, 1, tzinfo=UTC)
    while day.year < 2045:
        later = day + timedelta(days=1)
        if day.astimezone(zone).utcoffset() != later.astimezone(zone).utcoffset():
            for _ in range(6):
                yield day + timedelta(seconds=random.randrange(-7200, 93600))
        day = later


def shown_offset(date: datetime) -> str:
    offset = date.utcoffset()
    assert offset is not None
    return str(round(offset.total_seconds()))


@pytest.mark.parametrize("name", ZONES)
def test_zones(session: lambent.Session, name: str) -> None:
    zone = zoneinfo.ZoneInfo(name)
    choices = random.Random(name)
    dates = [*moments(choices, 300), *near_changes(zone, choices)]
    seconds = [(date - EPOCH) // timedelta(seconds=1) for date in dates]
    got = texts(
        session,
        f'(let ((d (seconds->date x "{name}")))'
        ' (string (date->string d "~Y-~m-~d ~H:~M:~S ~Z ") (date-zone-offset d)))',
        [str(second) for second in seconds],
    )
    local = [date.astimezone(zone) for date in dates]
    assert got == [
        f"{date.year:04}-{date:%m-%d %H:%M:%S} {date.tzname()} {shown_offset(date)}"
        for date in local
    ]
    rows = [(date, fold) for date in local for fold in (0, 1)]
    got = texts(
        session,
        "(date-zone-offset (local-date (list-ref x 0) (list-ref x 1) (list-ref x 2)"
        " :hour (list-ref x 3) :minute (list-ref x 4) :second (list-ref x 5)"
        f' :fold (list-ref x 6) :zone "{name}"))',
        [
            f"({d.year} {d.month} {d.day} {d.hour} {d.minute} {d.second} {fold})"
            for d, fold in rows
        ],
    )
    assert got == [shown_offset(date.replace(fold=fold)) for date, fold in rows]


def test_gaps(session: lambent.Session) -> None:
    """Times that clocks skip, or show twice, at each minute around the changes."""
    zone = zoneinfo.ZoneInfo("Europe/Berlin")
    rows = [
        (month, day, hour, minute, fold)
        for month, day in ((3, 29), (10, 25))
        for hour in range(4)
        for minute in (0, 1, 30, 59)
        for fold in (0, 1)
    ]
    got = texts(
        session,
        "(date-zone-offset (local-date 2026 (list-ref x 0) (list-ref x 1) :hour (list-ref x 2)"
        ' :minute (list-ref x 3) :fold (list-ref x 4) :zone "Europe/Berlin"))',
        [f"({' '.join(map(str, row))})" for row in rows],
    )
    assert got == [
        shown_offset(datetime(2026, *row[:4], tzinfo=zone, fold=row[4]))
        for row in rows
    ]


DIRECTIVES = {
    "~a": "%a", "~A": "%A", "~b": "%b", "~B": "%B", "~d": "%d", "~D": "%m/%d/%y", "~e": "%e",
    "~H": "%H", "~I": "%I", "~j": "%j", "~k": "%k", "~l": "%l", "~m": "%m", "~M": "%M",
    "~p": "%p", "~r": "%I:%M:%S %p", "~S": "%S", "~T": "%T", "~U": "%U", "~V": "%V", "~w": "%w",
    "~W": "%W", "~y": "%y", "~~": "~",
}  # fmt: skip


def test_directives(session: lambent.Session) -> None:
    dates = list(moments(random.Random(1), 400))
    seconds = [str((date - EPOCH) // timedelta(seconds=1)) for date in dates]
    template = "|".join(DIRECTIVES)
    got = texts(session, f'(date->string (seconds->date x 0) "{template}")', seconds)
    assert got == [date.strftime("|".join(DIRECTIVES.values())) for date in dates]


def test_iso_8601(session: lambent.Session) -> None:
    choices = random.Random(2)
    dates = [
        date.replace(microsecond=choices.choice((0, 500000, 123456))).astimezone(
            timezone(timedelta(minutes=choices.randrange(-720, 840, 15)))
        )
        for date in moments(choices, 300)
    ]
    rows = [f'"{date.isoformat()}"' for date in dates]
    got = texts(session, "(date->iso8601 (iso8601->date x))", rows)
    assert [datetime.fromisoformat(text) for text in got] == dates
    assert [datetime.fromisoformat(text).utcoffset() for text in got] == [
        date.utcoffset() for date in dates
    ]
    weeks = [date.isocalendar() for date in dates]
    rows = [f'"{week.year:04}-W{week.week:02}-{week.weekday}"' for week in weeks]
    got = texts(session, '(date->string (iso8601->date x 0) "~Y-~m-~d")', rows)
    assert got == [date.date().isoformat() for date in dates]


def test_arithmetic(session: lambent.Session) -> None:
    """Days on the calendar of a zone, and back from the text of SRFI 19."""
    zone = zoneinfo.ZoneInfo("America/New_York")
    choices = random.Random(3)
    dates = [date.astimezone(zone) for date in moments(choices, 200)]
    days = [choices.randrange(-3000, 3000) if 20 < d.year < 9980 else 0 for d in dates]
    rows = [
        f"({(date - EPOCH) // timedelta(seconds=1)} {n})"
        for date, n in zip(dates, days, strict=True)
    ]
    got = texts(
        session,
        '(let ((d (add-days (seconds->date (car x) "America/New_York") (cadr x))))'
        ' (date->iso8601 (string->date (date->string d "~A, ~d ~B ~Y ~H:~M:~S ~z")'
        ' "~A, ~d ~B ~Y ~H:~M:~S ~z")))',
        rows,
    )
    expected = [
        (date.replace(fold=0) + timedelta(days=n)).replace(fold=0)
        for date, n in zip(dates, days, strict=True)
    ]
    assert [datetime.fromisoformat(text).replace(tzinfo=None) for text in got] == [
        date.replace(tzinfo=None) for date in expected
    ]
    # strftime's offsets have seconds where there were any, as ours do.
    assert [shown_offset(datetime.fromisoformat(text)) for text in got] == [
        shown_offset(date) for date in expected
    ]
