// tensors.cpp - the tensors of a GGUF file: mapped, as floats, or repacked for our kernels.
//
//     F32, F16, BF16      mapped as they are, or converted to a dtype row by row
//     Q8_0, Q4_0, Q4_1    repacked without loss: the same integers in another order
//     Q4_K                repacked; the products of its scales are rounded to float16
//     IQ4_NL, IQ4_XS, MXFP4   repacked as 8 bits: their levels are integers; IQ4_XS is rounded as Q4_K
//     TQ1_0, TQ2_0        repacked as 4 bits
//     the others          floats
//
// llama.cpp stores the rows of a Llama's queries and keys in another order: each head's rotated
// pairs are neighbours.  `heads` says how many heads there are, and restores the order.

#include "gguf/gguf.h"
#include "gguf/small_types.h"
#include "quantize/parallel.h"
#include "quantize/quantize.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <cstring>

namespace {

using namespace ct;

constexpr int64_t ROWS_EACH_THREAD = 16;

const GgufTensor &tensor_named(const Gguf &gguf, const std::string &name)
{
    auto found = gguf.names.find(name);
    if (found == gguf.names.end())
        fail_about(gguf.file->path, "it has no tensor " + in_quotes(name));
    return gguf.tensors[found->second];
}

int64_t columns_of(const GgufTensor &tensor)
{
    return tensor.sizes.empty() ? 1 : tensor.sizes.back();
}

int64_t rows_of(const GgufTensor &tensor)
{
    int64_t rows = 1;
    for (size_t k = 0; k + 1 < tensor.sizes.size(); k++) rows *= tensor.sizes[k];
    return rows;
}

// Which row of the file is row r, if the rows of that many heads were permuted.
struct RowOrder {
    int64_t heads, rows;

    int64_t operator()(int64_t r) const
    {
        if (!heads) return r;
        int64_t size = rows / heads, within = r % size;
        return r - within + within % (size / 2) * 2 + within / (size / 2);
    }
};

RowOrder order_of(const Gguf &gguf, const GgufTensor &tensor, const ct_value &heads)
{
    int64_t count = heads.kind == CT_INT ? heads.i : 0, rows = rows_of(tensor);
    // A bias is a vector, whose elements are in the order of the rows.
    if (count && (count < 0 || rows % count || rows / count % 2))
        fail_about(gguf.file->path, "tensor " + in_quotes(tensor.name) + " of " +
                                        shape_text(tensor.sizes) + " does not have " +
                                        std::to_string(count) + " heads");
    return {count, rows};
}

const uint8_t *row_at(const Gguf &gguf, const GgufTensor &tensor, int64_t row)
{
    int64_t bytes = columns_of(tensor) / tensor.type->elements * tensor.type->bytes;
    return reinterpret_cast<const uint8_t *>(gguf.file->data) + tensor.from + row * bytes;
}

void read_floats(const GgufTensor &tensor, const uint8_t *row, float *out)
{
    int64_t blocks = columns_of(tensor) / tensor.type->elements;
    for (int64_t k = 0; k < blocks; k++)
        tensor.type->dequantize(row + k * tensor.type->bytes, out + k * tensor.type->elements);
}

template <class Element>
void store(const float *from, int64_t count, Element *to)
{
    for (int64_t k = 0; k < count; k++) to[k] = static_cast<Element>(from[k]);
}

at::Tensor floats_of(const Gguf &gguf, const GgufTensor &tensor, const RowOrder &order,
                     at::ScalarType dtype)
{
    at::Tensor made = at::empty(tensor.sizes, at::TensorOptions().dtype(dtype).device(at::kCPU));
    if (!made.numel()) return made;  // its rows may be more than can be counted through
    int64_t columns = columns_of(tensor);
    auto *out = static_cast<char *>(made.mutable_data_ptr());
    int64_t row_bytes = columns * static_cast<int64_t>(made.element_size());
    parallel_ranges(rows_of(tensor), ROWS_EACH_THREAD, [&](int64_t begin, int64_t end) {
        std::vector<float> row(static_cast<size_t>(columns));
        for (int64_t r = begin; r < end; r++) {
            read_floats(tensor, row_at(gguf, tensor, order(r)), row.data());
            void *to = out + r * row_bytes;
            if (dtype == at::kFloat) store(row.data(), columns, static_cast<float *>(to));
            else if (dtype == at::kHalf) store(row.data(), columns, static_cast<at::Half *>(to));
            else store(row.data(), columns, static_cast<at::BFloat16 *>(to));
        }
    });
    return made;
}

// The rows in order, copied.
at::Tensor ordered(const Gguf &gguf, const GgufTensor &tensor, const RowOrder &order)
{
    at::Tensor made =
        at::empty(tensor.sizes, at::TensorOptions().dtype(*tensor.type->dtype).device(at::kCPU));
    if (!made.numel()) return made;
    auto *out = static_cast<char *>(made.mutable_data_ptr());
    auto bytes = static_cast<size_t>(columns_of(tensor) * tensor.type->bytes);
    for (int64_t r = 0; r < rows_of(tensor); r++)
        std::memcpy(out + static_cast<size_t>(r) * bytes, row_at(gguf, tensor, order(r)), bytes);
    return made;
}

at::Tensor plain_tensor(const Gguf &gguf, const GgufTensor &tensor, const RowOrder &order,
                        std::optional<at::ScalarType> dtype)
{
    bool converts = dtype && at::isFloatingType(*tensor.type->dtype) && *dtype != *tensor.type->dtype;
    if (!order.heads && !converts)
        return tensor_in(gguf.file, tensor.from, *tensor.type->dtype, tensor.sizes);
    at::Tensor made = order.heads
                          ? ordered(gguf, tensor, order)
                          : tensor_in(gguf.file, tensor.from, *tensor.type->dtype, tensor.sizes);
    if (converts) made = made.to(*dtype);
    gguf.file->give_back(tensor.from, tensor.bytes);
    return made;
}

// Repacking.

struct Destination {
    uint8_t *weight;
    uint16_t *scale, *minimum;
    int bits;
    int64_t groups;

    uint8_t *bytes(int64_t row, int64_t group) const
    {
        return weight + (row / TILE * groups + group) * (bits == 8 ? TILE_BYTES_8 : TILE_BYTES_4);
    }
    int64_t place(int64_t row, int64_t group) const
    {
        return (row / TILE * groups + group) * TILE + row % TILE;
    }
};

uint16_t word_at(const uint8_t *bytes)
{
    uint16_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// Both formats of 4 bits have columns 0..15 in the low halves, so bytes only change their places.
void put_halves(const Destination &to, int64_t row, int64_t group, const uint8_t *q)
{
    put_bytes(to.bytes(row, group), 4, row % TILE, q);
}

void repack_q8_0(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    uint8_t bytes[GROUP];
    for (int64_t k = 0; k < GROUP; k++) bytes[k] = block[2 + k] ^ 0x80;  // q + 128
    put_bytes(to.bytes(row, group), 8, row % TILE, bytes);
    to.scale[to.place(row, group)] = word_at(block);
}

void repack_q4_0(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    put_halves(to, row, group, block + 2);
    to.scale[to.place(row, group)] = word_at(block);
}

// Its integers begin at 0, ours at -8: so much less is the minimum.
void repack_q4_1(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    put_halves(to, row, group, block + 4);
    float scale = from_half(word_at(block)), least = from_half(word_at(block + 2));
    to.scale[to.place(row, group)] = word_at(block);
    to.minimum[to.place(row, group)] = to_half(least + OFFSET_4 * scale);
}

// Eight groups a block; its halves are those of two groups, 32 bytes for both.
void repack_q4_k(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    float scale = from_half(word_at(block)), minimum = from_half(word_at(block + 2));
    for (int g = 0; g < 8; g++) {
        auto [s, m] = gguf_k_scale(block + 4, g);
        const uint8_t *q = block + 16 + g / 2 * 32;
        uint8_t halves[GROUP / 2];
        for (int k = 0; k < GROUP / 2; k++) {
            int low = g % 2 ? q[k] >> 4 : q[k] & 15;
            int high = g % 2 ? q[k + 16] >> 4 : q[k + 16] & 15;
            halves[k] = static_cast<uint8_t>(low | high << 4);
        }
        int64_t at = group * 8 + g, place = to.place(row, at);
        put_halves(to, row, at, halves);
        float by = scale * static_cast<float>(s);
        to.scale[place] = to_half(by);
        to.minimum[place] = to_half(OFFSET_4 * by - minimum * static_cast<float>(m));
    }
}

// The integers of 5 bits of a group, which begin at 0.
void put_fives(const Destination &to, int64_t row, int64_t group, const int *q, float scale,
               float least)
{
    uint8_t bytes[GROUP];
    for (int64_t k = 0; k < GROUP; k++) bytes[k] = static_cast<uint8_t>(q[k] + OFFSET_8);
    put_bytes(to.bytes(row, group), 8, row % TILE, bytes);
    to.scale[to.place(row, group)] = to_half(scale);
    to.minimum[to.place(row, group)] = to_half(least);
}

void repack_q5_k(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    float scale = from_half(word_at(block)), minimum = from_half(word_at(block + 2));
    for (int g = 0; g < 8; g++) {
        auto [s, m] = gguf_k_scale(block + 4, g);
        const uint8_t *high = block + 16, *low = block + 48 + g / 2 * 32;
        int q[GROUP];
        for (int k = 0; k < GROUP; k++)
            q[k] = (g % 2 ? low[k] >> 4 : low[k] & 15) | (high[k] >> g & 1) << 4;
        put_fives(to, row, group * 8 + g, q, scale * static_cast<float>(s),
                  -minimum * static_cast<float>(m));
    }
}

// Levels of a table, whose indices are the halves of 16 bytes.
void put_levels(const Destination &to, int64_t row, int64_t group, const uint8_t *q,
                const int8_t *levels, float scale)
{
    uint8_t bytes[GROUP];
    for (int64_t k = 0; k < GROUP; k++) {
        int level = levels[k < GROUP / 2 ? q[k] & 15 : q[k - GROUP / 2] >> 4];
        bytes[k] = static_cast<uint8_t>(level + OFFSET_8);
    }
    put_bytes(to.bytes(row, group), 8, row % TILE, bytes);
    to.scale[to.place(row, group)] = to_half(scale);
}

void repack_iq4_nl(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    put_levels(to, row, group, block + 2, IQ4_LEVELS, from_half(word_at(block)));
}

void repack_iq4_xs(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    for (int g = 0; g < 8; g++)
        put_levels(to, row, group * 8 + g, block + 8 + g * 16, IQ4_LEVELS, iq4_xs_scale(block, g));
}

void repack_mxfp4(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    put_levels(to, row, group, block + 1, E2M1_DOUBLED, mxfp4_scale(block[0]));
}

// Eight groups a block, of one scale.
void put_trits(const Destination &to, int64_t row, int64_t group, const int8_t *trits,
               uint16_t scale)
{
    for (int g = 0; g < 8; g++, trits += GROUP) {
        uint8_t halves[GROUP / 2];
        for (int k = 0; k < GROUP / 2; k++)
            halves[k] = static_cast<uint8_t>((trits[k] + OFFSET_4) |
                                             (trits[k + GROUP / 2] + OFFSET_4) << 4);
        put_halves(to, row, group * 8 + g, halves);
        to.scale[to.place(row, group * 8 + g)] = scale;
    }
}

void repack_tq1_0(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    int8_t trits[256];
    tq1_0_trits(block, trits);
    put_trits(to, row, group, trits, word_at(block + 52));
}

void repack_tq2_0(const Destination &to, int64_t row, int64_t group, const uint8_t *block)
{
    int8_t trits[256];
    tq2_0_trits(block, trits);
    put_trits(to, row, group, trits, word_at(block + 64));
}

// Whether float16 holds the scale of a block of MXFP4.
bool has_half_scale(const uint8_t *block) { return block[0] >= 104 && block[0] <= 143; }

struct Repacking {
    const char *type;
    int bits;
    bool has_minimum;
    void (*repack)(const Destination &to, int64_t row, int64_t group, const uint8_t *block);
    bool (*fits)(const uint8_t *block);  // NULL if all do
};
constexpr Repacking REPACKINGS[] = {
    {"Q8_0", 8, false, repack_q8_0, nullptr},     {"Q4_0", 4, false, repack_q4_0, nullptr},
    {"Q4_1", 4, true, repack_q4_1, nullptr},      {"Q4_K", 4, true, repack_q4_k, nullptr},
    {"Q5_K", 8, true, repack_q5_k, nullptr},
    {"IQ4_NL", 8, false, repack_iq4_nl, nullptr}, {"IQ4_XS", 8, false, repack_iq4_xs, nullptr},
    {"TQ1_0", 4, false, repack_tq1_0, nullptr},   {"TQ2_0", 4, false, repack_tq2_0, nullptr},
    {"MXFP4", 8, false, repack_mxfp4, has_half_scale},
};

bool all_fit(const Gguf &gguf, const GgufTensor &tensor, const Repacking &how)
{
    const uint8_t *block = row_at(gguf, tensor, 0);
    for (uint64_t k = 0; how.fits && k < tensor.bytes; k += static_cast<uint64_t>(tensor.type->bytes))
        if (!how.fits(block + k)) return false;
    return true;
}

const Repacking *repacking_of(const Gguf &gguf, const GgufTensor &tensor)
{
    if (tensor.sizes.size() != 2) return nullptr;
    for (const Repacking &found : REPACKINGS)
        if (!std::strcmp(found.type, tensor.type->name))
            return all_fit(gguf, tensor, found) ? &found : nullptr;
    return nullptr;
}

PackedWeight repacked(const Gguf &gguf, const GgufTensor &tensor, const RowOrder &order,
                      const Repacking &how)
{
    PackedWeight made = empty_packed(tensor.sizes[0], tensor.sizes[1], how.bits, how.has_minimum);
    Destination to{made.weight.mutable_data_ptr<uint8_t>(),
                   static_cast<uint16_t *>(made.scale.mutable_data_ptr()),
                   how.has_minimum ? static_cast<uint16_t *>(made.minimum.mutable_data_ptr())
                                   : nullptr,
                   how.bits, made.weight.size(1)};
    int64_t blocks = tensor.sizes[1] / tensor.type->elements;
    // Threads take whole tiles: rows of one tile share bytes.
    parallel_ranges(made.weight.size(0), 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin * TILE; r < std::min(end * TILE, tensor.sizes[0]); r++)
            for (int64_t k = 0; k < blocks; k++)
                how.repack(to, r, k, row_at(gguf, tensor, order(r)) + k * tensor.type->bytes);
    });
    gguf.file->give_back(tensor.from, tensor.bytes);
    return made;
}

std::optional<at::ScalarType> dtype_given(const ct_value &value)
{
    if (value.kind == CT_BOOL || value.kind == CT_NONE) return std::nullopt;
    if (value.kind != CT_SYMBOL && value.kind != CT_STRING) wrong_kind("a dtype", value);
    at::ScalarType dtype = dtype_from(value.text);
    if (dtype != at::kFloat && dtype != at::kHalf && dtype != at::kBFloat16)
        throw Failure{"expected float32, float16 or bfloat16, got " + std::string(value.text), ""};
    return dtype;
}

}  // namespace

// (file name dtype heads)  As floats or integers.  dtype #f: the file's own, float32 for blocks.
ct::Owned ct::gguf_tensor(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    const GgufTensor &tensor = tensor_named(gguf, given.text(1));
    std::optional<at::ScalarType> dtype = dtype_given(given.values[2]);
    RowOrder order = order_of(gguf, tensor, given.values[3]);
    if (tensor.type->dtype) return Owned::tensor(plain_tensor(gguf, tensor, order, dtype));
    at::Tensor made = floats_of(gguf, tensor, order, dtype.value_or(at::kFloat));
    gguf.file->give_back(tensor.from, tensor.bytes);
    return Owned::tensor(std::move(made));
}

// (file name heads)  The bytes of a matrix in blocks, uint8 [rows, bytes of a row].
ct::Owned ct::gguf_blocks(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    const GgufTensor &tensor = tensor_named(gguf, given.text(1));
    if (tensor.type->dtype || tensor.sizes.size() != 2)
        throw Failure{in_quotes(tensor.name) + " is not a matrix in blocks", ""};
    RowOrder order = order_of(gguf, tensor, given.values[2]);
    int64_t bytes = tensor.sizes[1] / tensor.type->elements * tensor.type->bytes;
    std::vector<int64_t> sizes{tensor.sizes[0], bytes};
    if (!order.heads) return Owned::tensor(tensor_in(gguf.file, tensor.from, at::kByte, sizes));
    at::Tensor made = at::empty(sizes, at::TensorOptions().dtype(at::kByte).device(at::kCPU));
    auto *out = made.mutable_data_ptr<uint8_t>();
    for (int64_t r = 0; r < sizes[0]; r++)
        std::memcpy(out + r * bytes, row_at(gguf, tensor, order(r)), static_cast<size_t>(bytes));
    gguf.file->give_back(tensor.from, tensor.bytes);
    return Owned::tensor(std::move(made));
}

// (file name heads)  A list of weight, scale and minimum (or #f); #f if no kernel takes the type.
ct::Owned ct::gguf_packed(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    const GgufTensor &tensor = tensor_named(gguf, given.text(1));
    const Repacking *how = repacking_of(gguf, tensor);
    if (!how) return Owned::boolean(false);
    PackedWeight made = repacked(gguf, tensor, order_of(gguf, tensor, given.values[2]), *how);
    std::vector<Owned> items;
    items.push_back(Owned::tensor(std::move(made.weight)));
    items.push_back(Owned::tensor(std::move(made.scale)));
    items.push_back(made.minimum.defined() ? Owned::tensor(std::move(made.minimum))
                                           : Owned::boolean(false));
    return Owned::items(CT_LIST, std::move(items));
}
