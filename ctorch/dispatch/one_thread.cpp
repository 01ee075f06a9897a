// one_thread.cpp - the number of threads that LibTorch uses, while the work is small.
//
// LibTorch and MKL ask OpenMP for the number of threads at each operation.  OpenMP keeps it for
// each thread of the process, and setting it costs a few nanoseconds; at::set_num_threads would
// also empty caches.  The OpenMP that LibTorch is linked with is found at run time: packages of
// LibTorch carry one of their own, whose name varies.

#include "dispatch/one_thread.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

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

thread_local int threads_before;  // 0: this thread is not limited

}  // namespace

ct::InOneThread::InOneThread(bool applies)
{
    if (!applies || threads_before || !setter()) return;
    int threads = at::get_num_threads();
    if (threads <= 1 || at::in_parallel_region()) return;
    is_outermost_ = true;
    threads_before = threads;
    setter()(1);
}

ct::InOneThread::~InOneThread()
{
    if (!is_outermost_ || !threads_before) return;
    setter()(threads_before);
    threads_before = 0;
}

void ct::leave_one_thread(size_t bytes)
{
    if (bytes <= SMALL * sizeof(float) || !threads_before) return;
    setter()(threads_before);
    threads_before = 0;
}
