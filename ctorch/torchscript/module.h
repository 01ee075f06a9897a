// module.h - modules that files hold: TorchScript's, and exported programs (exported/).  C++ only.
//
// jit's own headers take half a minute to compile, so only module.cpp has them.
#pragma once

#include <ATen/core/ivalue.h>

#include <caffe2/serialize/read_adapter_interface.h>

#include "files/procedures.h"

namespace ct {

// A module as a Lisp value.
struct LoadedModule : ct_object {
    virtual Owned call(const std::string &method, const ct_value *values, size_t count) = 0;
    virtual std::vector<std::string> methods() const = 0;
    virtual Named<at::Tensor> parameters() const = 0;
    virtual Named<at::Tensor> buffers() const = 0;
    virtual void train(bool is_on) = 0;
    virtual void move(at::Device device) = 0;
};

// The parameters of a call, as messages name them: positional ones come first.
struct CallParameters {
    std::vector<std::string> names;
    size_t positional;
    std::string usage;     // the hint of a mistake
    std::string too_many;  // the message for more positional arguments
};

// values.cpp

// Each parameter's value; NULL for one that the call omits.  Keywords stand before their values.
std::vector<const ct_value *> bound(const CallParameters &parameters, const ct_value *values,
                                    size_t count);

// archive.cpp

// The bytes of an archive that holds a module, for LibTorch's reader.  Throws a Failure unless it
// is undamaged and holds the elements of its tensors.
std::shared_ptr<caffe2::serialize::ReadAdapterInterface> checked_archive(const std::string &path);

// torchscript/values.cpp

// The value converted to a parameter's type; name is what messages call the parameter.
c10::IValue converted(const ct_value &value, const c10::TypePtr &type, const std::string &name);
Owned result_of(const c10::IValue &value);

// module.cpp

// Why LibTorch cannot load a file: a sentence, without C++ names.  A message about LibTorch's
// internals only tells that the file is damaged.
std::string loading_failure(const std::exception &error);
// The TorchScript object of a module; other values are a Failure.
c10::IValue module_object(const ct_value &value);
Owned module_value(const c10::IValue &object);

}  // namespace ct
