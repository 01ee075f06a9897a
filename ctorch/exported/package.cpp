// package.cpp - packages of exported programs, as modules: .pt2 files.
//
//     m/archive_format              "pt2"
//     m/models/model.json           a graph of operators
//     m/data/weights/...            its tensors, and what says where they are
//     m/data/aotinductor/model/...  a model that AOTInductor has compiled

#include "exported/program.h"
#include "torchscript/module.h"

namespace ct::exported {

namespace {

constexpr std::string_view FORMAT = "archive_format";
constexpr uint64_t LONGEST_FORMAT = 16;

// The folder that all names of a package begin with; none if the archive is something else.
std::optional<std::string> root_of(const Zip &zip)
{
    for (const ZipEntry &entry : zip.entries) {
        std::string_view name = entry.name;
        bool is_format = name == FORMAT || name.ends_with("/" + std::string(FORMAT));
        if (!is_format || zip.head(entry, LONGEST_FORMAT) != "pt2") continue;
        return std::string(name.substr(0, name.size() - FORMAT.size()));
    }
    return std::nullopt;
}

class ModuleOfPackage final : public LoadedModule {
public:
    explicit ModuleOfPackage(const Package &package)
    {
        std::string prefix = package.root + "models/", compiled = package.root + "data/aotinductor/";
        for (const ZipEntry &entry : package.zip.entries) {
            std::string_view name = entry.name;
            if (name.starts_with(prefix) && name.ends_with(".json")) {
                std::string model(name.substr(prefix.size(), name.size() - prefix.size() - 5));
                models_[model] = read_model(package, model);
            } else if (name.starts_with(compiled)) {
                std::string model(name.substr(compiled.size()));
                model.resize(std::min(model.find('/'), model.size()));
                if (!models_.count(model)) models_[model] = load_compiled(package, model);
            }
        }
        if (models_.empty()) fail_about(package.zip.file->path, "the package holds no model");
        text = "#<exported-program " + models_.begin()->first;
        if (models_.size() > 1) text += " and " + std::to_string(models_.size() - 1) + " more";
        text += ">";
    }

    Owned call(const std::string &method, const ct_value *values, size_t count) override
    {
        return named(method).call(values, count);
    }

    std::vector<std::string> methods() const override
    {
        std::vector<std::string> names;
        for (const auto &[name, model] : models_) names.push_back(name);
        return names;
    }

    Named<at::Tensor> parameters() const override { return all(&Model::parameters); }
    Named<at::Tensor> buffers() const override { return all(&Model::buffers); }

    void train(bool is_on) override
    {
        throw Failure{"an exported program stays in the mode in which it was exported",
                      is_on ? "in Python, export the model after model.train()"
                            : "in Python, export the model after model.eval()"};
    }

    void move(at::Device device) override
    {
        for (auto &[name, model] : models_) model->move(device);
    }

private:
    // "forward" is the model of a package that has one.
    Model &named(const std::string &method)
    {
        auto found = models_.find(method);
        if (found == models_.end() && method == "forward")
            found = models_.size() == 1 ? models_.begin() : models_.find("model");
        if (found != models_.end()) return *found->second;
        std::string names;
        for (const auto &[name, model] : models_) names += " " + name;
        throw Failure{"the package has no model " + in_quotes(method), "its models:" + names};
    }

    // The tensors of all models, whose names precede theirs if there are several.
    Named<at::Tensor> all(Named<at::Tensor> (Model::*tensors)() const) const
    {
        if (models_.size() == 1) return (models_.begin()->second.get()->*tensors)();
        Named<at::Tensor> found;
        for (const auto &[name, model] : models_)
            for (auto &[tensor_name, tensor] : (model.get()->*tensors)())
                found.emplace_back(name + "." + tensor_name, tensor);
        return found;
    }

    std::map<std::string, std::unique_ptr<Model>> models_;
};

}  // namespace

const ZipEntry &Package::entry(const std::string &name) const
{
    const ZipEntry *found = zip.find(root + name);
    if (!found) fail_about(zip.file->path, "the package has no file " + in_quotes(root + name));
    return *found;
}

Unpacked Package::text(const std::string &name) const
{
    const ZipEntry &found = entry(name);
    Unpacked unpacked = zip.unpacked(found);
    zip.verify(found, unpacked.text());
    return unpacked;
}

bool is_package(const Zip &zip) { return root_of(zip).has_value(); }

Owned load_package(Zip zip)
{
    std::string root = *root_of(zip);
    Package package{std::move(zip), std::move(root)};
    if (const ZipEntry *order = package.zip.find(package.root + "byteorder"))
        if (package.zip.head(*order, LONGEST_FORMAT) != "little")
            fail_about(package.zip.file->path, "its tensors are not in little-endian order");
    return Owned::object(new ModuleOfPackage(package));
}

}  // namespace ct::exported
