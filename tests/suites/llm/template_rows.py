# ruff: noqa: E501
"""Small chat templates, each of which is compared with jinja2: its text, or that it is an error."""

METHODS_AND_KEYS = [
    "{% set d = {'items': 1, 'keys': 2, 'type': 'array', 'get': 3, 'pop': 4} %}{% for k, v in d.items() %}{{ k }}={{ v }} {% endfor %}",
    "{% set d = {'items': 1} %}{{ d['items'] }}{{ d.items is callable }}{{ d.get('items') }}", "{% set d = {'pop': 1} %}[{{ d.pop }}]{{ d['pop'] }}",
    "{% set d = {'pop': 1} %}{{ d.pop() }}", "{% set l = [1] %}{{ l.append(2) }}", "{{ {'a': 1}.update({'b': 2}) }}", "{{ {'a': 1}['items']()|list }}",
    "{% set d = {'values': [1]} %}{{ d.values()|list }}{{ d['values'] }}", "{{ {}.copy() }}{{ [1].copy() }}{{ 'x'.nothing }}{{ none.nothing }}",
    "{% set x = [[1, [2, 3]], 'ab'] %}{{ x.0.1.1 }}{{ x.1.0 }}{{ x.0[0] }}{{ x.7 }}", "{{ {'0': 1, 1: 2}.1 }}{{ {'a': [5]}.a.0 }}",
    "{{ messages.0.role }}{{ messages[-1]['content'] }}{{ messages[99] is defined }}", "{{ {1: 'a', none: 'b', 'true': 'c'} }}",
    "{{ {[1]: 2} }}", "{{ {}[[1]] }}", "{{ [1] in {} }}", "{{ dict([('a', 1)], b=2) }}{{ dict({'a': 1}) }}",
]

JSON = [
    "{{ {'b': 'é', 'a': [1, 2.5, none, true]}|tojson(sort_keys=True) }}", "{{ {'a': 'é😀\\x7f'}|tojson(ensure_ascii=True) }}",
    "{{ {'a': [1, {'b': 2}]}|tojson(separators=(',', ':')) }}", "{{ {'a': [1, {'b': []}]}|tojson(indent=2, separators=[', ', '=']) }}",
    "{{ [1]|tojson(indent='--') }}{{ [1]|tojson(indent=0) }}{{ {1: 2, none: 3, false: 4, 2.5: 5}|tojson }}", "{{ 'é'|tojson(True) }}",
    "{{ {'b': 1, 'a': {'d': 1, 'c': 2}}|tojson(False, 1, none, true) }}", "{{ 1|tojson(indnt=2) }}", "{{ (1, 'a')|tojson }}{{ 1e400|tojson }}",
    "{{ missing|tojson }}", "{{ range|tojson }}", "{{ '<&>\\''|tojson }}{{ '\\x01\\b\\f'|tojson }}",
]

FILTERS = [
    "{{ {'b': 1, 'A': 3, 'c': 2}|dictsort }}", "{{ {'b': 1, 'A': 3, 'c': 2}|dictsort(true) }}", "{{ {'b': 1, 'A': 3, 'c': 2}|dictsort(by='value') }}",
    "{{ {'b': 1, 'a': 3}|dictsort(false, 'key', true) }}", "{{ {'b': 1}|dictsort(by='x') }}", "{{ {'b': 1, 'a': 3}|dictsort(reverse=True) }}",
    "{{ 'ff'|int(0, 16) }} {{ '0x1F'|int(base=16) }} {{ 'z'|int(-1, 16) }} {{ '101'|int(base=2) }} {{ ' 12 '|int }} {{ '1_000'|int }} {{ '3.9'|int }} {{ -3.9|int }} {{ '1e3'|int }} {{ none|int(7) }} {{ true|int }} {{ 'inf'|int }} {{ '0b11'|int(base=0) }}",
    "{{ '2.50'|float }} {{ 'x'|float(1) }} {{ 'x'|float }} {{ none|float }} {{ ' -1e3 '|float }} {{ 'nan'|float }} {{ '1_0.5'|float }}",
    "{{ missing|int }}", "{{ none|selectattr('a')|list|length }}{{ none|rejectattr('a')|list }}{{ none|map('upper')|list }}{{ none|select|list }}{{ 0|reject|list }}{{ ''|map(attribute='x')|list }}",
    "{{ none|list }}", "{{ none|join }}", "{{ none|first }}", "{{ none|sort }}", "{{ none|length }}", "{{ 5|list }}", "{{ none|sum }}", "{{ none|unique|list }}", "{{ none|reverse|list }}",
    "{% for x in none %}a{% endfor %}", "{{ missing|list }}{{ missing|join }}{{ missing|length }}{{ missing|first }}{{ missing|upper }}{{ missing|sort }}",
    "{{ [1, 2, 3, 4, 5]|batch(2)|list }}{{ [1, 2, 3]|batch(2, 'x')|list }}{{ []|batch(2)|list }}{{ [1, 2]|batch(linecount=2, fill_with=0)|list }}",
    "{{ [1, 2, 3, 4, 5]|slice(2)|list }}{{ [1, 2, 3, 4, 5]|slice(3, 'x')|list }}{{ [1, 2]|slice(2, 'x')|list }}{{ [1]|slice(3)|list }}",
    "{{ [{'a': 1, 'b': 2}, {'a': 2}, {'a': 1, 'b': 3}]|groupby('a')|length }}{% for g in [{'a': 'x'}, {'a': 'X'}, {'a': 'b'}]|groupby('a') %}{{ g.grouper }}:{{ g.list|length }};{% endfor %}",
    "{% for k, items in [{'a': 'x'}, {'a': 'X'}, {}]|groupby('a', default='d') %}{{ k }}{{ items }}{% endfor %}", "{% for k, items in [{'a': 'x'}, {'a': 'X'}]|groupby('a', case_sensitive=True) %}{{ k }}{{ items|length }}{% endfor %}",
    "{{ 'foo bar baz qux'|truncate(9) }}|{{ 'foo bar baz qux'|truncate(9, True) }}|{{ 'foo bar baz qux'|truncate(11) }}|{{ 'foo bar baz qux'|truncate(11, False, '...', 0) }}|{{ 'foo bar'|truncate(5, end='~', leeway=0) }}|{{ 'abc'|truncate(length=1, killwords=true, end='', leeway=0) }}",
    "{{ 'abc'|truncate(1) }}", "{{ 'ab'|center(7) }}|{{ 'ab'|center(width=5) }}|{{ 'abc'.center(6, '*') }}|{{ 'ab'.center(5) }}|{{ 'a'.center(4) }}",
    "{{ ['b', 'A', 'a', 'B']|unique|list }}{{ ['b', 'A', 'a']|unique(true)|list }}{{ [{'a': 1}, {'a': 1}, {'a': 2}]|unique(attribute='a')|list }}{{ [1, 1.0, true, 2]|unique|list }}", "{{ [[1], [1]]|unique|list }}",
    "{{ ['b', 'A', 'a']|sort }}{{ ['b', 'A', 'a']|sort(case_sensitive=true) }}{{ [3, 1]|sort(true) }}{{ [{'a': 2, 'b': 1}, {'a': 1, 'b': 2}, {'a': 1, 'b': 1}]|sort(attribute='a,b') }}{{ [[2, 1], [1, 5]]|sort }}", "{{ [1, 'a']|sort }}", "{{ [{'a': 2}, {'b': 1}]|sort(attribute='a') }}",
    "{{ ['b', 'A']|min }}{{ ['b', 'A', 'a']|max(case_sensitive=true) }}{{ [{'a': 2}, {'a': 1}]|min(attribute='a') }}{{ []|min }}{{ [2, 1]|min }}", "{{ [{'a': 2}, {'a': 1}]|sum(attribute='a') }}{{ [[1], [2]]|sum(start=[]) }}{{ [1, 2]|sum(start=10) }}",
    "{{ 'a\\nb\\r\\nc'|indent }}|{{ 'a\\n\\nb'|indent(2, blank=True) }}|{{ 'a\\nb'|indent('> ', true) }}|{{ 'a\\nb\\n'|indent(1) }}|{{ ''|indent(2, true) }}|{{ 'a'|indent(width=1, first=true) }}",
    "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 1234.5|round(-2) }} {{ 2.1|round(0, 'ceil') }} {{ 2.98|round(1, 'floor') }} {{ 42|round }} {{ 42.55|round(1, method='common') }} {{ 5|round(1, 'floor') }}", "{{ 2|round(0, 'up') }}",
    "{{ '%s, %s!'|format('a', 1) }}{{ '%(a)s-%(b)03d'|format(a='x', b=7) }}{{ '%5.2f|%-6s|%+d|%x|%%|%e'|format(3.14159, 'ab', 5, 255, 12345.678) }}{{ '%s' % 'x' }}{{ '%s %s' % (1, [2]) }}{{ '%r' % 'a' }}{{ '%d' % 3.7 }}{{ '%03d' % -5 }}{{ '%c' % 'x' }}", "{{ '%s %s' % 1 }}", "{{ '%d' % 'a' }}", "{{ '%s' % (1, 2) }}",
    "{{ '<b>x</b> <!-- c --> y\\n z'|striptags }}|{{ 'a b/c?é'|urlencode }}|{{ {'a b': 1, 'c': '/'}|urlencode }}|{{ '<a>'|forceescape }}|{{ ('<a>'|safe)|forceescape }}",
    "{{ '<a>'|safe }}{{ '<a>'|safe|e }}{{ ('<a>'|safe) ~ '<b>' }}{{ ('<a>'|safe) + '<b>' }}{{ '<b>' + ('<a>'|safe) }}{{ '<b>'|e|e }}{{ ('<a>'|safe)|length }}{{ '<a>'|safe|upper ~ '<' }}{{ ('a'|safe) is string }}{{ ('a'|safe) == 'a' }}{{ ('<a>'|e) in '<a>' }}{{ ('a'|safe) is escaped }}{{ ['<'|safe]|join('<') }}{{ '<'|safe|trim ~ '<' }}{{ {'a': '<'|safe}|tojson }}",
    "{{ 'abc'|replace('', '-') }}{{ 'aaa'|replace('a', 'b', count=1) }}{{ 'aXbX'.replace('X', '', 1) }}{{ 5|replace('5', 6) }}{{ 'ab'.replace('', '.', 2) }}", "{{ [{'a': 1}, {'a': 2}]|join('-', attribute='a') }}{{ [{'a': 1}]|map(attribute='b', default='z')|list }}{{ [[1, 2], [3, 4]]|map(attribute=1)|list }}{{ [[1, 2]]|map('join', '-')|list }}{{ ['a']|map('replace', 'a', 'b')|list }}{{ ['x']|map('indent', width=2, first=true)|list }}",
    "{{ 'x'|trim(chars='x') }}|{{ 'xay'|trim('xy') }}|{{ 'hello world'|title }}|{{ 'it is'|wordcount }}|{{ 'abc'|list }}|{{ {'a': 1}|list }}|{{ {'a': 1}|first }}|{{ 'ABC'|lower|capitalize }}|{{ -1.5|abs }}|{{ 'abc'|attr('nothing') is undefined }}",
    "{{ [1, 2, 3]|select('divisibleby', 2)|list }}{{ [1, none]|reject('none')|list }}{{ [{'a': 1}, {'a': none}, {}]|selectattr('a', 'none')|list }}{{ [{'a': {'b': 1}}]|selectattr('a.b', 'eq', 1)|list }}{{ [{'a': 1}, {}]|rejectattr('a')|list }}",
    "{{ 'a'|default('b', boolean=true) }}{{ ''|d('b', true) }}{{ missing.x|default('y') }}", "{{ (missing or {}).x|default('y') }}{{ none|default('z') }}{{ none|default('z', true) }}{{ missing|default(default_value='q') }}",
]

NO_KEYWORD_IS_IGNORED = [
    f"{{{{ 'x'|{name}(nothing=1) }}}}" for name in
    ("trim", "upper", "lower", "title", "capitalize", "string", "safe", "escape", "e", "wordcount", "length", "count", "default", "d", "join", "tojson", "replace", "first", "last", "list", "items", "reverse", "unique", "batch", "slice", "truncate", "center", "sum", "min", "max", "abs", "int", "float", "round", "indent", "sort", "attr", "groupby", "striptags", "urlencode", "forceescape", "dictsort")
] + [
    f"{{{{ 'x'|{name}(1, 2, 3, 4, 5, 6) }}}}" for name in ("trim", "upper", "default", "join", "tojson", "replace", "first", "unique", "batch", "truncate", "int", "round", "indent", "sort", "length", "float")
] + ["{{ 'a b'.split(nothing=1) }}", "{{ 'a'.strip('a', 'b') }}", "{{ {}.get() }}", "{{ 'a'.upper(1) }}", "{{ 'a'.replace('a') }}", "{{ 'a'.strip(chars='a') }}", "{{ range() }}", "{{ range(1, 2, 3, 4) }}", "{{ raise_exception() }}", "{{ 1 is odd(2) }}", "{{ 1 is divisibleby }}", "{{ 'x'|default('a', default_value='b') }}", "{{ range(n=3) }}", "{{ 'a' is in('a', 'b') }}"]  # fmt: skip

FORMATS = [
    "{{ '<{}>'.format(3) }}{{ '{} {}'.format('a', [1]) }}{{ '{1}{0}{1}'.format('a', 'b') }}{{ '{a}-{b}'.format(a=1, b='x') }}{{ '{{}}'.format() }}{{ '{0[k]}{1[0]}'.format({'k': 5}, [6]) }}",
    "{{ '{:>5}|{:<5}|{:^5}|{:*^7}|{:05d}|{:+d}|{:,}|{:.2f}|{:8.3f}|{:x}|{:#x}|{:b}|{:o}|{:e}|{:.1%}|{:.2}|{:_}'.format('a', 'b', 'c', 'd', 42, 7, 1234567, 3.14159, 2.5, 255, 255, 5, 8, 12345.678, 0.256, 'xyz', 1000) }}",
    "{{ '{!r} {!s}'.format('a', 'b') }}{{ '{:{}}|'.format('a', 4) }}{{ '{:>{w}}'.format('a', w=3) }}{{ '{:5}|{:5}|'.format(1, 'a') }}{{ '{}'.format(none) }}{{ '{}{}'.format(true, 1.0) }}{{ '{:d}'.format(true) }}",
    "{{ '{}'.format() }}", "{{ '{'.format(1) }}", "{{ '}'.format(1) }}", "{{ '{:d}'.format('a') }}", "{{ '{a}'.format(b=1) }}", "{{ '{:.3f}'.format(2.0005) }}{{ '{:.0f}'.format(2.5) }}{{ '{:.1f}'.format(0.25) }}{{ '{:f}'.format(-0.0) }}{{ '{:.3e}'.format(0) }}{{ '{:.2e}'.format(9.999) }}{{ '{:,.2f}'.format(-1234567.891) }}", "{{ '{0.real}'.format('a') }}",
]

TUPLES = [
    "{{ (1, 2) }}{{ (1,) }}{{ () }}{{ 1, 'a' }}{{ [(1, 2), [3]] }}{{ (1, 2) == [1, 2] }}{{ (1, 2) == (1, 2) }}{{ (1, 2) + (3,) }}{{ (1, 2)[1:] }}{{ (1, 2)|list }}{{ (1, 2)|length }}{{ 1 in (1, 2) }}{{ (1, 2) * 2 }}{{ (1, 2) is sequence }}",
    "{{ {'a': 1}.items()|list }}{{ {'a': 1}|items|list }}{{ 'a-b'.partition('-') }}{{ 'a-b-c'.rpartition('-') }}{{ 'ab'.partition('-') }}{{ (2, 1)|sort }}{{ (1, 2).index(2) }}{{ (1, 1).count(1) }}", "{{ (1, 2) + [3] }}",
    "{% for (a, b), c in [((1, 2), 3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}{% set (x, y), z = (1, 2), 3 %}{{ x }}{{ y }}{{ z }}", "{% for a, b in ['xy', (1, 2), [3, 4]] %}{{ a }}{{ b }}{% endfor %}", "{% for a, b in [1] %}{% endfor %}", "{% set a, b = [1, 2, 3] %}",
    "{% for x in 1, 2 %}{{ x }}{% endfor %}", "{{ [1, 2] < [1, 3] }}{{ (1, 2) < (1, 2, 0) }}{{ [[1, 'a']]|sort }}{{ 'a' < 'b' }}{{ true < 2 }}{{ 1 <= 1.0 }}", "{{ [1] < (1, 2) }}", "{{ none < 1 }}",
]

STATEMENTS = [
    "{% with %}x{% endwith %}{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a }}", "{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}", "{% with (a, b) = (1, 2) %}{{ a }}{{ b }}{% endwith %}", "{% with a %}{% endwith %}", "{% with a = 1 %}",
    "{% macro f(x) %}<{{ x }}{{ caller() }}>{% endmacro %}{% call f(1) %}body{% endcall %}", "{% macro f() %}{% for i in [1, 2] %}{{ caller(i) }},{% endfor %}{% endmacro %}{% call(n) f() %}n{{ n }}{% endcall %}",
    "{% macro f() %}x{% endmacro %}{% call f() %}b{% endcall %}", "{% macro f(a, b='d') %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1) }}{{ f(1, 2, 3, 4, c=5) }}", "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(b=1) }}", "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, a=1) }}",
    "{% macro f(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(b=2, a=3) }}", "{% macro f() %}{{ caller is defined }}{% endmacro %}{{ f() }}", "{% call missing() %}x{% endcall %}", "{% set x = 1 %}{% macro f() %}{{ x }}{% endmacro %}{% set x = 2 %}{{ f() }}",
    "{% macro outer() %}{% macro inner() %}i{% endmacro %}[{{ inner() }}]{% endmacro %}{{ outer() }}", "{% macro f(n) %}{{ n }}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
    "{% for x in [1, [2, [3]], 4] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ loop.depth }}{{ loop.depth0 }}:{{ x }} {% endif %}{% endfor %}", "{% for t in [{'n': 'a', 'c': [{'n': 'b', 'c': []}]}] recursive %}{{ t.n }}{{ loop(t.c) }}{% else %}.{% endfor %}",
    "{% for x in [1] %}{{ loop([2]) }}{% endfor %}", "{% for x in [1, 1, 2, 2, 1] %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}{% for x, y in [(1, 1), (1, 2)] %}{{ loop.changed(x, y) }}{{ loop.changed(x) }}{% endfor %}",
    "{% for x in [1, 2, 3] %}{{ loop.cycle('a', 'b') }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.previtem is defined }}{% endfor %}{% for x in 'ab' if x != 'a' %}{{ loop.length }}{{ x }}{% else %}none{% endfor %}", "{% for x in [] %}{% else %}empty{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}",
    "{% set ns = namespace(a=1) %}{% set ns.b %}x{{ ns.a }}{% endset %}{{ ns.b }}{% set ns.c | upper %}y{% endset %}{{ ns.c }}", "{% set x | upper | trim %} a {% endset %}[{{ x }}]{% filter upper | replace('A', 'b') %}a{% endfilter %}", "{% set d = {} %}{% set d.a = 1 %}",
    "{% set j = joiner('|') %}{% for i in [1, 2, 3] %}{{ j() }}{{ i }}{% endfor %}{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}", "{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% raw %}{{ x }}{% endraw %}{# c #}{% if false %}a{% elif none %}b{% elif 1 %}c{% else %}d{% endif %}",
    "{% generation %}{{ messages[0].role }}{% endgeneration %}\n{%- if true -%}\n x \n{%- endif +%}\n y", "  {% if true %}\n  a\n  {% endif %}\n  {{ 1 }}\n  {%+ if true %}b{% endif %}\n", "a{# x -#}  b  {#- y #}\n c", "{%- for i in [1] -%} {{- i -}} {%- endfor -%} z ",
    "{% for x in [1, 2] %}{% set y = x %}{% endfor %}{{ y is defined }}{% if 1 %}{% set z = 3 %}{% endif %}{{ z }}{% for x in [1] %}{% for y in [2] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}",
]

EXPRESSIONS = [
    "{{ true + 1 }}{{ true * 3 }}{{ 7 // 2 }}{{ -7 // 2 }}{{ -7 % 3 }}{{ 7 % -3 }}{{ 7.5 // 2 }}{{ 2 ** -1 }}{{ 2 ** 3 ** 2 }}{{ 1 / 2 }}{{ 'a' * 3 }}{{ 2 * [1] }}{{ -true }}{{ 5.0 % 3 }}{{ 'ab' * 0 }}[{{ 'a' * -1 }}]",
    "{{ 1 is sameas 1 }}{{ 0 is sameas false }}{{ none is sameas none }}{{ 1.0 is sameas 1 }}{{ true is sameas true }}", "{{ 3.0 is odd }}{{ 4 is divisibleby(2) }}{{ 'upper' is filter }}{{ 'nope' is filter }}{{ 'odd' is test }}{{ 'Ab' is lower }}{{ 'a1' is lower }}{{ [] is iterable }}{{ 5 is iterable }}{{ 1 is in [1] }}{{ 1 is not in [1] }}",
    "{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 1 == 1.0 == true }}{{ 'a' in 'abc' }}{{ 'a' not in 'abc' }}{{ not 1 in [1] }}{{ (1 in [1]) and not false }}{{ 'a' in missing }}", "{{ 1 in 'a' }}", "{{ 1 if false }}|{{ (1 if false) is defined }}|{{ 'a' if 1 else 'b' }}", "{{ 1 in 5 }}",
    "{{ 'a' ~ 1 ~ none ~ true ~ missing ~ 1.5 }}{{ 1 + 2 ~ 3 }}{{ [1] + [2] }}", "{{ 'abc'[::-1] }}{{ 'abc'[-2:] }}{{ 'abc'[0] }}{{ [1, 2, 3][:-1] }}{{ [1, 2, 3][::2] }}{{ 'abc'[1:2] }}{{ [1, 2][5:] }}{{ 'abc'[none:1] }}", "{{ 5[0] is defined }}{{ none['a'] is defined }}{{ 'abc'[5] is defined }}{{ {}['a'] is defined }}",
    "{{ '\\101\\x41\\u00e9\\n' }}{{ 'a' 'b' }}{{ \"it's\" }}{{ 'a\\'b' }}{{ ['a\\'b', \"c\"] }}{{ ['\\xad\\u200b\\u2028\\x85é\\ufeff😀'] }}", "{{ 1e3 }} {{ 1.5e-7 }} {{ 123456789.125 }} {{ 1e16 }} {{ 1e22 }} {{ 0.1 + 0.2 }} {{ 100000000000000000000 }} {{ 1_0 }} {{ 3.0 }} {{ -0.0 }}",
    "{{ 'a,b'.split(sep=',') }}{{ 'a b c'.split(maxsplit=1) }}{{ 'a b c'.rsplit(none, 1) }}{{ 'a\\nb\\r\\nc\\rd'.splitlines() }}{{ 'a\\nb'.splitlines(true) }}{{ ''.split() }}{{ ''.split(',') }}{{ ''.splitlines() }}{{ ',a,'.split(',') }}",
    "{{ 'abcabc'.find('c', 3) }}{{ 'abcabc'.rfind('b') }}{{ 'abc'.index('b') }}{{ 'abcabc'.count('b', 2) }}{{ 'abc'.startswith('b', 1) }}{{ 'abc'.endswith(('x', 'c')) }}{{ 'abc'.find('z') }}{{ 'a'.find('') }}{{ 'aaa'.count('') }}{{ 'abc'.find('a', -2) }}{{ 'abc'.find('c', -1) }}{{ 'ab'.startswith('', 5) }}", "{{ 'abc'.index('z') }}", "{{ 'abc'.startswith(['a']) }}",
    "{{ 'ab'.ljust(4, '.') }}{{ 'ab'.rjust(4) }}{{ '-5'.zfill(4) }}{{ 'aB'.swapcase() }}{{ 'Ab Cd'.istitle() }}{{ 'a1'.isalnum() }}{{ 'é'.isascii() }}{{ 'a_1'.isidentifier() }}{{ '1a'.isidentifier() }}{{ 'a\\tb'.expandtabs(4) }}{{ 'ß'.casefold() }}{{ '5'.isdecimal() }}{{ 'A1'.isupper() }}{{ '1'.isupper() }}{{ 'they\\'re x'.title() }}", "{{ 'a'.join([1]) }}", "{{ ', '.join('abc') }}{{ '-'.join({'a': 1, 'b': 2}) }}",
    "{{ [1, 2].index(3) }}", "{{ range(3) | list }}{{ range(0) | list }}{{ range(3)[1] }}{{ range(3)|length }}", "{{ namespace(a=1).a }}{{ namespace().b is defined }}{{ namespace({'c': 2}).c }}", "{{ {'a': 1} == {'a': 1.0} }}{{ [1, [2]] == [1, [2]] }}{{ 'a' == none }}{{ missing == missing }}{{ missing == none }}{{ [] == () }}{{ '1' == 1 }}",
    "{{ missing.a }}", "{{ missing + 1 }}", "{{ 'a' + 1 }}", "{{ 1 + 'a' }}", "{{ -'a' }}", "{{ 'a' - 1 }}", "{{ [1] + 1 }}", "{{ 1 // 0 }}", "{{ 1.0 % 0 }}", "{{ 5() }}", "{{ 'a'() }}", "{{ x.y }}", "{{ messages.nothing.x }}", "{{ 'a'|nothing }}", "{{ 'a' is nothing }}", "{% nothing %}", "{{ [1, 2][1:'a'] }}", "{{ 'a'[::0] }}",
]

# What the newer models' templates use, or might.
MODERN_ROWS = [
    "{% raw %}\na\n  {% endraw %}\nb", "{% raw %}a\n  {%+ endraw +%}\nb", " {% raw %}\n  a\n\n {%- endraw -%}\n b", "a\n  {% raw %}  {% endraw %}x", "{% raw %}{% if %} {% endraw %}x", "{% raw -%}\n{% if %}\n\t{% endraw %}x",
    "{{ [nope, (nope,), {'k': nope}] }}{{ '%r' % nope }}{{ nope }}{{ nope|string }}{{ messages|map(attribute='nope')|list }}", "{{ messages[0]|attr('role') is defined }}{{ messages[0]|attr('get') is defined }}{{ namespace(a=1)|attr('a') }}{{ messages|map('attr', 'role')|list }}",
    "{{ strftime_now('%Y|%C|%m|%-m|%d|%-d|%e|%b|%B|%h|%a|%A|%j|%-j|%y|%u|%w|%U|%W|%G|%V|%F|%D|%x|%%|%n%t|%Z%z|%-%|') }}", "{{ strftime_now() }}", "{{ strftime_now(1) }}",
]

# What items, keys, values and range return are not lists.
VIEWS = [
    "{% set d = {'a': 1, 'b': [2]} %}{{ d.items() }}{{ d.keys() }}{{ d.values() }}{{ {}.items() }}{{ range(3) }}{{ range(1, 5) }}{{ range(5, 0, -2) }}{{ range(0) }}",
    "{% set d = {'a': 1} %}{{ d.items()|list }}{{ d.keys()|list }}{{ d.values()|join('-') }}{{ range(3)|list }}{{ range(4)|join }}{{ d.items()|length }}{{ range(7)|length }}{{ d.keys()|first }}{{ range(5)|last }}{{ d.items()|last }}{{ range(3)|reverse|list }}{{ d.values()|sort }}{{ range(4)|sum }}{{ d.items()|map(attribute=0)|list }}{{ d.items()|string }}",
    "{{ range(5)[1] }}{{ range(5)[-1] }}{{ range(5)[9] is defined }}{{ range(10)[2:8:3] }}{{ range(10)[::-1] }}{{ range(5)[1:] }}{{ range(5)[:-1] }}{{ range(2, 20, 3)[1:4] }}{{ range(2, 20, 3)[3:1:-1] }}{{ range(5)[7:] }}",
    "{{ {'a': 1}.items()[0] is defined }}{{ {'a': 1}.keys()[:1] is defined }}", "{{ range(3).start }}{{ range(3).stop }}{{ range(1, 9, 2).step }}{{ range(3).count(1) }}{{ range(5).index(3) }}", "{{ range(5).index(9) }}",
    "{{ 2 in range(3) }}{{ 3 in range(3) }}{{ 'a' in {'a': 1}.keys() }}{{ 1 in {'a': 1}.values() }}{{ ('a', 1) in {'a': 1}.items() }}{{ true in range(2) }}{{ 1.0 in range(2) }}{{ 'a' in range(2) }}",
    "{{ range(3) == range(3) }}{{ range(3) == [0, 1, 2] }}{{ range(0) == range(5, 1) }}{{ range(0, 3, 2) == range(0, 4, 2) }}{{ {'a': 1}.keys() == {'a': 2}.keys() }}{{ {'a': 1, 'b': 2}.keys() == {'b': 2, 'a': 1}.keys() }}{{ {'a': 1}.items() == {'a': 2}.items() }}{{ {'a': 1}.items() == {'a': 1}.items() }}{{ {'a': 1}.values() == {'a': 1}.values() }}{{ {'a': 1}.keys() == ['a'] }}",
    "{{ range(3) is sequence }}{{ range(3) is iterable }}{{ range(3) is mapping }}{{ {}.items() is sequence }}{{ {}.items() is iterable }}{{ {}.keys() is mapping }}{{ range(3) is string }}{{ range(3) is number }}",
    "{% if range(0) %}a{% endif %}{% if range(1) %}b{% endif %}{% if {}.items() %}c{% endif %}{% if {'a': 1}.values() %}d{% endif %}{{ not {}.keys() }}{{ range(0) or 'x' }}",
    "{{ range(3)|tojson }}", "{{ {'a': 1}.items()|tojson }}", "{{ [range(2)]|tojson }}", "{{ range(3) + [1] }}", "{{ [1] + range(3) }}", "{{ {}.items() + [] }}", "{{ range(3) * 2 }}", "{{ range(3) < range(4) }}", "{{ {}.values() < [] }}",
    "{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}{% for x in range(3) %}{{ x }}{{ loop }}{% endfor %}{% set a, b = range(2) %}{{ a }}{{ b }}{{ [range(2), {'a': {}.keys()}] }}{{ range(2) ~ 'x' }}{{ {'a': 1}.items()|batch(1)|list }}{{ dict({'a': 1}.items()) }}",
    "{{ {'b': 1, 'a': 2}.keys()|sort|join(',') }}{{ {'b': 1, 'a': 2}.items()|sort(attribute='0')|list }}{{ {'a': 1}.values()|max }}{{ range(5)|select('odd')|list }}{{ {'a': none}.values()|reject('none')|list }}{{ range(3)|unique|list }}{{ '%s' % range(2) }}{{ '{}'.format({'a': 1}.keys()) }}",
]

BLOCKS = [
    "{% block a %}x{% endblock %}{{ self.a() }}", "{% block a %}x{% endblock a %}-{% block b %}{{ self.a() }}y{% endblock b %}", "{{ self.late() }}{% block late %}z{% endblock %}", "{% set v = 1 %}{% block a %}{{ v }}{% set v = 2 %}{{ v }}{% endblock %}{{ v }}{{ self.a() }}",
    "{% for i in [1, 2] %}{% block a %}[{{ i }}]{% endblock %}{% endfor %}", "{% for i in [1, 2] %}{% block a scoped %}[{{ i }}{{ loop.index }}]{% endblock %}{% endfor %}", "{% for i in [1] %}{% set w = 3 %}{% block a %}{{ w }}{% endblock %}{% endfor %}",
    "{% block a %}1{% endblock %}{% block a %}2{% endblock %}", "{% block a %}{% endblock b %}", "{% block a %}", "{% endblock %}", "{% block %}{% endblock %}", "{% block a required %}{% endblock %}", "{% block a required %}text{% endblock %}", "{% block a scoped required %} {% endblock %}",
    "{% block a %}{{ super() }}{% endblock %}", "{{ self.b() }}{% block a %}{% endblock %}", "{% block a %}{{ self.a is defined }}{{ self.b is defined }}{{ self.a() | upper }}{% endblock %}", "{% block a %}x{% endblock %}{{ self.a(1) }}", "{{ self.a() }}",
    "{% macro m(x) %}<{{ x }}{{ self.a() }}>{% endmacro %}{% block a %}{{ messages|length }}{% endblock %}{{ m(1) }}{{ self.a()|length }}{{ self.a() ~ self.a() }}", "{% block outer %}({% block inner %}i{% endblock %}){% endblock %}{{ self.inner() }}{{ self.outer() }}",
    "{% if true %}{% set q = 5 %}{% endif %}{% block a %}{{ q }}{% endblock %}", "{% with z = 4 %}{% block a %}{{ z }}{% endblock %}{% endwith %}", "{% with z = 4 %}{% block a scoped %}{{ z }}{% endblock %}{% endwith %}", "a\n{% block a -%}\n x\n{%- endblock %}\nb",
]

ROWS = [
    *METHODS_AND_KEYS, *JSON, *FILTERS, *NO_KEYWORD_IS_IGNORED, *FORMATS, *TUPLES, *STATEMENTS, *EXPRESSIONS,
    *MODERN_ROWS, *VIEWS, *BLOCKS,
]  # fmt: skip

# Values of which each level holds the one below twice: small in memory, endless for code that copies.
_SHARED = "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
_SHARED_TABLES = "{% set ns = namespace(a={}, b={}) %}{% for i in range(60) %}{% set ns.a = {'x': ns.a, 'y': ns.a} %}{% set ns.b = {'x': ns.b, 'y': ns.b} %}{% endfor %}"
SHARED = [
    text + use for text in (_SHARED, _SHARED_TABLES) for use in
    ("{{ ns.a == ns.b }}", "{{ ns.a }}", "{{ ns.a|tojson }}", "{{ ns.a in [ns.b] }}", "{{ {ns.a: 1} }}", "{{ [ns.a, ns.b]|unique|list }}", "{{ [ns.b].index(ns.a) }}", "{{ ns.a ~ '' }}", "{{ [ns.a, ns.b]|groupby('x') }}", "{{ [1, ns.a]|join }}", "{{ '{}'.format(ns.a) }}", "{{ '%s' % (ns.a,) }}", "{{ ns.a != ns.b }}")
] + [_SHARED + "{{ [ns.a, ns.b]|sort }}", _SHARED + "{{ ns.a < ns.b }}"]  # fmt: skip
