"""What to write for PyTorch's names: hints for users who type them, and docs/from-pytorch.md.

    torch.add, F.relu, tensor_add, Tensor.add_   =>  did you mean tensor-add?
    torch.no_grad                                =>  write (no-grad body ...)
    torch.compile                                =>  `lambent compile FILE` makes an executable

Only unbound names are looked up.  Most follow one rule (`lisp_name`); the others are in the table,
with what to write instead.  A test compares it with the installed PyTorch: every public function
has an operator, a procedure or a row.
"""

import re
from functools import cache
from pathlib import Path

from lambent.lang.core.names.pytorch_modules import MODULES

_NOTES = Path(__file__).parents[2] / "reference" / "operator_notes.lisp"
# PyTorch's names, and what to write.
_TABLE = """
None = #f
True = #t
False = #f
torch.tensor torch.Tensor torch.FloatTensor torch.LongTensor torch.from_numpy torch.asarray
  torch.frombuffer torch.from_dlpack = (tensor data) or (tensor-as-tensor data)
torch.is_tensor = (tensor? x)
torch.float16 torch.half torch.bfloat16 torch.float32 torch.float torch.float64 torch.double
  torch.complex64 torch.complex128 torch.uint8 torch.int8 torch.int16 torch.short torch.int32
  torch.int torch.int64 torch.long torch.bool = a quoted name, such as 'float32
torch.finfo torch.iinfo
  = Lisp's own numbers: doubles hold about 16 digits, integers have no bounds
torch.Size = (tensor-shape x) returns a list
torch.device = the device's name as a string, "cpu" or "cuda:0"
torch.Generator torch.thread_safe_generator = (make-generator seed)
torch.manual_seed torch.random.manual_seed torch.cuda.manual_seed = (manual-seed n)
torch.seed torch.initial_seed torch.get_rng_state torch.set_rng_state
  = (manual-seed n), or (make-generator seed) for :generator
torch.no_grad torch.set_grad_enabled = (no-grad body ...)
torch.inference_mode = (inference-mode body ...)
torch.enable_grad = (with-grad body ...)
torch.is_grad_enabled = (grad-enabled?)
torch.is_inference_mode_enabled = (inference-mode?)
torch.autograd.grad = (gradients y xs)
torch.autograd.backward = (backward loss)
torch.autograd.Function = (custom-gradient forward backward)
torch.utils.checkpoint.checkpoint = (recompute f x ...)
torch.autograd.set_detect_anomaly torch.autograd.detect_anomaly torch.set_anomaly_enabled
  torch.is_anomaly_enabled torch.is_anomaly_check_nan_enabled = (detect-anomaly! #t)
torch.func.grad = ((grad f) x ...)
torch.func.grad_and_value = ((value-and-grad f) x ...)
torch.func.vmap torch.vmap = ((vmap f) x ...)
torch.func.jacrev torch.func.jacfwd torch.autograd.functional.jacobian = ((jacobian f) x ...)
torch.func.hessian torch.autograd.functional.hessian = ((hessian f) x ...)
torch.func.vjp torch.autograd.functional.vjp = (vjp f x ...)
torch.func.jvp torch.autograd.functional.jvp = (jvp f xs directions)
torch.set_num_threads torch.set_num_interop_threads torch.init_num_threads = (set-num-threads n)
torch.get_num_threads torch.get_num_interop_threads
  = the number of threads cannot be read; (set-num-threads n) sets it
torch.set_default_device = (set-default-device! device) or (with-device device body ...)
torch.get_default_device = (default-device)
torch.set_default_dtype torch.get_default_dtype torch.set_default_tensor_type
  = :dtype where a tensor is created; without it, floats become float32
torch.cuda.is_available torch.accelerator.is_available = (cuda-available?)
torch.cuda.device_count torch.accelerator.device_count = (available-devices)
torch.cuda.synchronize torch.accelerator.synchronize torch.cuda.current_stream
  = (device-synchronize "cuda")
torch.cuda.empty_cache torch.accelerator.empty_cache = (device-cache-release! "cuda")
torch.cuda.memory_allocated torch.cuda.max_memory_allocated torch.cuda.memory_reserved
  torch.cuda.memory_stats torch.cuda.memory_summary torch.cuda.mem_get_info
  torch.accelerator.memory_allocated torch.accelerator.max_memory_allocated
  = (device-memory "cuda")
torch.cuda.reset_peak_memory_stats torch.accelerator.reset_peak_memory_stats
  = (device-peak-reset! "cuda")
torch.cuda.get_device_name torch.cuda.get_device_properties torch.cuda.get_device_capability
  = (device-properties "cuda")
torch.get_device_module = (cuda-available?), and "cuda" as a device
torch.save = (save-tensors path table) or (save-model path model)
torch.load = (load-tensors path), or (load-state-dict path) for what torch.save wrote
torch.jit.load = (load-module path)
torch.jit.script torch.jit.trace torch.compile = `lambent compile FILE` makes an executable
torch.set_printoptions = (write x) shows all elements and digits, (print x) rounds to four
torch.typename = (tensor-dtype x)
torch.cond torch.while_loop = (if test then else), a named let, or (dotimes (i n) body ...)
torch.fork torch.wait = nothing: programs have one thread, operators use several
torch.spmm torch.dsmm torch.hsmm torch.saddmm
  = (tensor-matmul a b), or (tensor-private--sparse-mm a b)
torch.lobpcg = (tensor-linalg-eigh x)
torch.eig torch.symeig Tensor.eig Tensor.symeig = (tensor-linalg-eig x) or (tensor-linalg-eigh x)
torch.lstsq torch.solve Tensor.lstsq Tensor.solve
  = (tensor-linalg-lstsq a b) or (tensor-linalg-solve a b)
torch.matrix_rank = (tensor-linalg-matrix-rank x)
torch.sym_float torch.sym_int torch.sym_ite torch.sym_max torch.sym_min torch.sym_not
  torch.sym_sqrt torch.sym_sum torch.sym_fresh_size = Lisp's own numbers: sizes are plain integers
torch.autocast torch.amp.autocast torch.cuda.amp.autocast torch.cpu.amp.autocast autocast
  torch.set_autocast_enabled torch.set_autocast_dtype
  torch.autocast_increment_nesting torch.autocast_decrement_nesting
  torch.set_autocast_cpu_dtype torch.set_autocast_cpu_enabled torch.set_autocast_gpu_dtype
  torch.set_autocast_ipu_dtype torch.set_autocast_ipu_enabled torch.set_autocast_xla_dtype
  torch.set_autocast_xla_enabled = (with-autocast 'bfloat16 body ...)
torch.is_autocast_enabled torch.get_autocast_dtype torch.get_autocast_cpu_dtype
  torch.get_autocast_gpu_dtype torch.get_autocast_ipu_dtype torch.get_autocast_xla_dtype
  torch.is_autocast_cpu_enabled torch.is_autocast_ipu_enabled torch.is_autocast_xla_enabled
  = (autocast-dtype)
torch.clear_autocast_cache torch.is_autocast_cache_enabled torch.set_autocast_cache_enabled
  = nothing: the outermost with-autocast clears its cache at its end
torch.use_deterministic_algorithms torch.set_deterministic_debug_mode torch.set_warn_always
  torch.get_deterministic_debug_mode torch.are_deterministic_algorithms_enabled
  torch.is_deterministic_algorithms_warn_only_enabled torch.is_warn_always_enabled
  torch.set_float32_matmul_precision torch.get_float32_matmul_precision torch.set_flush_denormal
  = nothing: LibTorch's defaults apply
Tensor.numpy Tensor.__array__ torch.to_dlpack
  = (tensor->list x) for numbers, (save-npy path x) for a file
Tensor.storage Tensor.untyped_storage Tensor.storage_type Tensor.data_ptr Tensor.const_data_ptr
  torch.is_storage Tensor.share_memory_ Tensor.is_shared
  = (tensor-as-strided x size stride) for other views; storages are not shown
Tensor.register_hook Tensor.register_post_accumulate_grad_hook Tensor.reinforce
  = (custom-gradient forward backward)
Tensor.new = (tensor-new-empty x size) or (tensor-new-tensor x data)
Tensor.map2_ = (tensor-map! x y f)
Tensor.requires_grad = (requires-grad? x)
Tensor.grad_fn = (requires-grad? x), (tensor-leaf? x)
Tensor.grad = (tensor-grad x)
Tensor.names = dimensions have numbers, not names
Tensor.dim_order = (tensor-layout x)
Tensor.as_subclass Tensor.module_load = nothing: tensors have one type
Tensor.ipu Tensor.xpu Tensor.mtia = (tensor-to x device)
Tensor.is_cpu Tensor.is_cuda Tensor.is_ipu Tensor.is_maia Tensor.is_meta Tensor.is_mps
  Tensor.is_mtia Tensor.is_vulkan Tensor.is_xla Tensor.is_xpu = (tensor-device x)
Tensor.grad_dtype = (tensor-dtype (tensor-grad x))
Tensor.name Tensor.volatile = nothing: tensors have neither names nor such a flag
init.calculate_gain = (calculate-gain "relu")
Tensor.__getitem__ = (tensor-ref x i ...)
Tensor.__setitem__ = (tensor-set! x i ... value)
F.scaled_mm F.scaled_grouped_mm = (tensor-private--scaled-mm a b ...)
F.grouped_mm = (tensor-private--grouped-mm a b ...)
torch.amp.GradScaler torch.cuda.amp.GradScaler GradScaler
  = (loss-scaler); (with-autocast 'bfloat16 body ...) needs none
tqdm tqdm.tqdm tqdm.auto.tqdm trange = (do-progress (x items) body ...)
SummaryWriter torch.utils.tensorboard.SummaryWriter tensorboardX.SummaryWriter
  = (training-log "run.csv"), then (log-write! log row)
DDP = (data-parallel! model), inside with-distributed
torch.distributed.optim.ZeroRedundancyOptimizer ZeroRedundancyOptimizer
  = (data-parallel! model :shard-optimizer optimizer)
bf16_compress_hook = (data-parallel! model :compress 'bfloat16)
fp16_compress_hook = (data-parallel! model :compress 'float16)
FSDP FullyShardedDataParallel = (data-parallel! model): parameters are not sharded
nn.Module = define-module: docs/models.md shows how
nn.Sequential = (sequential layer ...)
nn.Linear = (linear in out)
nn.ReLU = (relu), or any procedure of a tensor, such as tensor-relu
nn.Flatten = (flatten)
nn.Parameter nn.parameter.Parameter = a tensor in a field of a module that is marked :parameter;
  (requires-grad! x) elsewhere
nn.CrossEntropyLoss = (cross-entropy logits targets)
nn.MSELoss = (mse-loss predictions targets)
optim.SGD torch.optim.SGD = (sgd parameters :lr 0.1)
"""

_SPACES = re.compile(
    r"^(?:torch\.nn\.functional|nn\.functional|functional|F|torch\.nn\.init|nn\.init|init"
    r"|torch\.Tensor|Tensor|torch|at|aten|np|numpy|tf)\.(?=.)"
)
_FAMILIES = re.compile(r"^(linalg|fft|special|sparse)\.")


def lisp_name(name: str) -> str:
    """The operator or procedure that a function of PyTorch becomes by the rule.

    torch.index_select, Tensor.add_, torch.linalg.norm
    =>  tensor-index-select, tensor-add!, tensor-linalg-norm
    """
    base = _FAMILIES.sub(r"\1_", _SPACES.sub("", name))
    base = re.sub(r"^(?:tensor|torch)[_-](?=.)", "", base)
    in_place = base.endswith("_") and not base.endswith("__")
    base = base.removesuffix("_") if in_place else base
    private = "private-" if base.startswith("_") else ""
    return f"tensor-{private}{base.replace('_', '-')}" + ("!" if in_place else "")


# Methods and attributes by which a tensor is known, whatever its name is: x.shape, loss.item.
_OF_TENSORS = frozenset(
    ["T", "argmax", "backward", "clone", "cpu", "cuda", "detach", "device", "dim", "dtype", "float",
     "grad", "item", "max", "mean", "min", "ndim", "numel", "numpy", "permute", "requires_grad",
     "reshape", "shape", "size", "squeeze", "sum", "to", "tolist", "transpose", "unsqueeze", "view"]
)


def is_tensor_method(name: str) -> bool:
    """Whether it is the name of a method or an attribute that says that its owner is a tensor."""
    return name in _OF_TENSORS


def looks_like_pytorch(name: str) -> bool:
    """Whether it is spelt like a function of PyTorch: torch.add, F.relu, tensor_add."""
    return bool(_SPACES.match(name) or re.match(r"^(?:tensor|torch)_\w", name))


def is_of_pytorch(name: str) -> bool:
    """Whether it is spelt like any name of PyTorch: torch.hub.load, nn.Conv2d."""
    return bool(re.match(r"^(?:torch|nn|optim|torchvision|torchaudio)\.", name))


@cache
def well_known_operators() -> frozenset[str]:
    """The most used operators, as in PyTorch and as in Lisp: matmul, index_add, index-add."""
    names = re.findall(r"^;; tensor-(\S+?)!?: ", _NOTES.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset([*names, *(name.replace("-", "_") for name in names)])


def advice(name: str) -> str | None:
    """What to write instead of a name of PyTorch that is not an operator.

    Short forms count, too: torch.no_grad, no_grad, tensor-numpy.
    """
    return _advice().get(name) or _advice().get(name.removeprefix("torch."))


def module_advice(name: str) -> str | None:
    """The same for classes and helpers without their module: Conv2d, DataLoader."""
    if not (name[0].isupper() or name.endswith("_")):
        return None
    spaces = (
        "nn", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.nn.utils",
        "torch.nn.parallel", "torch.utils.data", "torch",
    )
    return next((text for space in spaces if (text := advice(f"{space}.{name}"))), None)


@cache
def _advice() -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, text in pytorch_table().items():
        for known in (name, *_short_forms(name)):
            texts.setdefault(known, text)
    return texts


def _short_forms(name: str) -> list[str]:
    """torch.jit.load is jit.load; Tensor.numpy tensor-numpy; nn.Linear torch.nn.Linear."""
    space, _, base = name.rpartition(".")
    match space:
        case "":
            return []
        case "Tensor":
            return [f"torch.{name}", lisp_name(name)]
        case "nn" | "optim":
            return [f"torch.{name}"]
        case "F":
            return [f"torch.nn.functional.{base}", f"nn.functional.{base}", lisp_name(name)]
        case "torch":
            return [base, lisp_name(name)] if "_" in base else [lisp_name(name)]
        case _:
            return [name.removeprefix("torch.")]


@cache
def pytorch_table() -> dict[str, str]:
    """What to write, by PyTorch's name, in the table's order."""
    return rows(_TABLE + MODULES)


def rows(table: str) -> dict[str, str]:
    """A table's rows, `name ... = text`, with a row for each name."""
    texts: dict[str, str] = {}
    for row in re.split(r"\n(?=\S)", table.strip()):
        names, text = re.split(r"\s= ", row, maxsplit=1)
        for name in names.split():
            texts[name] = " ".join(text.split())
    return texts


# Operators whose order of arguments, or whose results, differ from the function's in
# torch.nn.functional.
_DIFFERENT = """
F.embedding = (tensor-embedding weight indices): the weight goes first, unless :input names them
F.embedding_bag = (tensor-embedding-bag weight indices offsets): the weight goes first, and the list
  of results has more than the bags, unless :mode or other names of F's are given
F.batch_norm F.instance_norm = all of ATen's arguments in ATen's order, or fewer in F's
F.max_unpool2d F.max_unpool3d = the third argument is the size of the result, unless :kernel-size
  names it
F.adaptive_max_pool1d F.adaptive_max_pool2d F.adaptive_max_pool3d = a list of maxima and indices,
  unless :return-indices #f is given
F.unfold = (tensor-unfold x kernel-size ...) is F's, (tensor-unfold x dim size step) the method
torch.tensordot = (tensor-tensordot a b 2), or the dims of each: (tensor-tensordot a b '(1) '(0))
torch.unique_consecutive Tensor.unique_consecutive = always a list of values, inverse and counts
Tensor.where = (tensor-where condition x y), as torch.where
Tensor.polygamma = (tensor-polygamma n x), as torch.polygamma
"""


@cache
def different_orders() -> dict[str, str]:
    """The differences of operators whose names follow the rule."""
    return rows(_DIFFERENT)
