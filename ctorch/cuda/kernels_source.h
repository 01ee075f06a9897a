// kernels_source.h - the operators of language models as kernels of a GPU, in CUDA C, as a text.
//
// The text is compiled when a process first needs it, by the NVRTC that comes with LibTorch
// (compiler.cpp), so that building ctorch needs no CUDA.  It includes nothing.  What depends on the
// call is defined before it:
//
//     PROGRAM    which of the parts is compiled: 0 norms and rotation, 1 attention, 2 integers
//     ELEMENT    0: float32, 1: bfloat16, 2: float16
//     WIDTH      elements of a head (1)
//     GROUP      queries that a block computes, which share a head of keys (1)
//
// Everything is computed in float32.  The roundings are those of the loops in llm/kernels.cpp.
// tests/cuda_kernels/ compiles the text for the CPU.
R"cuda(
#ifdef __CUDACC_RTC__
#define KERNEL extern "C" __global__ void
#endif

typedef long long int64;

#if ELEMENT == 0
typedef float element;
__device__ float widen(element x) { return x; }
__device__ element narrow(float x) { return x; }
#elif ELEMENT == 1
typedef unsigned short element;
__device__ float widen(element x) { return __uint_as_float((unsigned)x << 16); }
__device__ element narrow(float x)
{
    unsigned bits = __float_as_uint(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;  // nan
    return (element)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
#elif defined(__CUDACC_RTC__)
typedef unsigned short element;
__device__ float widen(element x)
{
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
}
__device__ element narrow(float x)
{
    element y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
}
#else
typedef _Float16 element;
__device__ float widen(element x) { return (float)x; }
__device__ element narrow(float x) { return (element)x; }
#endif

__device__ float rounded(float x) { return widen(narrow(x)); }

#define MINUS_INFINITY __uint_as_float(0xff800000)
#define NOT_A_NUMBER __uint_as_float(0x7fc00000)

// Heads [n, heads, t, d] that are read, and where they are written; steps in elements.
struct Part {
    const element *from;
    element *to;
    int64 heads, from_row, from_head, from_time, to_row, to_head, to_time;
    int is_rotated;
};

// Where the keys or the values are: in pages, or all of a row in one.
struct Store {
    const element *data;
    int64 page_step, head_step, time_step;  // elements from one to the next
};

struct Pages {
    const int64 *table;  // [n, columns] pages; NULL: row n is page n
    int64 columns, size, count;
};

// The page of a position and the place in it; a page below 0 or too large is none.
__device__ int64 page_of(const Pages &pages, int64 row, int64 position, int64 *place)
{
    if (!pages.table) {
        *place = position;
        return row;
    }
    *place = position % pages.size;
    int64 column = position / pages.size;
    int64 page = column < pages.columns ? pages.table[row * pages.columns + column] : -1;
    return page < pages.count ? page : -1;
}

#if PROGRAM == 0

// ---- Norms and activations ----------------------------------------------------------------------

// The sum of a value of each thread, in all threads.
__device__ float block_sum(float value)
{
    __shared__ float sums[32];
    for (int k = 16; k > 0; k /= 2) value += __shfl_xor_sync(0xffffffff, value, k);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < blockDim.x / 32; k++) sum += sums[k];
    return sum;
}

// A block for each row.
KERNEL rms_norm(const element *x, const element *weight, element *y,
                int64 count, float eps, float offset)
{
    x += blockIdx.x * count;
    y += blockIdx.x * count;
    float sum = 0.0f;
    for (int64 k = threadIdx.x; k < count; k += blockDim.x) sum += widen(x[k]) * widen(x[k]);
    float factor = 1.0f / sqrtf(block_sum(sum) / (float)count + eps);
    for (int64 k = threadIdx.x; k < count; k += blockDim.x) {
        float norm = widen(x[k]) * factor, w = widen(weight[k]);
        y[k] = offset == 0.0f ? narrow(rounded(norm) * w) : narrow(norm * (w + offset));
    }
}

// gate_step, up_step: elements from a row to the next.  kind: 0 silu, 1 gelu by tanh, 2 gelu.
KERNEL gate_up(const element *gate, const element *up, element *y, int64 rows,
               int64 width, int64 gate_step, int64 up_step, int kind)
{
    int64 k = blockIdx.x * (int64)blockDim.x + threadIdx.x;
    if (k >= rows * width) return;
    int64 row = k / width, column = k % width;
    float x = widen(gate[row * gate_step + column]), active;
    if (kind == 0) active = x / (1.0f + expf(-x));
    else if (kind == 1)
        active = 0.5f * x * (1.0f + tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x)));
    else active = 0.5f * x * (1.0f + erff(x * 0.7071067811865476f));
    y[k] = narrow(rounded(active) * widen(up[row * up_step + column]));
}

// ---- Rotary positions ---------------------------------------------------------------------------

// A block for each position of each row (x), and each head of the three parts (y).
KERNEL rotate(Part first, Part second, Part third, const float *cosines,
              const float *sines, int64 times, int64 pairs, int64 width,
              int64 angle_row, int is_interleaved)
{
    int64 row = blockIdx.x / times, t = blockIdx.x % times, head = blockIdx.y;
    int64 angle = row * angle_row + t * pairs;
    Part part = first;
    if (head >= first.heads) {
        head -= first.heads;
        part = head < second.heads ? second : third;
        if (head >= second.heads) head -= second.heads;
    }
    const element *x = part.from + row * part.from_row + head * part.from_head + t * part.from_time;
    element *y = part.to + row * part.to_row + head * part.to_head + t * part.to_time;
    int64 rotated = part.is_rotated ? pairs : 0;
    for (int64 k = threadIdx.x; k < rotated; k += blockDim.x) {
        int64 one = is_interleaved ? 2 * k : k, other = is_interleaved ? 2 * k + 1 : k + pairs;
        float a = widen(x[one]), b = widen(x[other]);
        float c = cosines[angle + k], s = sines[angle + k];
        y[one] = narrow(a * c - b * s);
        y[other] = narrow(b * c + a * s);
    }
    for (int64 k = 2 * rotated + threadIdx.x; k < width; k += blockDim.x) y[k] = x[k];
}

// ---- Keys and values in pages -------------------------------------------------------------------

// A block for each row and head (x), and position of new tokens (y), after the first `before`.
KERNEL paged_write(Part keys, Part values, Pages pages, const int64 *starts,
                   int64 before, int64 width)
{
    int64 row = blockIdx.x / keys.heads, head = blockIdx.x % keys.heads, t = blockIdx.y, place;
    int64 page = page_of(pages, row, starts[row] + before + t, &place);
    if (page < 0) return;
    const element *key = keys.from + row * keys.from_row + head * keys.from_head +
                         t * keys.from_time;
    const element *value = values.from + row * values.from_row + head * values.from_head +
                           t * values.from_time;
    element *to = keys.to + page * keys.to_row + head * keys.to_head + place * keys.to_time;
    element *other = values.to + page * values.to_row + head * values.to_head +
                     place * values.to_time;
    for (int64 k = threadIdx.x; k < width; k += blockDim.x) {
        to[k] = key[k];
        other[k] = value[k];
    }
}

#elif PROGRAM == 1

// ---- Attention of one token of each sequence ----------------------------------------------------

// The lanes that share a key, eight elements each: a power of two.
#define LANES (WIDTH <= 8 ? 1 : WIDTH <= 16 ? 2 : WIDTH <= 32 ? 4 : WIDTH <= 64 ? 8 \
               : WIDTH <= 128 ? 16 : 32)
#define THREADS 128
#define AT_ONCE (THREADS / LANES)  // keys
#define PARTIAL (WIDTH + 2)        // floats of a part of a sum: the values, the weights, the score

struct __align__(16) Eight {
    element of[8];
};

__device__ void take(const element *from, int lane, float *to)
{
    Eight eight = {};
    if (lane * 8 < WIDTH) eight = *(const Eight *)(from + lane * 8);
    for (int k = 0; k < 8; k++) to[k] = widen(eight.of[k]);
}

struct Queries {
    const element *from;  // [n, heads, d] without gaps
    element *to;          // the same
    float *parts;         // [n, heads, splits, PARTIAL]; not used if there is one split
    int64 heads, shared;  // shared: heads of keys
    const int64 *lengths; // how many positions each row has; NULL: all have `length`
    const int64 *padding; // how many of the first are not seen; NULL: none
    int64 length, window; // window 0: all
    float scale, softcap;
};

// A block for each row and group of queries (x), and part of the positions (y).  Each LANES lanes
// go over keys of their own, with the largest score so far, as in Milakov and Gimelshein 2018.
KERNEL attend(Queries q, Store keys, Store values, Pages pages)
{
    __shared__ float tops[AT_ONCE][GROUP], weights[AT_ONCE][GROUP], sums[AT_ONCE][GROUP][WIDTH];
    int64 groups = q.heads / GROUP, row = blockIdx.x / groups;
    int64 first_head = blockIdx.x % groups * GROUP, key_head = first_head / (q.heads / q.shared);
    int lane = threadIdx.x % LANES, member = threadIdx.x / LANES;
    int64 length = q.lengths ? q.lengths[row] : q.length, first = 0;
    if (q.window && length > q.window) first = length - q.window;
    if (q.padding && q.padding[row] > first) first = q.padding[row];
    if (first > length - 1) first = length - 1;
    int64 each = (length - first + gridDim.y - 1) / gridDim.y;
    int64 begin = first + blockIdx.y * each, end = begin + each < length ? begin + each : length;
    float query[GROUP][8], top[GROUP], weight[GROUP], sum[GROUP][8];
    for (int g = 0; g < GROUP; g++) {
        take(q.from + (row * q.heads + first_head + g) * WIDTH, lane, query[g]);
        top[g] = MINUS_INFINITY;
        weight[g] = 0.0f;
        for (int k = 0; k < 8; k++) sum[g][k] = 0.0f;
    }
    for (int64 base = begin; base < end; base += AT_ONCE) {
        int64 position = base + member, place = 0;
        int64 page = position < end ? page_of(pages, row, position, &place) : -1;
        bool is_seen = page >= 0;
        float key[8] = {}, value[8] = {};
        if (is_seen) {
            take(keys.data + page * keys.page_step + key_head * keys.head_step +
                     place * keys.time_step, lane, key);
            take(values.data + page * values.page_step + key_head * values.head_step +
                     place * values.time_step, lane, value);
        }
        for (int g = 0; g < GROUP; g++) {
            float score = 0.0f;
            for (int k = 0; k < 8; k++) score += query[g][k] * key[k];
            for (int k = LANES / 2; k > 0; k /= 2) score += __shfl_xor_sync(0xffffffff, score, k);
            score *= q.scale;
            if (q.softcap != 0.0f) score = tanhf(score / q.softcap) * q.softcap;
            if (is_seen) {
                if (score > top[g]) {
                    float factor = expf(top[g] - score);
                    weight[g] *= factor;
                    for (int k = 0; k < 8; k++) sum[g][k] *= factor;
                    top[g] = score;
                }
                float share = expf(score - top[g]);
                weight[g] += share;
                for (int k = 0; k < 8; k++) sum[g][k] += share * value[k];
            }
        }
    }
    for (int g = 0; g < GROUP; g++) {
        if (lane == 0) {
            tops[member][g] = top[g];
            weights[member][g] = weight[g];
        }
        for (int k = 0; k < 8; k++)
            if (lane * 8 + k < WIDTH) sums[member][g][lane * 8 + k] = sum[g][k];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < GROUP * WIDTH; k += THREADS) {
        int g = k / WIDTH, column = k % WIDTH;
        float most = MINUS_INFINITY, all = 0.0f, total = 0.0f;
        for (int m = 0; m < AT_ONCE; m++) most = fmaxf(most, tops[m][g]);
        for (int m = 0; m < AT_ONCE; m++) {
            if (weights[m][g] == 0.0f) continue;
            float factor = expf(tops[m][g] - most);
            all += weights[m][g] * factor;
            total += sums[m][g][column] * factor;
        }
        int64 head = row * q.heads + first_head + g;
        if (gridDim.y == 1) {
            q.to[head * WIDTH + column] = narrow(total / all);
            continue;
        }
        float *part = q.parts + (head * gridDim.y + blockIdx.y) * PARTIAL;
        part[column] = total;
        if (column == 0) {
            part[WIDTH] = all;
            part[WIDTH + 1] = most;
        }
    }
}

// A block for each row and head joins its parts.
KERNEL join(const float *parts, element *to, int splits)
{
    parts += blockIdx.x * (int64)splits * PARTIAL;
    float most = MINUS_INFINITY;
    for (int k = 0; k < splits; k++) most = fmaxf(most, parts[k * PARTIAL + WIDTH + 1]);
    for (int column = threadIdx.x; column < WIDTH; column += blockDim.x) {
        float all = 0.0f, total = 0.0f;
        for (int k = 0; k < splits; k++) {
            const float *part = parts + k * PARTIAL;
            if (part[WIDTH] == 0.0f) continue;
            float factor = expf(part[WIDTH + 1] - most);
            all += part[WIDTH] * factor;
            total += part[column] * factor;
        }
        to[blockIdx.x * (int64)WIDTH + column] = narrow(total / all);
    }
}

#else

// ---- Weights of 8-bit and 4-bit integers --------------------------------------------------------

// A weight in tiles of 16 rows and groups of 32 columns, as quantize/quantize.h says; its scales
// and minima are float16.
struct Quantized {
    const unsigned char *weight;
    const unsigned short *scale, *minimum;  // minimum: NULL if it has none
    int64 tiles, groups;
    int bits;
};

__device__ float from_half(unsigned short x)
{
    unsigned sign = (unsigned)(x & 0x8000) << 16, rest = x & 0x7fff;
    if (rest >= 0x7c00) return __uint_as_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    float size = __uint_as_float(rest << 13) * 5.192296858534828e33f;  // 2^112
    return __uint_as_float(sign | __float_as_uint(size));
}

// Four elements of a row of a tile, those of columns 4 * quad on, without their scale.
__device__ void four(const Quantized &w, const unsigned char *group, int row, int quad, float *to)
{
    if (w.bits == 8) {
        uchar4 bytes = *(const uchar4 *)(group + quad * 64 + row * 4);
        to[0] = (float)bytes.x - 128.0f;
        to[1] = (float)bytes.y - 128.0f;
        to[2] = (float)bytes.z - 128.0f;
        to[3] = (float)bytes.w - 128.0f;
        return;
    }
    uchar4 bytes = *(const uchar4 *)(group + quad % 4 * 64 + row * 4);
    int shift = quad < 4 ? 0 : 4;
    to[0] = (float)(bytes.x >> shift & 15) - 8.0f;
    to[1] = (float)(bytes.y >> shift & 15) - 8.0f;
    to[2] = (float)(bytes.z >> shift & 15) - 8.0f;
    to[3] = (float)(bytes.w >> shift & 15) - 8.0f;
}

#define ROWS 8  // of x that quantized_product takes at once

// A block for each tile (x) and ROWS rows of x (y).  A warp takes a group of columns at a time:
// its lanes are the rows of the tile, twice, for the halves of the columns.  y [count, rows].
KERNEL quantized_product(Quantized w, const element *x, const element *bias,
                         element *y, int64 count, int64 columns, int64 rows)
{
    __shared__ float sums[32][ROWS][16];
    int row = threadIdx.x % 16, half = threadIdx.x / 16 % 2, warp = threadIdx.x / 32;
    int warps = blockDim.x / 32;
    int64 first = blockIdx.y * (int64)ROWS, bytes = w.bits == 8 ? 512 : 256;
    float sum[ROWS];
    for (int r = 0; r < ROWS; r++) sum[r] = 0.0f;
    for (int64 group = warp; group < w.groups; group += warps) {
        int64 at = blockIdx.x * w.groups + group;
        float scale = from_half(w.scale[at * 16 + row]);
        float minimum = w.minimum ? from_half(w.minimum[at * 16 + row]) : 0.0f;
        for (int k = 0; k < 4; k++) {
            int quad = half * 4 + k;
            float q[4];
            four(w, w.weight + at * bytes, row, quad, q);
            for (int c = 0; c < 4; c++) {
                int64 column = group * 32 + quad * 4 + c;
                if (column >= columns) continue;
                float factor = q[c] * scale + minimum;
                for (int r = 0; r < ROWS; r++)
                    if (first + r < count)
                        sum[r] += factor * widen(x[(first + r) * columns + column]);
            }
        }
    }
    for (int r = 0; r < ROWS; r++) {
        float both = sum[r] + __shfl_xor_sync(0xffffffff, sum[r], 16);
        if (half == 0) sums[warp][r][row] = both;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < ROWS * 16; k += blockDim.x) {
        int64 r = k / 16, to = blockIdx.x * (int64)16 + k % 16;
        if (first + r >= count || to >= rows) continue;
        float all = bias ? widen(bias[to]) : 0.0f;
        for (int m = 0; m < warps; m++) all += sums[m][r][k % 16];
        y[(first + r) * rows + to] = narrow(all);
    }
}

// Rows of a weight as elements, [count, columns]; ids NULL: rows 0 to count.  A block for each.  An
// id out of range has nans, since a GPU cannot raise an error.
KERNEL unpack_rows(Quantized w, const int64 *ids, element *y, int64 columns,
                   int64 rows)
{
    int64 id = ids ? ids[blockIdx.x] : blockIdx.x, bytes = w.bits == 8 ? 512 : 256;
    bool is_row = id >= 0 && id < rows;
    if (!is_row) id = 0;
    for (int64 quad = threadIdx.x; quad < w.groups * 8; quad += blockDim.x) {
        int64 at = id / 16 * w.groups + quad / 8;
        float q[4], scale = from_half(w.scale[at * 16 + id % 16]);
        float minimum = w.minimum ? from_half(w.minimum[at * 16 + id % 16]) : 0.0f;
        four(w, w.weight + at * bytes, (int)(id % 16), (int)(quad % 8), q);
        for (int c = 0; c < 4; c++)
            if (quad * 4 + c < columns)
                y[blockIdx.x * columns + quad * 4 + c] =
                    narrow(is_row ? q[c] * scale + minimum : NOT_A_NUMBER);
    }
}

#endif
)cuda"
