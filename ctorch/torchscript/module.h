// module.h - between the parts of TorchScript modules.  C++ only.
//
// jit's own headers take half a minute to compile, so only module.cpp has them.
#pragma once

#include <ATen/core/ivalue.h>

#include <caffe2/serialize/read_adapter_interface.h>

#include "files/files.h"

namespace ct {

// archive.cpp

// The bytes of an archive that holds a module, for LibTorch's reader.  Throws a Failure unless it is
// whole, and its tensors' elements are in it.
std::shared_ptr<caffe2::serialize::ReadAdapterInterface> checked_archive(const std::string &path);

// torchscript/values.cpp

// What a parameter of the type takes; name is what messages call it.
c10::IValue converted(const ct_value &value, const c10::TypePtr &type, const std::string &name);
Owned result_of(const c10::IValue &value);

// module.cpp

// Of a value that is a module; other values are a Failure.
c10::IValue module_object(const ct_value &value);
Owned module_value(const c10::IValue &object);

}  // namespace ct
