#!/bin/bash
# run.sh [SECONDS [STEP...]]: Lambent on a machine with a GPU.  It builds ctorch for the torch that
# Python has there, runs programs as scripts and executables, and measures them beside PyTorch.
#
#     bash tests/gpu/run.sh 450                  all steps that fit into that time
#     bash tests/gpu/run.sh 200 kernels decode   these
#
# Python must have torch; lark, cffi and pycparser are taken from wheels in .whl if it has not.
# KIND="plain compile transformers" names the loops of decode.py to compare with.  Results and logs go to $OUT (gpu-out).  What is
# built stays in $WORK (gpu-work).  DEVICE=cpu QUICK=1 tries the script without a GPU.
begun=$(date +%s); limit=${1:-450}; shift
root=$(cd "$(dirname "$0")/../.." && pwd); here=$root/tests/gpu
DEVICE=${DEVICE:-cuda} QUICK=${QUICK:-} OUT=${OUT:-$PWD/gpu-out} WORK=${WORK:-$PWD/gpu-work} PYTHON=${PYTHON:-python3}
mkdir -p "$OUT" "$WORK/package/lambent" "$WORK/bin"
export PYTHONUNBUFFERED=1 LAMBENT_CACHE=${LAMBENT_CACHE:-$WORK/cache} PYTHONWARNINGS=ignore
export TORCHINDUCTOR_COMPILE_THREADS=4 TORCHINDUCTOR_CACHE_DIR=$WORK/inductor HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
export PYTHONPATH=$WORK/package:$WORK/site${PYTHONPATH:+:$PYTHONPATH}
lambent=$WORK/lambent log=$OUT/log.txt
if [ -z "$IS_LOGGED" ]; then  # `wait` would wait for a process substitution, too
  export IS_LOGGED=1; set -o pipefail; bash "$0" "$limit" "$@" 2>&1 | tee -a "$OUT/summary.txt"; exit
fi

now() { echo $(($(date +%s) - begun)); }
left() { echo $((limit - $(now))); }

# go SECONDS LINES COMMAND...: run it; its last lines are printed, and all goes to the log.
go() {
  local seconds=$1 lines=$2 output; shift 2; output=$(mktemp)
  timeout -k 5 "$seconds" "$@" > "$output" 2>&1; local status=$?
  { echo "\$ $*"; cat "$output"; echo "status $status"; } >> "$log"
  grep -v "^Loading weights\|^\[transformers\]\|it/s\]" "$output" | tail -n "$lines" | cut -c1-300 | sed 's/^/  /'
  [ $status -ne 0 ] && echo "  ** status $status: $*" | cut -c1-160
  rm "$output"; return $status; }

setup() {
  nvidia-smi -L 2>/dev/null
  $PYTHON -c 'import sys, torch; print(sys.version.split()[0], torch.__version__)'; g++ --version | head -1; nproc
  local part; for part in lang runtime ctorch stdlib; do ln -sfn "$root/$part" "$WORK/package/lambent/$part"; done
  ln -sfn "$root/lang/package/__init__.py" "$WORK/package/lambent/__init__.py"
  [ -d "$root/.whl" ] && $PYTHON -m pip install -q --no-index --no-deps --no-compile --upgrade --target "$WORK/site" "$root"/.whl/*.whl 2>&1 | grep -v WARN
  printf '#!/bin/sh\nexec env --block-signal=INT %s -P -c "from lambent.lang.command import main; main()" "$@"\n' "$(command -v "$PYTHON")" > "$lambent"; chmod +x "$lambent"; }

build() {
  local start; start=$(date +%s)
  ( timeout 200 "$PYTHON" "$here/make_models.py" "$WORK/models" "$DEVICE" T $([ -n "$QUICK" ] || echo M L) > "$WORK/models.log" 2>&1 ) & local models=$!
  go 290 4 "$PYTHON" -c "from lambent.ctorch import build; print(build.built())"
  echo "  ctorch built in $(($(date +%s) - start)) s"
  go 60 6 "$lambent" -e '(print (map device-properties (available-devices)))'; wait $models; cat "$WORK/models.log"; }

executables() {  # the first alone: it builds the runtime, for which the others would wait
  go 120 3 "$lambent" compile "$here/hello.lisp" -o "$WORK/bin/hello"
  local name names="${NAMES:-decode train features language_model memory tiny crash cpu_only kernels}"
  for name in $names; do
    ( timeout 200 "$lambent" compile "$here/$name.lisp" -o "$WORK/bin/$name" > "$WORK/bin/$name.log" 2>&1 || { echo "** $name does not compile"; tail -3 "$WORK/bin/$name.log"; } ) &
  done; wait; }

# both NAME LINES ARGUMENT...: as script and as executable; what differs is printed.
both() {
  local name=$1 lines=$2; shift 2
  ( timeout 90 "$lambent" "$here/$name.lisp" "$DEVICE" "$@" > "$WORK/$name.script" 2>&1; echo "status $?" >> "$WORK/$name.script" ) &
  ( timeout 90 "$WORK/bin/$name" "$DEVICE" "$@" > "$WORK/$name.executable" 2>&1; echo "status $?" >> "$WORK/$name.executable" ) & wait
  { echo "== $name"; cat "$WORK/$name.script"; } >> "$log"; cp "$WORK/$name.script" "$OUT/"
  grep "ERROR\|DIFFERS\|status" "$WORK/$name.script" | cut -c1-260 | sed 's/^/  /'; tail -n "$lines" "$WORK/$name.script" | cut -c1-300 | sed 's/^/  /'
  diff "$WORK/$name.script" "$WORK/$name.executable" > "$WORK/$name.diff" && echo "  $name: the executable prints the same" || { echo "  $name: the executable differs"; grep '^[<>]' "$WORK/$name.diff" | head -8 | cut -c1-200; }; }

kernels() { both kernels 3; }
crash() { [ "$DEVICE" = cpu ] || both crash 20; }
memory() {  # one after the other: each takes all of the memory
  [ "$DEVICE" = cpu ] && return
  go 60 8 "$lambent" "$here/memory.lisp" "$DEVICE"; go 60 8 "$WORK/bin/memory" "$DEVICE"; }
features() { mkdir -p "$WORK/features"; both features 0 "$WORK/features"; both language_model 0 "$WORK/language-model"; }

starts() {
  local command
  for command in "$WORK/bin/cpu_only" "$WORK/bin/hello $DEVICE" "$lambent $here/cpu_only.lisp" "$lambent $here/hello.lisp $DEVICE"; do
    echo "  ms $(for k in 1 2 3 4 5; do s=$(date +%s%N); $command > /dev/null 2>&1; echo $((($(date +%s%N) - s) / 1000000)); done | sort -n | tr '\n' ' '): ${command//$root\/}"; done
  go 60 1 "$PYTHON" -c "import time; s = time.time(); import torch; torch.ones(2, device='$DEVICE').sum().item(); print('python with torch, s', round(time.time() - s, 2), 'and its own start')"; }

tiny() {
  local count=${QUICK:+50}; count=${count:-20000}
  echo "  script:"; go 60 9 "$lambent" "$here/tiny.lisp" "$DEVICE" "$count"
  echo "  executable:"; go 60 9 "$WORK/bin/tiny" "$DEVICE" "$count"
  echo "  torch:"; go 60 9 "$PYTHON" "$here/tiny.py" "$DEVICE" "$count"; }

decode() {
  local model tokens=${QUICK:+4}; tokens=${tokens:-64}
  for model in ${QUICK:+T} ${QUICK:-${MODELS:-M L}}; do
    [ -d "$WORK/models/$model" ] || continue
    echo " $model, executable:"; go 80 9 "$WORK/bin/decode" "$DEVICE" "$WORK/models/$model" "$tokens"
    [ -n "$KIND" ] && for kind in $KIND; do echo " $model, torch $kind:"; go 90 6 "$PYTHON" "$here/decode.py" "$DEVICE" "$WORK/models/$model" "$tokens" "$kind"; done
  done; }

train() {
  local model steps
  for model in ${QUICK:+mlp} ${QUICK:-${TRAININGS:-mlp cnn gpt gptbig}}; do
    [ "$model" = 1 ] && continue
    case $model in mlp | cnn) steps=300 ;; gpt) steps=50 ;; *) steps=10 ;; esac; [ -n "$QUICK" ] && steps=3
    echo " $model, executable:"; go 60 2 "$WORK/bin/train" "$DEVICE" $model $steps
    echo " $model, executable, a captured graph:"; go 60 2 "$WORK/bin/train" "$DEVICE" $model $steps graph
    echo " $model, torch:"; go 60 2 "$PYTHON" "$here/train.py" "$DEVICE" $model $steps eager
  done; }

# Both take all cores and measure no time.
executables_and_programs() { executables & programs; wait; }

programs() {
  local seconds=${PROGRAM_SECONDS:-$(($(left) - 15))}
  go $((seconds + 10)) 30 "$PYTHON" "$here/programs.py" "$lambent" "$root/tests/programs" "$DEVICE" "${JOBS:-$(nproc)}" "$WORK/programs" $((seconds - 20)) ${EXECUTABLES:-all}
  cp "$WORK/programs/report.txt" "$OUT/programs.txt" 2>/dev/null; }

for step in ${*:-setup build executables_and_programs kernels crash memory features starts tiny decode train}; do
  [ "$(left)" -lt 15 ] && { echo "-- $step is left out ($(now) s)"; continue; }
  echo "== $step ($(now) s)"; echo "== $step" >> "$log"; $step
done
echo "== end ($(now) s)"; sleep 0.5
