// handle.cpp - counting and recycling handles, and releasing what results hold.
//
// A program creates and frees a handle with every operation.  With a free list that costs two moves
// instead of a malloc; LAMBENT_ALLOC=malloc turns it off, for valgrind and ASan.

#include "tensor/handle.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

constexpr size_t SLAB_HANDLES = 256;

static_assert(offsetof(ct_tensor, count) == CT_COUNT_AT);

ct_tensor *free_handles;
int64_t live_handles;

const char *const choice = std::getenv("LAMBENT_ALLOC");
const bool recycles = !choice || std::strcmp(choice, "malloc") != 0;

// Slabs are never freed: their handles are in use or in the free list.
void refill()
{
    ct_tensor *slab = new ct_tensor[SLAB_HANDLES];
    for (size_t k = 0; k < SLAB_HANDLES; k++) {
        slab[k].next = free_handles;
        free_handles = &slab[k];
    }
}

ct_tensor *take()
{
    if (!recycles) return new ct_tensor;
    if (!free_handles) refill();
    return std::exchange(free_handles, free_handles->next);
}

void give_back(ct_tensor *x)
{
    if (!recycles) {
        delete x;
        return;
    }
    x->value.reset();
    x->next = std::exchange(free_handles, x);
}

}  // namespace

ct_tensor *ct::handle(at::Tensor &&value)
{
    if (!value.defined()) return nullptr;
    ct_tensor *x = take();
    x->value = std::move(value);
    x->count = 1;
    live_handles++;
    return x;
}

char *ct::text_for_c(const std::string &text)
{
    char *copy = static_cast<char *>(std::malloc(text.size() + 1));
    if (!copy) throw Failure{"not enough memory", ""};
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

extern "C" {

ct_tensor *ct_clone(ct_tensor *x)
{
    if (x && x->count < CT_IMMORTAL) x->count++;
    return x;
}

bool ct_is_shared(ct_tensor *x) { return x->count > 1; }

void ct_free(ct_tensor *x)
{
    if (!x || x->count >= CT_IMMORTAL || --x->count) return;
    live_handles--;
    give_back(x);
}

ct_object *ct_object_clone(ct_object *x)
{
    if (x) x->count++;
    return x;
}

void ct_object_free(ct_object *x)
{
    if (x && !--x->count) delete x;
}

const char *ct_object_text(ct_object *x) { return x->text.c_str(); }

void ct_value_clear(ct_value *value)
{
    ct_free(value->tensor);
    ct_object_free(value->object);
    std::free(const_cast<char *>(value->text));
    for (size_t k = 0; k < value->count; k++) ct_value_clear(&value->items[k]);
    std::free(value->items);
    *value = ct_value{};
}

void ct_free_text(char *text) { std::free(text); }

int64_t ct_live_handles(void) { return live_handles; }

}  // extern "C"
