// one_thread.cpp - the number of threads that LibTorch uses, while the work is small.
//
// LibTorch and MKL ask OpenMP for the number of threads at each operation.  OpenMP keeps it for
// each thread of the process, and setting it costs a few nanoseconds; at::set_num_threads would
// also empty caches.  The OpenMP that LibTorch is linked with is found at run time: packages of
// LibTorch carry one of their own, whose name varies.

#include "dispatch/one_thread.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <utility>

namespace {

using SetThreads = void (*)(int);

// It is searched for in the libraries that this one is linked with, LibTorch's own among them.
SetThreads find_setter()
{
    return reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
}

SetThreads setter()
{
    static const SetThreads found = find_setter();
    return found;
}

// All threads, where this thread is limited to one; otherwise 0.
thread_local int all_threads;

}  // namespace

ct::WorkThreads::WorkThreads(bool is_small)
{
    if (is_small == (all_threads != 0) || !setter()) return;
    if (!is_small) {
        setter()(std::exchange(all_threads, 0));
        change_ = Change::TO_ALL;
        return;
    }
    int threads = at::get_num_threads();
    if (threads <= 1 || at::in_parallel_region()) return;
    all_threads = threads;
    setter()(1);
    change_ = Change::TO_ONE;
}

ct::WorkThreads::~WorkThreads()
{
    if (change_ == Change::TO_ONE) setter()(std::exchange(all_threads, 0));
    if (change_ == Change::TO_ALL) {
        all_threads = at::get_num_threads();
        setter()(1);
    }
}
