# ruff: noqa: E501
"""Chat templates in the manner of the models' own, small ones for each feature, and conversations."""

LLAMA_2 = """{% if messages[0]['role'] == 'system' %}
{% set rest = messages[1:] %}{% set system = messages[0]['content'] %}
{% else %}{% set rest = messages %}{% set system = false %}{% endif %}
{% for message in rest %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Roles must alternate user/assistant/user/assistant/...') }}
{% endif %}
{% if loop.index0 == 0 and system %}
{% set content = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + message['content'] %}
{% else %}{% set content = message['content'] %}{% endif %}
{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}
{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}
{% endfor %}"""

LLAMA_3 = """{% set loop_messages = messages %}{% for message in loop_messages %}
{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'
   + message['content'] | trim + '<|eot_id|>' %}
{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}
{% endfor %}
{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"""

LLAMA_3_1 = """{{- bos_token }}
{%- if custom_tools is defined %}{%- set tools = custom_tools %}{%- endif %}
{%- if not tools_in_user_message is defined %}
    {%- set tools_in_user_message = true %}
{%- endif %}
{%- if not date_string is defined %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{#- The system message is apart. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if builtin_tools is defined or tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}
{%- if builtin_tools is defined %}
    {{- "Tools: " + builtin_tools | reject('equalto', 'code_interpreter') | join(", ") + "\\n\\n"}}
{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is not none and not tools_in_user_message %}
    {%- for t in tools %}{{- t | tojson(indent=4) }}{{- "\\n\\n" }}{%- endfor %}
{%- endif %}
{{- system_message }}{{- "<|eot_id|>" }}
{%- if tools_in_user_message and not tools is none %}
    {%- if messages | length != 0 %}
        {%- set first_user_message = messages[0]['content']|trim %}
        {%- set messages = messages[1:] %}
    {%- else %}
        {{- raise_exception("Cannot put tools in the first user message when there is none!") }}
    {%- endif %}
    {{- '<|start_header_id|>user<|end_header_id|>\\n\\n' -}}
    {%- for t in tools %}{{- t | tojson(indent=4) }}{{- "\\n\\n" }}{%- endfor %}
    {{- first_user_message + "<|eot_id|>"}}
{%- endif %}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("One tool call at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {%- if builtin_tools is defined and tool_call.name in builtin_tools %}
            {%- for arg_name, arg_val in tool_call.arguments | items %}
                {{- arg_name + '="' + arg_val + '"' }}{%- if not loop.last %}{{- ", " }}{%- endif %}
            {%- endfor %}
        {%- else  %}
            {{- '{"name": "' + tool_call.name + '", ' }}{{- '"parameters": ' }}
            {{- tool_call.arguments | tojson }}{{- "}" }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}
"""

MISTRAL = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}
{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}{{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}{{- '"' + key + '": "' + val + '"' }}
                    {%- else %}{{- '"' + key + '": ' + val|tojson }}{%- endif %}
                    {%- if not loop.last %}{{- ", " }}{%- endif %}
                {%- endfor %}
                {{- "}}" }}{%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" }}{%- endif %}
            {%- endfor %}
            {{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message.tool_calls is defined and message.tool_calls is not none %}
        {{- "[TOOL_CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}{{- out[:-1] }}
            {{- ', "id": "' + tool_call.id + '"}' }}
            {%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" + eos_token }}{%- endif %}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}{{- " " + message["content"]|trim + eos_token}}
    {%- elif message["role"] == "tool" %}
        {{- '[TOOL_RESULTS] {"content": ' + message.content|string + "}[/TOOL_RESULTS]" }}
    {%- else %}{{- raise_exception("Only user and assistant roles are supported!") }}
    {%- endif %}
{%- endfor %}
"""

QWEN_3 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
    {{- "# Tools\\n\\nSignatures within <tools></tools> XML tags:\\n<tools>" }}
    {%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}
    {{- "\\n</tools>\\n\\n{\\"name\\": <name>, \\"arguments\\": <object>}\\n<|im_end|>\\n" }}
{%- else %}
    {%- if messages[0].role == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}{%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}{%- set content = message.content %}
    {%- else %}{%- set content = '' %}{%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index %}
            {%- if loop.last or (not loop.last and reasoning_content) %}
                {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
            {%- else %}{{- '<|im_start|>' + message.role + '\\n' + content }}{%- endif %}
        {%- else %}{{- '<|im_start|>' + message.role + '\\n' + content }}{%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}{{- '\\n' }}{%- endif %}
                {%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
                {{- '<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}
                {%- if tool_call.arguments is string %}{{- tool_call.arguments }}
                {%- else %}{{- tool_call.arguments | tojson }}{%- endif %}
                {{- '}\\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' }}{{- content }}{{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}{{- '<|im_end|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""

GEMMA = """{{ bos_token }}{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_user_prefix = messages[0]['content'] + '\\n\\n' -%}
    {%- else -%}
        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '\\n\\n' -%}
    {%- endif -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}{%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'assistant') -%}{%- set role = "model" -%}
    {%- else -%}{%- set role = message['role'] -%}{%- endif -%}
    {{ '<start_of_turn>' + role + '\\n' + (first_user_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}{{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}{{ '<start_of_image>' }}
            {%- elif item['type'] == 'text' -%}{{ item['text'] | trim }}{%- endif -%}
        {%- endfor -%}
    {%- else -%}{{ raise_exception("Invalid content type") }}
    {%- endif -%}
    {{ '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{'<start_of_turn>model\\n'}}{%- endif -%}
"""

PHI = """{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"""

MACROS = """{% macro part(role, text='-', n=2) %}
  [{{ role|upper }}:{{ text }}:{{ n }}]
{% endmacro %}
{%- macro deep(n) -%}{% if n > 0 %}{{ n }}{{ deep(n - 1) }}{% endif %}{%- endmacro %}
{% for m in messages if m.role != 'system' %}
    {%- if loop.index > 2 %}{% break %}{% endif %}
    {{- part(m.role, n=loop.revindex) }}{{ deep(3) }}
{% else %}
none
{% endfor %}
{% set text %}block {{ bos_token }}{% endset %}{{ text|title }}{% filter upper %}x{{ 'y' }}{% endfilter %}"""

FAMILIES = {
    "llama-2": LLAMA_2, "llama-3": LLAMA_3, "llama-3.1": LLAMA_3_1, "mistral": MISTRAL,
    "qwen-3": QWEN_3, "gemma": GEMMA, "phi": PHI, "macros": MACROS,
}  # fmt: skip

# Each is a template of its own, which needs no messages.
FEATURES = [
    "a\n{% if true %}\n  b\n  {% endif %}\nc\n", "  {% if true %} x{%- endif -%}  y\n\n", "{{ 1 }}\n{{ 2 }}\n",
    "a {#- note -#} b\n  {# c #}\nd", "{% raw %}{{ x }}{% endraw %}!", "{%+ if true +%}\nx{% endif %}",
    "   {%- set x = 3 %}{{ x }}", "{{ 'a' 'b' }}{{ \"it's\" }}{{ 'tab\\t\\u00e9\\x41' }}",
    "{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 7 / 2 }}",
    "{{ 1.5 }} {{ 1e3 if false else 10.0 }} {{ 0.1 + 0.2 }} {{ 100000000000000000.0 * 10 }} {{ 0.00001 }}",
    "{{ 'a' ~ 1 ~ none ~ true ~ [1, 'x', \"it's\"] ~ {'k': 2.5} }}", "{{ [1, 2] + [3] }}{{ 'ab' * 3 }}{{ [0] * 2 }}",
    "{{ not true or false and true }}{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 'a' in 'abc' }}{{ 3 not in [1, 2] }}{{ 'k' in {'k': 1} }}",
    "{{ 'x' if false }}|{{ 'x' if true else 'y' }}|{{ missing }}|{{ missing is defined }}|{{ none }}",
    "{{ 0 or 'd' }}{{ '' and 'x' }}{{ [] or none }}{{ 5 and 6 }}",
    "{{ 'abcdef'[1:4] }}{{ 'abcdef'[::-1] }}{{ 'abcdef'[-2:] }}{{ [1,2,3,4][::2] }}{{ [1,2,3][5:] }}{{ 'abc'[-1] }}{{ [1,2,3][:-1] }}{{ 'abcdef'[4:1:-1] }}",
    "{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }}{{ ', ' if not loop.last }}{% endfor %}",
    "{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i }}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for x in [] %}x{% else %}empty{% endfor %}{% for x in missing %}x{% endfor %}{% for c in 'héy' %}{{ c }}.{% endfor %}",
    "{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% set leak = i %}{% endfor %}{{ ns.n }}{{ leak is defined }}",
    "{% if true %}{% set y = 1 %}{% endif %}{{ y }}{% set a, b = 1, 2 %}{{ b }}{{ a }}",
    "{% for i in [1, 2, 3] %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem is defined }}{{ loop.nextitem }}{% endfor %}",
    "{{ '  x '|trim }}|{{ 'xxaxx'.strip('x') }}|{{ ' a b  c '.split() }}|{{ 'a,b,,c'.split(',') }}|{{ 'a,b,c'.split(',', 1) }}|{{ 'a,b,c'.rsplit(',', 1) }}|{{ ' x '.lstrip() }}|{{ 'ab\\n\\n'.rstrip('\\n') }}",
    "{{ 'Hello'.startswith('He') }}{{ 'Hello'.endswith(('x', 'lo')) }}{{ 'hELLO wORLD'|capitalize }}{{ \"they're bill's\"|title }}{{ 'a-b'.replace('-', '+') }}{{ 'aaa'|replace('a', 'b', 2) }}",
    "{{ {'a': [1, 2.0, none, true], 'é': 'x\"\\n<'}|tojson }}{{ [1, {'a': []}]|tojson(indent=2) }}{{ {}|tojson }}{{ []|tojson(indent=4) }}",
    "{{ [3, 1, 2]|sort|join(',') }}{{ ['b', 'A']|sort|join }}{{ [1, 2]|sum }}{{ [1, 2]|max }}{{ [4, 2]|min }}{{ [1, 1, 2]|unique|list }}{{ 'abc'|reverse }}{{ [1, 2]|reverse|list }}",
    "{{ [{'a': 1}, {'a': 2}, {'b': 3}]|selectattr('a', 'defined')|map(attribute='a')|list }}{{ [{'a': 1}, {'a': 2}]|rejectattr('a', 'equalto', 1)|list }}{{ ['x', '']|select|list }}{{ ['a', 'b']|map('upper')|join }}{{ [1, 2, 3]|select('odd')|list }}",
    "{{ missing|default('d') }}{{ ''|default('e', true) }}{{ ''|default('f') }}{{ none|d('g') }}{{ 'abc'|first }}{{ [1, 2]|last }}{{ 'abc'|length }}{{ {'a': 1}|count }}",
    "{{ 3 is odd }}{{ 4 is even }}{{ 9 is divisibleby 3 }}{{ 'x' is string }}{{ 1 is number }}{{ [] is iterable }}{{ {} is mapping }}{{ none is none }}{{ 1 is not none }}{{ true is boolean }}{{ 'A' is upper }}{{ 2 is eq 2 }}{{ 'a' is in ['a'] }}{{ true is true }}{{ 1.0 is float }}{{ [] is sequence }}{{ 1 is integer }}",
    "{{ 'a\\nb\\n\\nc'|indent(2) }}|{{ 'a\\nb'|indent(1, true) }}|{{ 5|string + 'x' }}|{{ '12'|int + 1 }}|{{ 'x'|int }}|{{ '2.5'|float }}|{{ -3|abs }}|{{ 2.567|round(2) }}|{{ 2.5|round }}|{{ 'a b'|wordcount }}",
    "{% for k, v in {'b': 1, 'a': 2}|dictsort %}{{ k }}{{ v }}{% endfor %}{{ {'a': 1}.get('a') }}{{ {'a': 1}.get('z', 'no') }}{{ {'a': 1}.keys()|list }}{{ dict(a=1).values()|list }}{{ {'items': 3}['items'] }}{{ {'a': {'b': 4}}.a.b }}",
    "{{ '<a & \"b\">'|e }}{{ [[1, 2], [3]]|map('length')|list }}{{ (1, 2)|length }}{{ 'x' == \"x\" }}{{ [1] == [1.0] }}{{ {'a': 1} == {'a': 1} }}{{ 1 == true }}",
    "{{ ['a', 'b']|join(' | ') }}{{ range(3)|list }}{{ range(5, 1, -2)|list }}{{ 'a b'.title() }}{{ 'x'.upper() }}{{ 'X'.lower() }}{{ ','.join(['p', 'q']) }}{{ 'abcabc'.count('bc') }}{{ 'abc'.find('c') }}",
    "{% generation %}answer{% endgeneration %}", "{{ 'é日😀'[1] }}{{ 'é日😀'|length }}",
    "{{ \"a\\\\b\" }}{{ 'q\\'s' }}{{ {'a': 'it\\'s'} }}{{ ['\\n\\t\\\\'] }}", "{{ {'a': {'b': {'c': 1}}} }}{{ {'x':{'y':2}}['x']['y'] }}",
    "{%- for m in messages -%}\n  {{- m.role -}}\n{%- endfor %}", "{{ messages|map(attribute='role')|join(',') }}{{ (messages|last).content is string }}",
    "{{ 'x'.removeprefix('x') }}{{ 'ab'.removesuffix('b') }}{{ 'A1'.isdigit() }}{{ '12'.isdigit() }}{{ 'a\\nb'.splitlines() }}",
    "{{ -3 }} {{ 2 - -3 }} {{ -2 ** 2 }} {{ 3 - 2 - 1 }} {{ 1 if 0 else 2 if 0 else 3 }} {{ 10 }}{{ 1_000 }}",
]  # fmt: skip

ERRORS = [
    "{{ raise_exception('no') }}", "\n\n{{ missing.field }}", "{% if %}", "{% endfor %}", "{% for x in 5 %}{% endfor %}",
    "{{ 1 + 'a' }}", "{{ 'a' | nofilter }}", "{{ 1 is notest }}", "{{ }}", "{% include 'x' %}", "{{ 'abc }}",
    "{{ (1 }}", "{% set x %}", "{{ 1 / 0 }}", "{{ missing() }}", "{{ [1, 2 }}", "{# open", "{{ {1: } }}", "{% if true %}x",
    "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "{{ 'a' < 1 }}", "{{ a.b.c }}", "{% raw %}x", "{{ 'x'|tojson(",
]  # fmt: skip

HOSTILE = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{{ range(1000000000) }}", "{{ 'a' * 1000000000 }}", "{{ 9 ** 99999999 }}", "{{ [[[0] * 9999] * 9999] * 9999 }}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "{% if 1 %}" * 2000, "{{ " + "not " * 5000 + "1 }}", "{{ " + "-" * 5000 + "1 }}",
    "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}",
    "{% set ns = namespace() %}{% set ns.me = ns %}{% set ns.list = [ns] %}{{ 1 / 0 }}",
    "{% set ns = namespace(n=3) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
    "{{ " + "[" * 3000 + " }}", "{{ 'aaaa'|replace('a', 'b' * 9000000) }}",
]  # fmt: skip

CALL = {"type": "function", "id": "call00001",
        "function": {"name": "weather", "arguments": {"city": "Zürich", "days": 3}}}  # fmt: skip
TOOL = {
    "type": "function",
    "function": {
        "name": "weather", "description": "The weather of a \"city\"",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "return": "nothing",
    },
}  # fmt: skip
SYSTEM = {"role": "system", "content": " Be brief.\n"}
USER = {"role": "user", "content": " What is 日本? \n"}
ANSWER = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nA country. "}
CONVERSATIONS: list[dict[str, object]] = [
    {"messages": [USER]},
    {"messages": [SYSTEM, USER, ANSWER, USER], "add_generation_prompt": True},
    {"messages": [USER, ANSWER], "add_generation_prompt": False, "enable_thinking": False},
    {"messages": [USER, USER], "add_generation_prompt": True, "enable_thinking": False},
    {"messages": [SYSTEM, USER], "tools": [TOOL, TOOL], "add_generation_prompt": True},
    {"messages": [USER, {"role": "assistant", "tool_calls": [CALL]},
                  {"role": "tool", "content": "sunny"}, ANSWER], "tools": [TOOL],
     "builtin_tools": ["weather2", "code_interpreter"], "tools_in_user_message": False},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": " hi "}, {"type": "image"}]}]},
]
