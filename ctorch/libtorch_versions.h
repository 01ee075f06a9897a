// libtorch_versions.h - what differs between the versions of LibTorch that ctorch is built for.
//
//     CT_SHARED_NODES       nodes of the graph are held by std::shared_ptr          before 2.13
//     CT_HAS_LANCZOS        _upsample_lanczos2d_aa                                  since 2.12
//     CT_HAS_NAMED_DIMS     overloads that take the names of dims                   before 2.13
//     CT_HAS_MEMORY_INFO    at::accelerator::getMemoryInfo                          since 2.11
//     CT_HAS_STREAM_HANDLES c10::Stream::native_handle, which our kernels need      since 2.11
//     CT_HAS_GRAPHS         at::accelerator::Graph                                  since 2.13
//
// No other file asks for a version: each asks for a feature here.
#pragma once

#include <torch/csrc/api/include/torch/version.h>

#define CT_LIBTORCH_SINCE(minor) \
    (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= (minor)))

#define CT_SHARED_NODES (!CT_LIBTORCH_SINCE(13))
#define CT_HAS_LANCZOS CT_LIBTORCH_SINCE(12)
#define CT_HAS_NAMED_DIMS (!CT_LIBTORCH_SINCE(13))
#define CT_HAS_MEMORY_INFO CT_LIBTORCH_SINCE(11)
#define CT_HAS_STREAM_HANDLES CT_LIBTORCH_SINCE(11)
#define CT_HAS_GRAPHS CT_LIBTORCH_SINCE(13)
