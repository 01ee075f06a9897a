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

SetThreads find_setter()
{
    Dl_info libtorch;
    if (!dladdr(reinterpret_cast<void *>(&at::intraop_default_num_threads), &libtorch)) return nullptr;
    void *library = dlopen(libtorch.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return nullptr;
    void *found = dlsym(library, "omp_set_num_threads");  // there or in what it is linked with
    dlclose(library);  // LibTorch itself stays loaded
    return reinterpret_cast<SetThreads>(found);
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
