// pages.cpp - which pages of a mapped file may be given back.
//
//     (%procedure "give-back-unchanged" table)    before and after a prompt looks some rows up
//
// Linux maps sixteen pages where a program touches one, and 2 MB where it has the file in pieces of
// that size, so that a few hundred rows bring all of a table of embeddings into memory.  It also
// says of each page whether it is held, and whether it is still the file's, which it is until it is
// written to.  So a table that has learned is kept.

#include "memory/pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace {

constexpr uint64_t IS_HELD = uint64_t{3} << 62;  // in memory, or swapped out
constexpr uint64_t IS_OF_FILE = uint64_t{1} << 61;

void free_pages(char *begin, char *end)
{
    if (begin < end) madvise(begin, static_cast<size_t>(end - begin), MADV_DONTNEED);
}

// file: /proc/self/pagemap, which has 8 bytes for each page.
void free_unchanged(int file, char *begin, char *end, size_t page)
{
    uint64_t states[512];
    char *first = begin, *at = begin;  // from first up to `at`, nothing was written
    while (at < end) {
        size_t count = std::min(std::size(states), static_cast<size_t>(end - at) / page);
        auto size = static_cast<ssize_t>(count * sizeof *states);
        auto place = static_cast<off_t>(reinterpret_cast<uintptr_t>(at) / page * sizeof *states);
        if (pread(file, states, static_cast<size_t>(size), place) != size) break;
        for (size_t k = 0; k < count; k++, at += page)
            if ((states[k] & IS_HELD) && !(states[k] & IS_OF_FILE)) {
                free_pages(first, at);
                first = at + page;
            }
    }
    free_pages(first, at);
}

}  // namespace

ct::Owned ct::give_back_unchanged(const ProcedureArguments &given)
{
    const at::Tensor &x = given.tensor(0);
    if (!x.is_cpu() || !x.is_contiguous()) return Owned();
    int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) return Owned();
    auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    auto start = reinterpret_cast<uintptr_t>(x.const_data_ptr());
    uintptr_t begin = (start + page - 1) / page * page, end = (start + x.nbytes()) / page * page;
    if (begin < end)
        free_unchanged(file, reinterpret_cast<char *>(begin), reinterpret_cast<char *>(end), page);
    close(file);
    return Owned();
}
