// procedures.cpp - the library procedures that C++ implements, by name, with their arguments and
// results.
//
//     ct_procedure("load-tensors", 1, {"model.safetensors"})  =>  a table of names and tensors
//
// They share one entry point: they are called a few times in a run, so none needs its own function
// in C and in Python.

#include "autograd/inference.h"
#include "data/data.h"
#include "errors/interrupts.h"
#include "distributed/distributed.h"
#include "files/files.h"
#include "files/neighbours.h"
#include "files/procedures.h"
#include "lispe/system.h"
#include "memory/pages.h"
#include "grammars/grammar.h"
#include "gguf/writer.h"
#include "images/images.h"
#include "tokenizers/huggingface.h"
#include "torchscript/inside.h"

#include <cstdlib>
#include <cstring>
#include <unordered_set>

namespace ct {

Owned &Owned::operator=(Owned &&other) noexcept
{
    ct_value_clear(&value_);
    value_ = other.take();
    return *this;
}

ct_value Owned::take() { return std::exchange(value_, ct_value{}); }

Owned Owned::tensor(at::Tensor &&x)
{
    if (!x.defined()) return {};
    return Owned({.kind = CT_TENSOR, .tensor = handle(std::move(x))});
}

/* In a result, i is how many bytes the text takes: it may hold a NUL. */
Owned Owned::text(ct_kind kind, const std::string &text)
{
    return Owned({.kind = kind, .i = static_cast<int64_t>(text.size()), .text = text_for_c(text)});
}

Owned Owned::object(ct_object *x) { return Owned({.kind = CT_OBJECT, .object = x}); }
Owned Owned::integer(int64_t i) { return Owned({.kind = CT_INT, .i = i}); }
Owned Owned::real(double f) { return Owned({.kind = CT_FLOAT, .f = f}); }
Owned Owned::boolean(bool on) { return Owned({.kind = CT_BOOL, .i = on}); }

Owned Owned::items(ct_kind kind, std::vector<Owned> items)
{
    Owned made;
    size_t count = items.empty() ? 1 : items.size();
    made.value_.items = static_cast<ct_value *>(std::calloc(count, sizeof(ct_value)));
    if (!made.value_.items) throw std::bad_alloc();
    made.value_.kind = kind;
    for (Owned &item : items) made.value_.items[made.value_.count++] = item.take();
    return made;
}

void wrong_kind(const char *noun, const ct_value &got)
{
    throw Failure{std::string("expected ") + noun + ", got " + shown(got), ""};
}

std::string ProcedureArguments::text(size_t k, const char *noun) const
{
    if (values[k].kind != CT_STRING) wrong_kind(noun, values[k]);
    return values[k].text;
}

const at::Tensor &ProcedureArguments::tensor(size_t k) const
{
    if (values[k].kind != CT_TENSOR) wrong_kind("a tensor", values[k]);
    return values[k].tensor->value;
}

bool ProcedureArguments::flag(size_t k) const { return values[k].kind != CT_BOOL || values[k].i; }

Named<const ct_value *> entries_of(const ct_value &table, const char *noun, const char *name_noun)
{
    if (table.kind != CT_TABLE && table.kind != CT_LIST) wrong_kind(noun, table);
    Named<const ct_value *> entries;
    std::unordered_set<std::string> seen;
    for (size_t k = 0; k + 1 < table.count; k += 2) {
        const ct_value &name = table.items[k];
        if (name.kind != CT_STRING && name.kind != CT_SYMBOL) wrong_kind(name_noun, name);
        if (!seen.insert(name.text).second)
            throw Failure{"the name " + in_quotes(name.text) + " is given twice", ""};
        entries.emplace_back(name.text, &table.items[k + 1]);
    }
    return entries;
}

Named<at::Tensor> named_tensors(const ct_value &table)
{
    Named<at::Tensor> tensors;
    for (const auto &[name, value] :
         entries_of(table, "an alist or a hash table", "a string or a symbol as a name")) {
        if (value->kind != CT_TENSOR)
            throw Failure{"expected a tensor for " + in_quotes(name) + ", got " + shown(*value), ""};
        tensors.emplace_back(name, value->tensor->value);
    }
    return tensors;
}

Owned table_of(Named<at::Tensor> &&entries)
{
    std::vector<Owned> items;
    Polls polls;
    for (auto &[name, tensor] : entries) {
        polls.step();
        items.push_back(Owned::text(CT_STRING, name));
        items.push_back(Owned::tensor(std::move(tensor)));
    }
    return Owned::items(CT_TABLE, std::move(items));
}

}  // namespace ct

namespace {

struct Entry {
    const char *name;
    size_t least;  // arguments
    ct::Owned (*call)(const ct::ProcedureArguments &given);
};

constexpr Entry PROCEDURES[] = {
    {"csv-dataset", 3, ct::csv_columns},
    {"data-loader", 1, ct::next_batch},
    {"decode-text", 2, ct::decode_text},
    {"encode-text", 3, ct::encode_text},
    {"read-table", 3, ct::csv_columns},
    {"start-batches", 5, ct::start_batches},
    {"all-token-bytes", 1, ct::tokenizer_bytes},
    {"bpe-tokenizer", 6, ct::make_tokenizer},
    {"count-ranks", 1, ct::count_ranks},
    {"generate", 5, ct::filter_by_grammar},
    {"grammar-begins?", 2, ct::match_grammar},
    {"grammar-matches?", 2, ct::match_grammar},
    {"grammar-state", 4, ct::advance_grammar},
    {"json-grammar", 2, ct::make_grammar},
    {"json-schema-grammar", 2, ct::make_grammar},
    {"make-grammar", 2, ct::make_grammar},
    {"token-table", 2, ct::make_token_table},
    {"gguf-sentencepiece", 5, ct::gguf_sentencepiece},
    {"gguf-token", 2, ct::gguf_token},
    {"gguf-tokenizer", 4, ct::gguf_tokenizer},
    {"load-bpe", 6, ct::load_bpe},
    {"load-tekken", 1, ct::load_tekken},
    {"load-tiktoken", 5, ct::load_ranks},
    {"load-tokenizer", 1, ct::load_tokenizer},
    {"load-word-pieces", 5, ct::load_word_pieces},
    {"pattern-matches?", 2, ct::pattern_matches},
    {"split-words", 2, ct::split_words},
    {"word-tokenizer", 6, ct::make_tokenizer},
    {"decode", 3, ct::tokenizer_decode},
    {"encode", 4, ct::tokenizer_encode},
    {"encode-batch", 6, ct::tokenizer_encode_batch},
    {"encode-pairs", 7, ct::tokenizer_encode_pairs},
    {"encode-offsets", 4, ct::tokenizer_encode_offsets},
    {"encode-tensor", 4, ct::tokenizer_encode_tensor},
    {"id->token", 2, ct::tokenizer_token},
    {"load-sentencepiece", 4, ct::load_sentencepiece},
    {"save-sentencepiece", 2, ct::save_sentencepiece},
    {"sentencepiece-ids", 1, ct::sentencepiece_ids},
    {"sentencepiece-tokenizer", 7, ct::make_sentencepiece},
    {"special-ids", 1, ct::tokenizer_specials},
    {"token->id", 2, ct::tokenizer_id},
    {"train-tokenizer", 1, ct::train_sentencepiece},
    {"vocabulary-size", 1, ct::tokenizer_size},
    {"take-gradients", 2, ct::take_gradients},
    {"weigh-gradients", 3, ct::weigh_gradients},
    {"autocast-dtype", 0, ct::autocast_dtype},
    {"end-recomputed-region", 0, ct::end_recomputed_region},
    {"enter-autocast", 1, ct::enter_autocast},
    {"enter-inference-mode", 0, ct::enter_inference_mode},
    {"inference-mode?", 0, ct::is_inference_mode},
    {"leave-inference-mode", 1, ct::leave_inference_mode},
    {"leave-autocast", 0, ct::leave_autocast},
    {"with-autocast", 1, ct::check_autocast},
    {"all-gather", 1, ct::all_gather},
    {"all-reduce", 1, ct::all_reduce},
    {"all-reduce!", 1, ct::all_reduce},
    {"averages-gradients?", 0, ct::averages_gradients},
    {"barrier", 1, ct::barrier},
    {"broadcast", 1, ct::broadcast},
    {"broadcast!", 1, ct::broadcast},
    {"data-parallel!", 1, ct::data_parallel},
    {"local-rank", 0, ct::distributed_local_rank},
    {"optimizer-step", 1, ct::share_parameters},
    {"rank", 0, ct::distributed_rank},
    {"reduce-scatter", 1, ct::reduce_scatter},
    {"sync-gradients", 1, ct::sync_gradients},
    {"with-distributed", 1, ct::with_distributed},
    {"world-size", 0, ct::distributed_world},
    {"available-devices", 0, ct::device_names},
    {"capture-graph", 1, ct::new_graph},
    {"graph-begin", 1, ct::begin_graph},
    {"graph-end", 1, ct::end_graph},
    {"graph-replay", 1, ct::replay_graph},
    {"device-cache-release!", 1, ct::release_device_cache},
    {"device-memory", 1, ct::device_memory},
    {"device-peak-reset!", 1, ct::reset_device_peak},
    {"device-properties", 1, ct::device_facts},
    {"device-synchronize", 1, ct::synchronize_device},
    {"generator-state", 1, ct::generator_state},
    {"generator?", 1, ct::is_generator_value},
    {"load-tensors", 1, ct::load_tensors},
    {"make-generator", 1, ct::make_generator},
    {"random-states", 0, ct::random_states},
    {"load-state", 2, ct::tensors_checksum},
    {"save-state", 2, ct::tensors_checksum},
    {"save-tensors", 3, ct::save_tensors},
    {"set-random-state!", 1, ct::set_random_states},
    {"tensors-metadata", 1, ct::tensors_metadata},
    {"converted", 2, ct::load_converted},
    {"give-back", 1, ct::give_back_tensor},
    {"join-neighbours", 2, ct::join_neighbours},
    {"give-back-unchanged", 1, ct::give_back_unchanged},
    {"open-gguf", 1, ct::open_gguf},
    {"gguf-metadata", 2, ct::gguf_metadata},
    {"gguf-value", 2, ct::gguf_value},
    {"gguf-tensors", 1, ct::gguf_tensors},
    {"gguf-tensor", 4, ct::gguf_tensor},
    {"gguf-packed", 3, ct::gguf_packed},
    {"gguf-blocks", 3, ct::gguf_blocks},
    {"save-gguf", 3, ct::save_gguf},
    {"load-image", 1, ct::load_image},
    {"save-image", 2, ct::save_image},
    {"resample-image", 4, ct::resample_image},
    {"load-npy", 1, ct::load_npy},
    {"save-npy", 2, ct::save_npy},
    {"load-npz", 1, ct::load_npz},
    {"save-npz", 3, ct::save_npz},
    {"load-state-dict", 1, ct::load_state_dict},
    {"load-module", 1, ct::load_module},
    {"module?", 1, ct::is_module},
    {"exported-program?", 1, ct::is_exported_program},
    {"call-module", 2, ct::call_module},
    {"call-module-method", 2, ct::call_module},
    {"module-methods", 1, ct::module_methods},
    {"module-parameters", 1, ct::module_parameters},
    {"module-buffers", 1, ct::module_buffers},
    {"call-module-with", 2, ct::call_module_with},
    {"module-states", 2, ct::module_states},
    {"move-module!", 2, ct::move_module},
    {"command", 1, ct::run_command},
    {"set-grad-enabled!", 1, ct::set_grad_enabled},
    {"module-train!", 1, ct::set_module_to_train},
    {"module-eval!", 1, ct::set_module_to_evaluate},
};

const Entry &named(const char *name)
{
    for (const Entry &entry : PROCEDURES)
        if (!std::strcmp(entry.name, name)) return entry;
    throw ct::Failure{"no such procedure", ""};
}

thread_local bool failed_at_file;

// Lets procedures poll in a scope.
struct Interruptible {
    const bool before = std::exchange(ct::may_be_interrupted, true);
    ~Interruptible() { ct::may_be_interrupted = before; }
};

}  // namespace

void ct::fail_system(const char *verb, const std::string &path, int error)
{
    failed_at_file = true;
    throw Failure{std::string("cannot ") + verb + " " + in_quotes(path) + ": " + std::strerror(error),
                  ""};
}

extern "C" {

int ct_procedure(const char *name, size_t count, const ct_value *arguments, ct_value *result)
{
    failed_at_file = false;
    Interruptible scope;
    return ct::guarded({}, [&] {
        const Entry &entry = named(name);
        if (count < entry.least) throw ct::Failure{"too few arguments", ""};
        *result = entry.call({count, arguments}).take();
    });
}

void ct_set_poll(const volatile int *waits, ct_poll poll)
{
    ct::interrupt_poll = poll;
    ct::interrupt_waits = waits;
}

bool ct_failed_at_file(void) { return failed_at_file; }

}  // extern "C"
