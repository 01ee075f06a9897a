// compiled.cpp - models that AOTInductor has compiled: libraries of machine code in a package.
//
// LibTorch unpacks and loads them.  They take and return tensors, whose nesting the package says.

#include "exported/program.h"
#include "torchscript/module.h"

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

namespace ct::exported {

namespace {

class Compiled final : public Model {
public:
    Compiled(const std::string &path, const std::string &name) : loader_(path, name)
    {
        std::vector<std::string> spec = loader_.get_call_spec();
        if (spec.size() != 2) fail_about(path, "the package does not say how its arguments nest");
        parameters_ = read_parameters(spec[0], {}, path);
        results_ = read_tree(spec[1], path);
    }

    Owned call(const ct_value *values, size_t count) override
    {
        std::vector<at::Tensor> inputs;
        for (const Leaf &leaf : leaves_of(parameters_, values, count)) {
            if (!leaf.value) throw Failure{"argument " + leaf.name + " is missing", ""};
            if (leaf.value->kind == CT_TENSOR) inputs.push_back(leaf.value->tensor->value);
        }
        std::vector<IValue> results;
        for (at::Tensor &result : loader_.run(inputs)) results.emplace_back(std::move(result));
        return nested(results_, results);
    }

    Named<at::Tensor> parameters() const override { return sealed(); }
    Named<at::Tensor> buffers() const override { return sealed(); }

    void move(at::Device) override
    {
        throw Failure{"a compiled model stays on the device that it was compiled for", ""};
    }

private:
    [[noreturn]] static Named<at::Tensor> sealed()
    {
        throw Failure{"a compiled model keeps its tensors to itself",
                      "torch.export.save writes a program whose tensors can be read"};
    }

    torch::inductor::AOTIModelPackageLoader loader_;
    Parameters parameters_;
    Tree results_;
};

}  // namespace

std::unique_ptr<Model> load_compiled(const Package &package, const std::string &name)
{
    // LibTorch's reader trusts the archive.
    for (const ZipEntry &entry : package.zip.entries)
        package.zip.verify(entry, package.zip.unpacked(entry).text());
    const std::string &path = package.zip.file->path;
    try {
        return std::make_unique<Compiled>(path, name);
    } catch (const Failure &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        fail_about(path, "LibTorch cannot load the compiled model: " + loading_failure(error),
                   "compile it with the PyTorch that this LibTorch belongs to, on this kind of "
                   "processor");
    }
}

}  // namespace ct::exported
