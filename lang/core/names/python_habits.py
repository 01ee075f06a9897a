"""Hints for what Python's users type out of habit, where a single name shows it.

    dim=1                             =>  write ... :dim 1 for a keyword argument
    self.up                           =>  write up: the fields of a module are variables in forward
    loss.backward                     =>  write (backward loss)
    AutoTokenizer.from_pretrained     =>  write (load-tokenizer folder)

Methods of tensors follow PyTorch's names (`pytorch_names.py`); these are the methods of models,
optimizers, tokenizers and containers, whose receiver can be anything.
"""

import re
from functools import cache

from lambent.lang.core.names.pytorch_names import rows

_MODULES = frozenset(["torch", "np", "numpy", "pd", "F", "nn", "optim", "math", "os", "sys"])

_METHODS = """
backward = (backward _)
step = (optimizer-step _), or (schedule-step! _) for a schedule
zero_grad = (zero-grad _)
train = (train-mode! _)
eval = (eval-mode! _)
forward = (_ x)
parameters = (parameters _)
named_parameters = (named-parameters _)
modules named_modules = (named-modules _)
state_dict = (state-dict _)
load_state_dict = (load-state-dict! _ state)
save_pretrained = (save-llm _ folder :tokenizer tokenizer)
from_pretrained = (load-llm folder) or (load-tokenizer folder)
generate = (generate _ tokenizer prompt :max-tokens 50)
config = (model-config _)
encode = (encode _ text)
decode batch_decode = (decode _ ids)
tokenize = (encode _ text)
vocab_size = (vocabulary-size _)
eos_token_id = (eos-ids _)
apply_chat_template = (apply-chat-template _ messages)
fit = (fit _ data :optimizer optimizer :loss loss)
append = (set! _ (append _ (list x)))
items = (hash->list _)
keys = (hash-keys _)
values = (hash-values _)
format = (format "~a" x) or (string x ...)
"""

_NAMES = """
AutoModelForCausalLM.from_pretrained AutoModel.from_pretrained = (load-llm folder)
AutoTokenizer.from_pretrained = (load-tokenizer folder)
pipeline transformers.pipeline = (generate model tokenizer prompt)
GenerationConfig = (generation-settings :max-tokens 50)
BitsAndBytesConfig = (load-llm folder :bits 8), or 4, or 'nf4
GPTQConfig AwqConfig CompressedTensorsConfig = (load-llm folder)
Linear4bit = (code-linear in out)
prepare_model_for_kbit_training = (lora! model :targets '("q_proj"))
LoraConfig get_peft_model = (lora! model :targets '("q_proj"))
SentenceTransformer AutoModelForMaskedLM.from_pretrained = (load-encoder folder)
CrossEncoder AutoModelForSequenceClassification.from_pretrained = (load-classifier folder)
AutoModelForTokenClassification.from_pretrained = (load-classifier folder)
AutoModelForQuestionAnswering.from_pretrained = (load-classifier folder)
AutoModelForImageClassification.from_pretrained = (load-vision-model folder)
AutoModelForObjectDetection.from_pretrained = (load-vision-model folder)
CLIPModel.from_pretrained ViTModel.from_pretrained = (load-vision-model folder)
AutoImageProcessor.from_pretrained = (load-image-processor folder)
DDIMScheduler EulerDiscreteScheduler = (load-sampler folder steps), (new-sampler settings steps)
DPMSolverMultistepScheduler = (load-sampler folder steps), (new-sampler settings steps)
json_schema guidance outlines = (json-schema-grammar schema)
shuffle = (tensor-randperm n) has the numbers below n in a random order; loaders take :shuffle #t
end= sep= = (display x), which does not end the line
then = (if test a b): the parts of if need no words between them
{ } = (hash-table key value ...)
: = a keyword begins with its colon, without a space, as in :dim 0
else => = else and => are words of cond, case and guard: (cond (test a) (else b))
"""

# `x++`, `++x` and `x+=2`
_COUNTED = (
    re.compile(r"(?P<name>[^\W\d]\w*)(?P<operator>[-+])(?P=operator)"),
    re.compile(r"(?P<operator>[-+])(?P=operator)(?P<name>[^\W\d]\w*)"),
    re.compile(r"(?P<name>[^\W\d]\w*)(?P<operator>[-+*/])=(?P<by>[\w.]*)"),
)

# What stands for a keyword argument in other languages, without an equals sign.
_ARGUMENTS = frozenset(
    ["dim", "axis", "dims", "keepdim", "keepdims", "dtype", "device", "lr", "requires_grad",
     "end", "sep", "key", "reverse", "default", "batch_size", "weight_decay"]
)  # fmt: skip


def habit_advice(name: str) -> str | None:
    """What to write instead of a name that only Python gives a meaning."""
    if advice := _names().get(name):
        return advice
    if name in _ARGUMENTS:
        return f"a keyword argument begins with a colon: :{name.replace('_', '-')} value"
    if name.startswith("{"):
        return _names()["{"]
    if advice := _counted(name):
        return advice
    before, equals, value = name.partition("=")
    if equals and before.replace("_", "").isalnum() and not value.startswith("="):
        value = value or "value"
        argument = f":{before.replace('_', '-')} {value}"
        return f"(define {before} {value}) for a variable, {argument} for a keyword argument"
    return None


def _counted(name: str) -> str | None:
    """The assignment that `x++`, `--x` and `x+=2` stand for, and `++`, which may precede x."""
    if name in ("++", "--"):
        return f"(set! x ({name[0]} x 1))"
    for pattern in _COUNTED:
        if match := pattern.fullmatch(name):
            variable, by = match["name"], match.groupdict().get("by") or "1"
            return f"(set! {variable} ({match['operator']} {variable} {by}))"
    return None


def method_advice(name: str) -> str | None:
    """The call that stands for a method of a model, an optimizer, a tokenizer or a container."""
    receiver, dot, method = name.rpartition(".")
    if not dot or receiver in _MODULES:
        return None
    if text := _methods().get(method):
        return text.replace("_", receiver or "x")
    if receiver == "self":
        return f"write {method}: the fields of a module are variables in forward"
    return None


@cache
def habits_table() -> dict[str, str]:
    """What to write, by name, and by method with `_` for its receiver."""
    return {**_names(), **{f"_.{method}": text for method, text in _methods().items()}}


@cache
def _names() -> dict[str, str]:
    return rows(_NAMES)


@cache
def _methods() -> dict[str, str]:
    return rows(_METHODS)
