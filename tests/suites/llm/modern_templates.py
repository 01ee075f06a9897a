# ruff: noqa: E501
"""Chat templates in the manner of today's models (tools, thinking, images, dates), and talks for them."""

HARMONY = """{#- Types of a schema, as TypeScript. #}
{%- macro render_type(spec, required, nullable=false) -%}
    {%- if spec.type == "array" -%}
        {%- if spec['items'] -%}
            {%- if spec['items'].type == "string" -%}{{- "string[]" }}
            {%- elif spec['items'].type in ("number", "integer") -%}{{- "number[]" }}
            {%- else -%}
                {%- set inner = render_type(spec['items'], required) -%}
                {%- if inner == "object | object" or inner|length > 50 -%}{{- "any[]" }}{%- else -%}{{- inner + "[]" }}{%- endif -%}
            {%- endif -%}
            {%- if spec.nullable -%}{{- " | null" }}{%- endif -%}
        {%- else -%}{{- "any[]" }}{%- endif -%}
    {%- elif spec.type is defined and spec.type is iterable and spec.type is not string and spec.type is not mapping and spec.type[0] is defined -%}
        {%- if spec.type | length > 1 -%}{{- spec.type | join(" | ") }}{%- else -%}{{- spec.type[0] }}{%- endif -%}
    {%- elif spec.oneOf -%}
        {%- for variant in spec.oneOf -%}
            {{- render_type(variant, required) -}}
            {%- if variant.description %}{{- "// " + variant.description }}{%- endif -%}
            {%- if variant.default is defined %}{{ "// default: " + variant.default|tojson }}{%- endif -%}
            {%- if not loop.last %}{{- " | " }}{% endif -%}
        {%- endfor -%}
    {%- elif spec.type == "string" -%}
        {%- if spec.enum -%}{{- '"' + spec.enum|join('" | "') + '"' -}}{%- else -%}{{- "string" }}{%- endif -%}
    {%- elif spec.type in ["number", "integer"] -%}{{- "number" }}
    {%- elif spec.type == "boolean" -%}{{- "boolean" }}
    {%- elif spec.type == "object" -%}
        {%- if spec.properties -%}
            {{- "{\\n" }}
            {%- for name, prop in spec.properties.items() -%}
                {{- name -}}{%- if name not in (spec.required or []) -%}{{- "?" }}{%- endif -%}{{- ": " }}{{ render_type(prop, spec.required or []) }}{%- if not loop.last -%}{{-", " }}{%- endif -%}
            {%- endfor -%}
            {{- "}" }}
        {%- else -%}{{- "object" }}{%- endif -%}
    {%- else -%}{{- "any" }}{%- endif -%}
{%- endmacro -%}
{%- macro render_tools(namespace_name, tools) -%}
    {{- "## " + namespace_name + "\\n\\nnamespace " + namespace_name + " {\\n\\n" }}
    {%- for tool in tools %}
        {%- set tool = tool.function %}
        {{- "// " + tool.description|default("no text", true) + "\\ntype "+ tool.name + " = " }}
        {%- if tool.parameters and tool.parameters.properties %}
            {{- "(_: {\\n" }}
            {%- for name, spec in tool.parameters.properties.items() %}
                {%- if spec.description %}{{- "// " + spec.description + "\\n" }}{%- endif %}
                {{- name }}{%- if name not in (tool.parameters.required or []) %}{{- "?" }}{%- endif -%}
                {{- ": " }}{{- render_type(spec, tool.parameters.required or []) }}
                {%- if spec.default is defined -%}
                    {%- if spec.enum %}{{- ", // default: " + spec.default }}
                    {%- elif spec.oneOf %}{{- "// default: " + spec.default }}
                    {%- else %}{{- ", // default: " + spec.default|tojson }}{%- endif -%}
                {%- endif -%}
                {%- if not loop.last %}{{- ",\\n" }}{%- else %}{{- "\\n" }}{%- endif -%}
            {%- endfor %}
            {{- "}) => any;\\n\\n" }}
        {%- else -%}{{- "() => any;\\n\\n" }}{%- endif -%}
    {%- endfor %}
    {{- "} // namespace " + namespace_name }}
{%- endmacro -%}
{%- if model_identity is not defined %}{%- set model_identity = "You are a model." %}{%- endif %}
{%- if reasoning_effort is not defined %}{%- set reasoning_effort = "medium" %}{%- endif %}
{{- "<|start|>system<|message|>" }}{{- model_identity + "\\nCurrent date: " + strftime_now("%Y-%m-%d") + "\\n\\nReasoning: " + reasoning_effort }}{{- "<|end|>" }}
{%- if messages[0].role in ["developer", "system"] %}
    {%- set developer_message = messages[0].content %}{%- set loop_messages = messages[1:] %}
{%- else %}{%- set developer_message = "" %}{%- set loop_messages = messages %}{%- endif %}
{%- if developer_message or tools %}
    {{- "<|start|>developer<|message|>" }}
    {%- if developer_message %}{{- "# Instructions\\n\\n" ~ developer_message ~ "\\n\\n" }}{%- endif %}
    {%- if tools -%}{{- "# Tools\\n\\n" }}{{- render_tools("functions", tools) }}{%- endif -%}
    {{- "<|end|>" }}
{%- endif %}
{%- set last_tool_call = namespace(name=none) %}
{%- for message in loop_messages -%}
    {%- if message.role == 'assistant' -%}
        {%- if "content" in message and message.content is string %}
            {%- if "<|channel|>analysis" in message.content %}{{- raise_exception("No channel may stand in the content.") }}{%- endif %}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- set future_final_message = namespace(found=false) %}
            {%- for future_message in loop_messages[loop.index:] %}
                {%- if future_message.role == 'assistant' and "tool_calls" not in future_message %}{%- set future_final_message.found = true %}{%- endif %}
            {%- endfor %}
            {%- set tool_call = message.tool_calls[0] %}{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
            {%- if message.thinking and not future_final_message.found %}{{- "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking + "<|end|>" }}{%- endif %}
            {{- "<|start|>assistant to=" }}{{- "functions." + tool_call.name + "<|channel|>commentary " }}{{- (tool_call.content_type if tool_call.content_type is defined else "json") + "<|message|>" }}{{- tool_call.arguments|tojson }}{{- "<|call|>" }}
            {%- set last_tool_call.name = tool_call.name %}
        {%- elif loop.last and not add_generation_prompt %}
            {%- if "thinking" in message %}{{- "<|start|>assistant<|channel|>analysis<|message|>" ~ message.thinking ~ "<|end|>" }}{%- endif %}
            {{- "<|start|>assistant<|channel|>final<|message|>" ~ message.content ~ "<|return|>" }}
        {%- else %}
            {{- "<|start|>assistant<|channel|>final<|message|>" ~ message.content ~ "<|end|>" }}{%- set last_tool_call.name = none %}
        {%- endif %}
    {%- elif message.role == 'tool' -%}
        {%- if last_tool_call.name is none %}{{- raise_exception("A tool's message, but nothing was called: " ~ message) }}{%- endif %}
        {{- "<|start|>functions." + last_tool_call.name }}{{- " to=assistant<|channel|>commentary<|message|>" + message.content|tojson + "<|end|>" }}
    {%- elif message.role == 'user' -%}{{- "<|start|>user<|message|>" ~ message.content ~ "<|end|>" }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|start|>assistant{%- endif -%}
"""

CODER = """{% macro render_extra_keys(json_dict, handled_keys) %}
    {%- if json_dict is mapping %}
        {%- for json_key in json_dict if json_key not in handled_keys %}
            {%- if json_dict[json_key] is mapping or (json_dict[json_key] is sequence and json_dict[json_key] is not string) %}
                {{- '\\n<' ~ json_key ~ '>' ~ (json_dict[json_key] | tojson | safe) ~ '</' ~ json_key ~ '>' }}
            {%- else %}
                {{-'\\n<' ~ json_key ~ '>' ~ (json_dict[json_key] | string) ~ '</' ~ json_key ~ '>' }}
            {%- endif %}
        {%- endfor %}
    {%- endif %}
{% endmacro %}

{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}
{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- if not tools is defined %}{%- set tools = [] %}{%- endif %}
{%- if system_message is defined %}{{- "<|im_start|>system\\n" + system_message }}
{%- else %}{%- if tools is iterable and tools | length > 0 %}{{- "<|im_start|>system\\nYou are a coder." }}{%- endif %}{%- endif %}
{%- if tools is iterable and tools | length > 0 %}
    {{- "\\n\\n# Tools\\n\\n<tools>" }}
    {%- for tool in tools %}
        {%- if tool.function is defined %}{%- set tool = tool.function %}{%- endif %}
        {{- "\\n<function>\\n<name>" ~ tool.name ~ "</name>" }}
        {%- if tool.description is defined %}{{- '\\n<description>' ~ (tool.description | trim) ~ '</description>' }}{%- endif %}
        {{- '\\n<parameters>' }}
        {%- if tool.parameters is defined and tool.parameters is mapping and tool.parameters.properties is defined and tool.parameters.properties is mapping %}
            {%- for param_name, param_fields in tool.parameters.properties|items %}
                {{- '\\n<parameter>' }}{{- '\\n<name>' ~ param_name ~ '</name>' }}
                {%- if param_fields.type is defined %}{{- '\\n<type>' ~ (param_fields.type | string) ~ '</type>' }}{%- endif %}
                {%- if param_fields.description is defined %}{{- '\\n<description>' ~ (param_fields.description | trim) ~ '</description>' }}{%- endif %}
                {%- set handled_keys = ['name', 'type', 'description'] %}
                {{- render_extra_keys(param_fields, handled_keys) }}{{- '\\n</parameter>' }}
            {%- endfor %}
        {%- endif %}
        {% set handled_keys = ['type', 'properties'] %}
        {{- render_extra_keys(tool.parameters, handled_keys) }}
        {{- '\\n</parameters>' }}
        {%- set handled_keys = ['type', 'name', 'description', 'parameters'] %}
        {{- render_extra_keys(tool, handled_keys) }}
        {{- '\\n</function>' }}
    {%- endfor %}
    {{- "\\n</tools>" }}
{%- endif %}
{%- if system_message is defined %}{{- '<|im_end|>\\n' }}
{%- else %}{%- if tools is iterable and tools | length > 0 %}{{- '<|im_end|>\\n' }}{%- endif %}{%- endif %}
{%- for message in loop_messages %}
    {%- if message.role == "assistant" and message.tool_calls is defined and message.tool_calls is iterable and message.tool_calls | length > 0 %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content is defined and message.content is string and message.content | trim | length > 0 %}{{- '\\n' + message.content | trim + '\\n' }}{%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
            {{- '\\n<tool_call>\\n<function=' + tool_call.name + '>\\n' }}
            {%- if tool_call.arguments is defined %}
                {%- for args_name, args_value in tool_call.arguments|items %}
                    {{- '<parameter=' + args_name + '>\\n' }}
                    {%- set args_value = args_value | tojson | safe if args_value is mapping or (args_value is sequence and args_value is not string) else args_value | string %}
                    {{- args_value }}{{- '\\n</parameter>\\n' }}
                {%- endfor %}
            {%- endif %}
            {{- '</function>\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "user" or message.role == "system" or message.role == "assistant" %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.previtem and loop.previtem.role != "tool" %}{{- '<|im_start|>user\\n' }}{%- endif %}
        {{- '<tool_response>\\n' }}{{- message.content }}{{- '\\n</tool_response>\\n' }}
        {%- if not loop.last and loop.nextitem.role != "tool" %}{{- '<|im_end|>\\n' }}{%- elif loop.last %}{{- '<|im_end|>\\n' }}{%- endif %}
    {%- else %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""

VISION = """{% set image_count = namespace(value=0) %}{% set video_count = namespace(value=0) %}{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system
You see.<|im_end|>
{% endif %}<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}<|im_end|>
{% else %}{% for content in message['content'] %}{% if content['type'] == 'image' or 'image' in content or 'image_url' in content %}{% set image_count.value = image_count.value + 1 %}{% if add_vision_id %}Picture {{ image_count.value }}: {% endif %}<|vision_start|><|image_pad|><|vision_end|>{% elif content['type'] == 'video' or 'video' in content %}{% set video_count.value = video_count.value + 1 %}{% if add_vision_id %}Video {{ video_count.value }}: {% endif %}<|vision_start|><|video_pad|><|vision_end|>{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

REASONER = """{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}{% set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system_prompt='', is_first_sp=true) %}{%- for message in messages %}{%- if message['role'] == 'system' %}{%- if ns.is_first_sp %}{% set ns.system_prompt = ns.system_prompt + message['content'] %}{% set ns.is_first_sp = false %}{%- else %}{% set ns.system_prompt = ns.system_prompt + '\\n\\n' + message['content'] %}{%- endif %}{%- endif %}{%- endfor %}{{ bos_token }}{{ ns.system_prompt }}{%- for message in messages %}{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}{{'<|User|>' + message['content']}}{%- endif %}{%- if message['role'] == 'assistant' and 'tool_calls' in message %}{%- set ns.is_tool = false -%}{%- for tool in message['tool_calls'] %}{%- if not ns.is_first %}{%- if message['content'] is none %}{{'<|Assistant|><|calls|><|call|>' + tool['type'] + '<|sep|>' + tool['function']['name'] + '\\n' + '```json' + '\\n' + tool['function']['arguments']|tojson + '\\n' + '```' + '<|end|>'}}{%- else %}{{'<|Assistant|>' + message['content'] + '<|calls|><|call|>' + tool['type'] + '<|sep|>' + tool['function']['name'] + '\\n```json\\n' + (tool['function']['arguments'] if tool['function']['arguments'] is string else tool['function']['arguments']|tojson(ensure_ascii=False)) + '\\n```<|end|>'}}{%- endif %}{%- set ns.is_first = true -%}{%- else %}{{'\\n' + '<|call|>' + tool['type'] + '<|sep|>' + tool['function']['name']}}{%- endif %}{%- endfor %}{{'<|calls_end|>' + eos_token}}{%- endif %}{%- if message['role'] == 'assistant' and 'tool_calls' not in message %}{%- if ns.is_tool %}{{'<|outputs_end|>' + message['content'] + eos_token}}{%- set ns.is_tool = false -%}{%- else %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}{{'<|Assistant|>' + content + eos_token}}{%- endif %}{%- endif %}{%- if message['role'] == 'tool' %}{%- set ns.is_tool = true -%}{%- if ns.is_output_first %}{{'<|outputs|><|output|>' + message['content'] + '<|output_end|>'}}{%- set ns.is_output_first = false %}{%- else %}{{'\\n<|output|>' + message['content'] + '<|output_end|>'}}{%- endif %}{%- endif %}{%- endfor -%}{% if ns.is_tool %}{{'<|outputs_end|>'}}{% endif %}{% if add_generation_prompt and not ns.is_tool %}{{'<|Assistant|><think>\\n'}}{% endif %}"""

COMMAND = """{%- macro document_turn(documents) -%}
{# format documents as a message #}
<|START|>I'll search.<|ACTION|>[
    {"tool_call_id": "0", "tool_name": "search", "parameters": {}}
]<|END_ACTION|>
<results>
{
    "tool_call_id": "0",
    "results": {
{% for doc in documents %}
        "{{ loop.index0 }}": {{doc|tojson}}{% if not loop.last %},
    {% endif %}
{% endfor %}

    }
}
</results>{%- endmacro %}
{%- macro tool_call_id_to_int(messages, tool_call_id) %}
{%- set counter = namespace(value=0) %}
{%- set tool_call_id_seen = namespace(value=false) %}
{%- for msg in messages %}
    {%- if msg.tool_calls %}
        {%- for tool_call in msg.tool_calls %}
            {%- if tool_call.id == tool_call_id and not tool_call_id_seen.value -%}
                {{ counter.value }}
                {%- set tool_call_id_seen.value = true %}
            {%- endif %}
            {%- set counter.value = counter.value + 1 %}
        {%- endfor %}
    {%- endif %}
{%- endfor %}
{%- endmacro %}
{%- macro format_tool_message(messages, tool_msg) -%}
        {
            "tool_call_id": "{{ tool_call_id_to_int(messages, tool_msg.tool_call_id) }}",
            "results": {
                "0": {{ tool_msg.content|tojson }}
            },
            "is_error": null
        }
{%- endmacro -%}
{%- if messages and messages[0]['role']|lower == 'system' %}{%- set developer_preamble = messages[0]['content'] %}{% endif %}
{%- set tool_idx = namespace(value=0) %}
{%- set tool_ids_seen = namespace(value=[]) %}
{%- set regular_turn = [] -%}
<BOS><|SYSTEM|># System
{% if tools or documents %}
You have tools.
## Tools
```json
[
{% if documents %}
    {"name": "search"}{% if tools %},{% endif %}

{% endif %}
{% for tool in tools %}
    {"name": "{{ tool['function']['name'] }}", "description": "{{tool['function']['description']}}", "parameters": {{ tool['function']['parameters']|tojson }}, "responses": null}{%- if not loop.last %},{% endif %}

{% endfor %}
]
```

{% endif %}
# Default
{% if developer_preamble %}

# Developer
{{ developer_preamble }}
{%- endif -%}
<|END|>
{%- for message in messages %}
    {%- if message.role|lower == 'system' and not (loop.first and developer_preamble)%}
<|S|>{{ message.content }}<|E|>
    {%- elif message.role|lower == 'user' %}
<|U|>{{ message.content }}<|E|>{%- if documents and not sent_documents.value %}{%- set sent_documents.value = true %}{{ document_turn(documents) }}{% endif %}
    {%- elif message.role|lower == 'assistant' or message.role|lower == 'chatbot' %}
<|C|>{% if message.tool_calls %}<|T|>{{message.tool_plan}}<|/T|><|A|>[
    {% for tc in message.tool_calls %}
    {"tool_call_id": "{{ tool_idx.value }}", "tool_name": "{{ tc['function']['name'] }}", "parameters": {{ tc['function']['arguments']|tojson }}}{% if not loop.last %},{% endif %}

    {% set tool_idx.value = tool_idx.value + 1 %}
    {% endfor %}
]<|/A|><|E|>{% else %}<|R|>{{message.content}}<|/R|><|E|>{% endif %}
    {% elif message.role|lower == 'tool' and message.tool_call_id not in tool_ids_seen.value %}
<results>[
{{ format_tool_message(messages, message) }}
        {%- for msg in messages[loop.index0 + 1:] %}
            {%- if msg.role|lower == 'tool' %},
{{ format_tool_message(messages, msg) }}
                {%- set tool_ids_seen.value = tool_ids_seen.value + [msg.tool_call_id] %}
            {%- else %}
                {%- break %}
            {%- endif %}
        {%- endfor %}

]</results>
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt -%}<|C|>{%- endif %}"""

HERMES = """{%- macro json_to_python_type(json_spec) %}
    {%- set basic_type_map = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"} %}
    {%- if basic_type_map[json_spec.type] is defined %}{{- basic_type_map[json_spec.type] }}
    {%- elif json_spec.type == "array" %}{{- "list[" +  (json_to_python_type(json_spec['items']) if json_spec['items'] else 'Any') + "]" }}
    {%- elif json_spec.type == "object" %}
        {%- if json_spec.additionalProperties is defined %}{{- "dict[str, " + json_to_python_type(json_spec.additionalProperties) + ']' }}
        {%- else %}{{- "dict" }}{%- endif %}
    {%- elif json_spec.type is iterable %}
        {{- "Union[" }}
        {%- for t in json_spec.type %}{{- json_to_python_type({"type": t}) }}{%- if not loop.last %}{{- "," }}{%- endif %}{%- endfor %}
        {{- "]" }}
    {%- else %}{{- "Any" }}{%- endif %}
{%- endmacro %}
{{- bos_token }}{{- '<|im_start|>system\\n<tools> ' }}
{%- for tool in tools or [] %}
    {%- if tool.function is defined %}{%- set tool = tool.function %}{%- endif %}
    {{- '{"type": "function", "function": {"name": "' + tool.name + '", "description": "' + tool.name + '(' }}
    {%- for param_name, param_fields in tool.parameters.properties|items %}
        {{- param_name + ": " + json_to_python_type(param_fields) }}{%- if not loop.last %}{{- ", " }}{%- endif %}
    {%- endfor %}
    {{- ")" }}
    {%- if tool.return is defined %}{{- " -> " + json_to_python_type(tool.return) }}{%- endif %}
    {{- " - " + tool.description + "\\n\\n" }}
    {%- for param_name, param_fields in tool.parameters.properties|items %}
        {%- if loop.first %}{{- "    Args:\\n" }}{%- endif %}
        {{- "        " + param_name + "(" + json_to_python_type(param_fields) + "): " + param_fields.description|default('')|trim }}
    {%- endfor %}
    {%- if tool.return is defined and tool.return.description is defined %}{{- "\\n    Returns:\\n        " + tool.return.description }}{%- endif %}
    {{- '"' }}{{- ', "parameters": ' }}
    {%- if tool.parameters.properties | length == 0 %}{{- "{}" }}{%- else %}{{- tool.parameters|tojson }}{%- endif %}
    {{- "}" }}{%- if not loop.last %}{{- "\\n" }}{%- endif %}
{%- endfor %}
{{- " </tools><|im_end|>\\n" -}}
{%- for message in messages %}
    {%- if message.role == "user" or message.role == "system" or (message.role == "assistant" and message.tool_calls is not defined) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- for tool_call in message.tool_calls %}
            {{- '\\n<tool_call>\\n' }}{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
            {{- '{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments|tojson }}{{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.previtem and loop.previtem.role != "tool" %}{{- '<|im_start|>tool\\n' }}{%- endif %}
        {{- '<tool_response>\\n' }}{{- message.content }}
        {%- if not loop.last %}{{- '\\n</tool_response>\\n' }}{%- else %}{{- '\\n</tool_response>' }}{%- endif %}
        {%- if not loop.last and loop.nextitem.role != "tool" %}{{- '<|im_end|>' }}{%- elif loop.last %}{{- '<|im_end|>' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""

GRANITE = """{%- if messages[0]['role'] == 'system' %}
 {%- set system_message = messages[0]['content'] %}{%- set loop_messages = messages[1:] %}
{%- else %}
 {%- set system_message = " Training Cutoff Date: April 2024.
 Today's Date: " + strftime_now('%B %d, %Y') + "." %}
 {%- if tools and documents %}{%- set system_message = system_message + " Both." %}
 {%- elif tools %}{%- set system_message = system_message + " You have tools. When one is required, answer with \\"<|tool_call|>\\"." %}
 {%- elif documents %}{%- set system_message = system_message + " Documents." %}
 {%- elif thinking %}{%- set system_message = system_message + " Think; write in <think></think> and <response></response>." %}
 {%- endif %}
 {%- if 'citations' in controls and documents %}{%- set system_message = system_message + ' Cite.' %}{%- endif %}
 {%- set loop_messages = messages %}
{%- endif %}
{{- '<|start_of_role|>system<|end_of_role|>' + system_message + '<|end_of_text|>
' }}
{%- if tools %}{{- '<|start_of_role|>available_tools<|end_of_role|>' }}{{- tools | tojson(indent=4) }}{{- '<|end_of_text|>
' }}{%- endif %}
{%- if documents %}
 {%- for document in documents %}
  {{- '<|start_of_role|>document {"document_id": "' + document['doc_id'] | string + '"}<|end_of_role|>
' }}{{- document['text'] }}{{- '<|end_of_text|>
' }}
 {%- endfor %}
{%- endif %}
{%- for message in loop_messages %}
 {{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + (message['content'] or '') + '<|end_of_text|>
' }}
 {%- if loop.last and add_generation_prompt %}
  {{- '<|start_of_role|>assistant' }}
  {%- if controls %}{{- ' ' + controls | tojson()}}{%- endif %}
  {{- '<|end_of_role|>' }}
 {%- endif %}
{%- endfor %}"""

SMOL = """{# ───── defaults ───── #}
{%- if enable_thinking is not defined -%}{%- set enable_thinking = true -%}{%- endif -%}
{# ───── reasoning mode ───── #}
{%- if enable_thinking -%}{%- set reasoning_mode = "/think" -%}{%- else -%}{%- set reasoning_mode = "/no_think" -%}{%- endif -%}
{{- "<|im_start|>system\\n" -}}
{%- if messages[0].role == "system" -%}
  {%- set system_message = messages[0].content -%}
  {%- if "/no_think" in system_message -%}{%- set reasoning_mode = "/no_think" -%}
  {%- elif "/think" in system_message -%}{%- set reasoning_mode = "/think" -%}{%- endif -%}
  {%- set custom_instructions = system_message.replace("/no_think", "").replace("/think", "").rstrip() -%}
{%- endif -%}
{%- if "/system_override" in system_message -%}
  {{- custom_instructions.replace("/system_override", "").rstrip() -}}{{- "<|im_end|>\\n" -}}
{%- else -%}
  {{- "## Metadata\\n\\n" -}}{{- "Training Cutoff Date: June 2025\\n" -}}
  {%- set today = strftime_now("%d %B %Y") -%}{{- "Today Date: " ~ today ~ "\\n" -}}{{- "Reasoning Mode: " + reasoning_mode + "\\n\\n" -}}
  {{- "## Custom Instructions\\n\\n" -}}
  {%- if custom_instructions -%}{{- custom_instructions + "\\n\\n" -}}{%- elif reasoning_mode == "/think" -%}{{- "Think first.\\n\\n" -}}{%- else -%}{{- "Help.\\n\\n" -}}{%- endif -%}
  {%- if xml_tools or python_tools or tools -%}
    {{- "### Tools\\n\\n" -}}
    {%- if xml_tools or tools -%}
      {%- if tools -%}{%- set xml_tools = tools -%}{%- endif -%}
      {%- set ns = namespace(xml_tool_string="You may call:\\n\\n<tools>\\n") -%}
      {%- for tool in xml_tools[:] -%}{%- set ns.xml_tool_string = ns.xml_tool_string ~ (tool | string) ~ "\\n" -%}{%- endfor -%}
      {%- set xml_tool_string = ns.xml_tool_string + "</tools>" -%}{{- xml_tool_string -}}
    {%- endif -%}
    {{- "\\n\\n" -}}
  {%- endif -%}
  {{- "<|im_end|>\\n" -}}
{%- endif -%}
{# ───── main loop ───── #}
{%- for message in messages -%}
    {%- set content = message.content if message.content is string else "" -%}
    {%- if message.role == "user" -%}{{ "<|im_start|>" + message.role + "\\n"  + content + "<|im_end|>\\n" }}
    {%- elif message.role == "assistant" -%}
        {% generation %}
        {%- if reasoning_mode == "/think" -%}{{ "<|im_start|>assistant\\n" + content.lstrip("\\n") + "<|im_end|>\\n" }}
        {%- else -%}{{ "<|im_start|>assistant\\n" + "<think>\\n\\n</think>\\n" + content.lstrip("\\n") + "<|im_end|>\\n" }}{%- endif -%}
        {% endgeneration %}
    {%- elif message.role == "tool" -%}{{ "<|im_start|>" + "user\\n"  + content + "<|im_end|>\\n" }}
    {%- endif -%}
{%- endfor -%}
{# ───── generation prompt ───── #}
{%- if add_generation_prompt -%}
    {%- if reasoning_mode == "/think" -%}{{ "<|im_start|>assistant\\n" }}{%- else -%}{{ "<|im_start|>assistant\\n" + "<think>\\n\\n</think>\\n" }}{%- endif -%}
{%- endif -%}"""

GLM = """[gMASK]<sop>
{%- if tools -%}
<|system|>
# Tools
<tools>
{% for tool in tools %}
{{ tool | tojson(ensure_ascii=False) }}
{% endfor %}
</tools>{%- endif -%}
{%- macro visible_text(content) -%}
    {%- if content is string -%}{{- content }}
    {%- elif content is iterable and content is not mapping -%}
        {%- for item in content -%}
            {%- if item is mapping and item.type == 'text' -%}{{- item.text }}{%- elif item is string -%}{{- item }}{%- endif -%}
        {%- endfor -%}
    {%- else -%}{{- content }}{%- endif -%}
{%- endmacro -%}
{%- set ns = namespace(last_user_index=-1) %}
{%- for m in messages %}{%- if m.role == 'user' %}{% set ns.last_user_index = loop.index0 -%}{%- endif %}{%- endfor %}
{% for m in messages %}
{%- if m.role == 'user' -%}<|user|>
{{ visible_text(m.content) }}
{{- '/nothink' if (enable_thinking is defined and not enable_thinking and not visible_text(m.content).endswith("/nothink")) else '' -}}
{%- elif m.role == 'assistant' -%}
<|assistant|>
{%- set reasoning_content = '' %}
{%- set content = visible_text(m.content) %}
{%- if m.reasoning_content is string %}{%- set reasoning_content = m.reasoning_content %}
{%- else %}
    {%- if '</think>' in content %}
        {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
{%- endif %}
{%- if loop.index0 > ns.last_user_index and reasoning_content -%}
{{ '\\n<think>' + reasoning_content.strip() +  '</think>'}}
{%- else -%}
{{ '\\n<think></think>' }}
{%- endif -%}
{%- if content.strip() -%}
{{ '\\n' + content.strip() }}
{%- endif -%}
{% if m.tool_calls %}
{% for tc in m.tool_calls %}
{%- if tc.function %}{%- set tc = tc.function %}{%- endif %}
{{ '\\n<tool_call>' + tc.name }}
{% set _args = tc.arguments %}
{% for k, v in _args.items() %}
<arg_key>{{ k }}</arg_key>
<arg_value>{{ v | tojson(ensure_ascii=False) if v is not string else v }}</arg_value>
{% endfor %}
</tool_call>{% endfor %}
{% endif %}
{%- elif m.role == 'tool' -%}
{%- if m.content is string -%}
{%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}{{- '<|observation|>' }}{%- endif %}
{{- '\\n<tool_response>\\n' }}{{- m.content }}{{- '\\n</tool_response>' }}
{%- else -%}
<|observation|>{% for tr in m.content %}
<tool_response>
{{ tr.output if tr.output is defined else tr }}
</tool_response>{% endfor -%}
{% endif -%}
{%- elif m.role == 'system' -%}
<|system|>
{{ visible_text(m.content) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    <|assistant|>{{- '\\n<think></think>' if (enable_thinking is defined and not enable_thinking) else '' -}}
{%- endif -%}"""

KIMI = """{% macro render_content(msg) -%}
    {%- set c = msg.get('content') -%}
    {%- if c is string -%}
      {{ c }}
    {%- elif c is not none -%}
      {% for content in c -%}
        {% if content['type'] == 'image' or 'image' in content or 'image_url' in content -%}
          <|media_start|>image<|media_content|><|media_pad|><|media_end|>
        {% else -%}
          {{ content['text'] }}
        {%- endif -%}
      {%- endfor -%}
    {%- endif -%}
{%- endmacro -%}
{%- macro set_roles(message) -%}
  {%- set role_name =  message.get('name') or  message['role'] -%}
  {%- if message['role'] == 'user' -%}
    <|im_user|>{{role_name}}<|im_middle|>
  {%- elif message['role'] == 'assistant' -%}
    <|im_assistant|>{{role_name}}<|im_middle|>
  {%- else -%}
    <|im_system|>{{role_name}}<|im_middle|>
  {%- endif -%}
{%- endmacro -%}
{%- if tools -%}
  <|im_system|>tool_declare<|im_middle|>{{ tools | tojson(separators=(',', ':')) }}<|im_end|>
{%- endif -%}
{% for message in messages %}
  {%- if loop.first and messages[0]['role'] != 'system' -%}
  <|im_system|>system<|im_middle|>You are helpful.<|im_end|>
  {% endif %}
  {{- set_roles(message) -}}
  {%- if message['role'] == 'assistant' and message.get('tool_calls') -%}
    {{ render_content(message) }}<|tool_calls_section_begin|>
    {%- for tool_call in message['tool_calls'] -%}
      {%- set formatted_id = tool_call['id'] or ('functions.' ~ tool_call['function']['name'] ~ ':' ~ loop.index0) -%}
      <|tool_call_begin|>{{ formatted_id }}<|tool_call_argument_begin|>{% if tool_call['function']['arguments'] is string %}{{ tool_call['function']['arguments'] }}{% else %}{{ tool_call['function']['arguments'] | tojson }}{% endif %}<|tool_call_end|>
    {%- endfor -%}
    <|tool_calls_section_end|>
  {%- elif message['role'] == 'tool' -%}
    {%- set tool_call_id = message.tool_call_id -%}
    ## Return of {{ tool_call_id }}
{{ render_content(message) }}
  {%- else -%}
    {{ render_content(message) }}
  {%- endif -%}
  <|im_end|>
{%- endfor -%}
{%- if add_generation_prompt -%}
  <|im_assistant|>assistant<|im_middle|>
{%- endif -%}"""

LLAMA_4 = """{{- bos_token }}
{%- if custom_tools is defined and tools is none %}{%- set tools = custom_tools %}{%- endif %}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}{%- set date_string = strftime_now("%d %b %Y") %}{%- else %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- if messages[0]['content'] is string %}{%- set system_message = messages[0]['content']|trim %}
    {%- else %}{%- set system_message = messages[0]['content']|map(attribute='text')|map('trim')|join('\\n') %}{%- endif %}
    {%- set messages = messages[1:] %}
{%- else %}{%- set system_message = date_string|length ~ "" %}{%- endif %}
{{- "<|header_start|>system<|header_end|>\\n\\n" ~ system_message ~ "<|eot|>" }}
{%- set image_total = messages|map(attribute='content')|reject('none')|reject('string')|map('selectattr', 'type', 'equalto', 'image')|map('list')|map('length')|sum %}
{{- "(" ~ image_total ~ ")" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
    {{- '<|header_start|>' + message['role'] + '<|header_end|>\\n\\n' }}
        {%- if message['content'] is string %}{{- message['content'] }}
        {%- else %}
            {%- for content in message['content'] %}
                {%- if content['type'] == 'image' %}{{- '<|image|>' }}
                {%- elif content['type'] == 'text' %}{{- content['text'] | trim }}{%- endif %}
            {%- endfor %}
        {%- endif %}
    {{- "<|eot|>" }}
    {%- elif 'tool_calls' in message and message.tool_calls|length > 0 %}
       {{- '<|header_start|>assistant<|header_end|>\\n\\n' -}}{{- '<|python_start|>' }}
        {%- if message['content'] is string %}{{- message['content'] }}
        {%- elif message['content'] is not none %}
            {%- for content in message['content'] %}{%- if content['type'] == 'image' %}{{- '<|image|>' }}{%- elif content['type'] == 'text' %}{{- content['text'] }}{%- endif %}{%- endfor %}
        {%- endif %}
       {{- '<|python_end|>' }}
        {%- for tool_call in message.tool_calls %}
           {{- '{"name": "' + tool_call.function.name + '", ' }}{{- '"parameters": ' }}{{- tool_call.function.arguments | tojson }}{{- "}" }}
        {%- endfor %}
       {{- "<|eot|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|header_start|>ipython<|header_end|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}{{- message.content | tojson }}{%- else %}{{- message.content }}{%- endif %}
        {{- "<|eot|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|header_start|>assistant<|header_end|>\\n\\n' }}{%- endif %}
"""

MISTRAL_3 = """{%- set today = strftime_now("%Y-%m-%d") %}
{%- set default_system_message = "You are small.\\nToday is " + today + ".\\n\\nKnow less." %}
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
    {%- if messages[0]['content'] is string %}{%- set system_message = messages[0]['content'] %}
    {%- else %}{%- set system_message = messages[0]['content'][0]['text'] %}{%- endif %}
    {%- set loop_messages = messages[1:] %}
{%- else %}{%- set system_message = default_system_message %}{%- set loop_messages = messages %}{%- endif %}
{{- '[SYSTEM_PROMPT]' + system_message + '[/SYSTEM_PROMPT]' }}
{%- set tool_names = (tools or [])|map(attribute='function.name')|list %}
{%- if tool_names %}{{- '[TOOLS]' ~ tool_names|sort|join(',')|upper ~ '|' ~ (tools|map(attribute='function')|selectattr('description', 'defined')|rejectattr('name', 'in', ['nothing'])|map(attribute='name')|unique|list|tojson) ~ '[/TOOLS]' }}{%- endif %}
{%- for message in loop_messages %}
    {%- if message['role'] == 'user' %}
        {%- if message['content'] is string %}{{- '[INST]' + message['content'] + '[/INST]' }}
        {%- else %}
            {{- '[INST]' }}
            {%- for block in message['content'] %}
                {%- if block['type'] == 'text' %}{{- block['text'] }}
                {%- elif block['type'] in ['image', 'image_url'] %}{{- '[IMG]' }}
                {%- else %}{{- raise_exception('Only text and image blocks are supported in message content!') }}{%- endif %}
            {%- endfor %}
            {{- '[/INST]' }}
        {%- endif %}
    {%- elif message['role'] == 'system' %}{{- '[SYSTEM_PROMPT]' + message['content'] + '[/SYSTEM_PROMPT]' }}
    {%- elif message['role'] == 'assistant' %}
        {%- if message['content'] is string %}{{- message['content'] + eos_token }}
        {%- elif message.tool_calls %}
            {%- for call in message.tool_calls %}
                {%- set id = call.id|default('000000000', true) %}
                {%- if id|length < 9 %}{%- set id = ('000000000' ~ id)[-9:] %}{%- endif %}
                {{- '[TOOL_CALLS]' ~ call.function.name ~ '[CALL_ID]' ~ id ~ '[ARGS]' ~ (call.function.arguments|dictsort|map('join', '=')|join('&') if call.function.arguments is mapping else call.function.arguments) }}
            {%- endfor %}{{- eos_token }}
        {%- else %}{{- message['content'][0]['text'] + eos_token }}{%- endif %}
    {%- elif message['role'] == 'tool' %}{{- '[TOOL_RESULTS]' ~ message.content ~ '[/TOOL_RESULTS]' }}
    {%- else %}{{- raise_exception('Only user, system and assistant roles are supported!') }}{%- endif %}
{%- endfor %}"""

PYTHONIC = """{%- macro value(v) -%}
    {%- if v is none -%}None
    {%- elif v is boolean -%}{{ v }}
    {%- elif v is string -%}{{ "'" ~ v|replace("\\\\", "\\\\\\\\")|replace("'", "\\\\'") ~ "'" }}
    {%- elif v is integer -%}{{ v }}
    {%- elif v is float -%}{{ v|round(3) }}
    {%- elif v is mapping -%}{ {%- for k, x in v|dictsort %}{{ value(k) }}: {{ value(x) }}{{ ", " if not loop.last }}{%- endfor -%} }
    {%- elif v is sequence -%}[{%- for x in v %}{{ value(x) }}{{ ", " if not loop.last else "" }}{%- endfor -%}]
    {%- else -%}{{ v|tojson }}{%- endif -%}
{%- endmacro -%}
{%- set roles = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "developer": "D"} -%}
{%- set head -%}
  {%- for t in tools or [] %}
  * {{ t.function.name|replace('_', ' ')|title }}({{ t.function.parameters.properties.keys()|list|join(', ') if t.function.parameters.properties is mapping }})
  {{- ' !' if t.function.strict is defined and t.function.strict }}
  {%- endfor %}
{%- endset -%}
{%- if head|trim %}{{ head|indent(2, first=True) }}
{% endif -%}
{%- for m in messages recursive -%}
    {%- set prefix = roles.get(m.role, '?' ~ m.role[:1]|upper) -%}
    {%- if m.content is none or not m.content %}{{ prefix }}: (empty)
    {%- elif m.content is string %}{{ prefix }}: {{ m.content.strip().split('\\n')|map('trim')|join(' / ') }}
    {%- else %}{{ prefix }}: {% for part in m.content|selectattr('type', 'defined') %}{{ part.text if part.type == 'text' else '<' ~ part.type ~ '>' }}{{ ' + ' if not loop.last }}{% endfor %}
    {%- endif %}
    {%- for c in (m.tool_calls or []) %}
    {%- set f = c.function|default(c) %}
>>> {{ f.name }}({% if f.arguments is mapping %}{% for k, v in f.arguments.items() %}{{ k }}={{ value(v) }}{% if not loop.last %}, {% endif %}{% endfor %}{% else %}{{ f.arguments }}{% endif %})
    {%- endfor %}

{% endfor -%}
{%- if add_generation_prompt %}A:{% endif %}"""

DEBATE = """{%- set users = messages|selectattr('role', 'equalto', 'user')|list %}
{%- set others = messages|rejectattr('role', 'in', ['user', 'system'])|list %}
{%- set first = users|first %}{%- set final = messages|last %}
[{{ users|length }}/{{ others|length }}/{{ messages[-2:]|length }}/{{ messages[:-1]|length }}/{{ messages[1:-1:2]|length }}/{{ messages[-3:-1]|map(attribute='role')|join('>') }}]
{% for role, group in messages|groupby('role') %}
{{ role.ljust(10, '.') }}{{ group|length }}{{ '\\t' if loop.last else ';' }}
{% endfor %}
{% for message in messages[::-1] -%}
    {% if message.role == 'system' %}{% continue %}{% endif %}
    {%- if loop.index > 4 %}{% break %}{% endif %}
    {{- loop.index }}:{{ loop.revindex0 }}:{{ loop.first|string|lower }}:{{ loop.cycle('odd', 'even') }}
    {{- ' ' ~ (loop.previtem or {}).role|default('none') ~ '<' ~ message['role'] ~ '<' ~ (loop.nextitem.role if loop.nextitem is defined else 'none') }}
    {%+ if message.content is string and message.content.startswith(('H', 'W')) -%}
    {{ message.content[:1] }}{{ message.content[-3:] }}{{ message.content[::-1]|upper }}
    {%- endif %}

{% endfor %}
{{ (final.content|string)[:20]|replace('\\n', '\\\\n')|center(24) }}|
{{ first.nothing }}{{ first['nothing'] }}{{ first.nothing is defined }}{{ first.nothing|default('-') }}{{ (first.content or 'x')|length }}
{{ {'role': 'x', 'n': loop_nothing}|tojson(indent=2) if loop_nothing is defined else first|tojson(indent=2) }}
{% if add_generation_prompt and final.role != 'assistant' %}<|assistant|>{% elif final.role == 'assistant' and continue_final_message is not defined %}{{ eos_token }}{% endif %}"""

OLMO = """{%- set has_system = messages|selectattr('role', 'equalto', 'system')|list|length > 0 -%}
{%- if not has_system -%}{{- '<|im_start|>system\\nHelp.' -}}
  {%- if tools is none or (tools | length) == 0 -%}{{- ' You have no functions. <functions></functions><|im_end|>\\n' -}}
  {%- else -%}{{- '<functions>' -}}{{- tools | tojson -}}{{- '</functions><|im_end|>\\n' -}}{%- endif -%}
{%- endif -%}
{%- for message in messages -%}
  {%- if message['role'] == 'system' -%}
    {{- '<|im_start|>system\\n' + message['content'] -}}
    {%- if tools is not none -%}{{- '<functions>' -}}{{- tools | tojson -}}{{- '</functions>' -}}
    {%- elif message.get('functions', none) is not none -%}{{- ' <functions>' + message['functions'] + '</functions>' -}}{%- endif -%}
    {{- '<|im_end|>\\n' -}}
  {%- elif message['role'] == 'user' -%}{{- '<|im_start|>user\\n' ~ message['content'] ~ '<|im_end|>\\n' -}}
  {%- elif message['role'] == 'assistant' -%}
    {{- '<|im_start|>assistant\\n' -}}
    {% generation %}
    {%- if message.get('content', none) is not none -%}{{- message['content'] -}}{%- endif -%}
    {%- if message.get('function_calls', none) is not none -%}{{- '<function_calls>' + message['function_calls'] + '</function_calls>' -}}
    {%- elif message.get('tool_calls', none) is not none -%}
      {{- '<function_calls>' -}}
      {%- for tool_call in message['tool_calls'] -%}
        {%- if tool_call is mapping and tool_call.get('function', none) is not none -%}
          {%- set args = tool_call['function']['arguments'] -%}
          {%- set ns = namespace(arguments_list=[]) -%}
          {%- if args is mapping -%}
          {%- for key, value in args.items() -%}{%- set ns.arguments_list = ns.arguments_list + [key ~ '=' ~ (value | tojson)] -%}{%- endfor -%}
          {%- endif -%}
          {%- set arguments = ns.arguments_list | join(', ') -%}
          {{- tool_call['function']['name'] + '(' + arguments + ')' -}}
          {%- if not loop.last -%}{{ '\\n' }}{%- endif -%}
        {%- else -%}{{- tool_call | tojson -}}{%- endif -%}
      {%- endfor -%}
      {{- '</function_calls>' -}}
    {%- endif -%}
    {%- if not loop.last -%}{{- '<|im_end|>' + '\\n' -}}{%- else -%}{{- eos_token -}}{%- endif -%}
    {% endgeneration %}
  {%- elif message['role'] in ('environment', 'tool') -%}{{- '<|im_start|>environment\\n' ~ message['content'] ~ '<|im_end|>\\n' -}}
  {%- endif -%}
  {%- if loop.last and add_generation_prompt -%}{{- '<|im_start|>assistant\\n<think>' -}}{%- endif -%}
{%- endfor -%}"""

MODERN = {
    "harmony": HARMONY, "coder": CODER, "vision": VISION, "reasoner": REASONER, "command": COMMAND,
    "hermes": HERMES, "granite": GRANITE, "smol": SMOL, "glm": GLM, "kimi": KIMI, "llama-4": LLAMA_4,
    "mistral-3": MISTRAL_3, "pythonic": PYTHONIC, "debate": DEBATE, "olmo": OLMO,
}  # fmt: skip

_TOOLS: list[dict[str, object]] = [
    {"type": "function", "function": {
        "name": "get_weather", "description": " The weather of a 'city' <now> & \"later\". ", "strict": True,
        "parameters": {"type": "object", "required": ["city"], "additionalProperties": False, "properties": {
            "city": {"type": "string", "description": "Its näme, e.g. \"Zürich\""},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "days": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            "where": {"type": "object", "properties": {"lat": {"type": "number"}, "tags": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "boolean"}}}}}},
            "either": {"oneOf": [{"type": "string", "description": "one"}, {"type": "number", "default": 1.5}]},
            "maybe": {"type": ["string", "null"], "default": None},
        }}, "return": {"type": "object", "additionalProperties": {"type": "number"}, "description": "a table"},
    }},
    {"type": "function", "function": {"name": "items", "description": "", "parameters": {"type": "object", "properties": {}}}},
    {"type": "function", "function": {"name": "run_code", "description": "Runs.\n  Twice.", "parameters": {"type": "object", "properties": {"code": {"type": "string"}, "items": {"type": "array"}, "keys": {"type": "boolean", "default": True}}, "required": []}}},
]  # fmt: skip


def _call(name: str, arguments: object, id_: str | None = None) -> dict[str, object]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def _user(content: object) -> dict[str, object]:
    return {"role": "user", "content": content}


def _assistant(content: object, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": content, **more}


_SYSTEM = {"role": "system", "content": "Be  brief. /no_think\n"}
_PICTURE = [{"type": "image"}, {"type": "text", "text": " What is this?\n"}, {"type": "image_url", "image_url": {"url": "http://x/y.png"}}]
_ARGUMENTS = {"city": "Zürich 😀", "days": [1, -2], "x": 1.0, "y": 2.34567, "ok": True, "none": None, "where": {"b": "it's", "a": []}, "items": "\\n\n"}
_CALLED = [_user("How warm?"), _assistant(None, tool_calls=[_call("get_weather", _ARGUMENTS, "c1"), _call("items", {}, "call_12345678")], thinking="Look."), {"role": "tool", "content": "21.5", "tool_call_id": "c1", "name": "get_weather"}, {"role": "tool", "content": "{\"a\": 1}", "tool_call_id": "call_12345678"}]
MODERN_TALKS: list[dict[str, object]] = [
    {"messages": [_user("Hello")], "add_generation_prompt": True},
    {"messages": [_SYSTEM, _user("Hello\nthere "), _assistant("<think>\nHm, so.\n</think>\n\nHi!"), _user("When?"), _assistant(" Now \n")]},
    {"messages": [_SYSTEM, _user("Hi")], "tools": _TOOLS, "add_generation_prompt": True, "enable_thinking": False},
    {"messages": _CALLED, "tools": _TOOLS, "add_generation_prompt": True},
    {"messages": [*_CALLED, _assistant("It is 21.5.", reasoning_content="\nTwo results.\n"), _user("Thanks")], "tools": _TOOLS[:1], "thinking": True},
    {"messages": [*_CALLED, _assistant("<think>Two.</think>It is warm.", thinking="Done")], "tools": []},
    {"messages": [_user("Run"), _assistant("I do.", tool_calls=[_call("run_code", "{\"code\": \"1 + 1\"}")]), {"role": "tool", "content": [{"type": "text", "text": "2"}, {"output": 2}]}], "tools": _TOOLS[2:]},
    {"messages": [_user(_PICTURE), _assistant([{"type": "text", "text": "A dog."}]), _user([{"type": "text", "text": "And"}, {"type": "video"}])], "add_vision_id": True, "add_generation_prompt": True},
    {"messages": [{"role": "system", "content": [{"type": "text", "text": "See."}]}, _user(_PICTURE)], "add_vision_id": False},
    {"messages": [{"role": "developer", "content": "Obey."}, _user(""), _assistant("")], "reasoning_effort": "high"},
    {"messages": [{"role": "system", "content": "/system_override Only this. /think"}, _user("What?"), _user("Who?"), {"role": "system", "content": "late"}], "documents": [{"doc_id": 1, "text": "é", "title": None}, {"doc_id": "b", "text": "two"}], "controls": {"citations": True, "length": "short"}, "add_generation_prompt": True},
    {"messages": [_user("a" * 50), _assistant("b", tool_calls=[]), {"role": "tool", "content": {"k": [1, 2.5]}}, {"role": "critic", "content": "c", "name": "Zoe"}]},
    {"messages": [], "add_generation_prompt": True},
    {"messages": [_user(None), _assistant(None)], "tools": _TOOLS, "sent_documents": {"value": False}},
]  # fmt: skip
