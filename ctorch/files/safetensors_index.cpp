// safetensors_index.cpp - a model in several safetensors files, and the index that says which
// tensor is in which file.
//
//     {"weight_map": {"w": "model-1.safetensors", "b": "model-2.safetensors"}}
//
// A folder stands for the model in it, which is found by the usual file names.

#include "files/safetensors.h"

#include <map>
#include <unordered_map>

namespace {

using namespace ct;

constexpr char INDEX[] = "model.safetensors.index.json", SINGLE[] = "model.safetensors";

std::string folder_of(const std::string &path)
{
    return path.substr(0, path.rfind('/') + 1);
}

bool is_beside(const std::string &name)
{
    bool is_path = name.find('/') != name.npos || name.find('\0') != name.npos;
    return !name.empty() && !is_path && name[0] != '.';
}

// Which file each tensor is in.  Files that are not in the index's folder are refused.
Named<std::string> read_index(const std::string &path)
{
    FilePointer file = open_file(path);
    if (file->size > LONGEST_HEADER) fail_about(path, "it is too large for an index");
    JsonTree tree(file->text(0, file->size), path);
    tree.root().check(JsonNode::Object, "an object");
    tree.root().check_unique("name");
    if (!tree.root().has("weight_map"))
        fail_about(path, "it is not an index of safetensors files: it has no \"weight_map\"");
    JsonValue names = tree.root().get("weight_map");
    names.check(JsonNode::Object, "an object");
    names.check_unique("name");
    Named<std::string> files_of_tensors;
    for (size_t k = 0; k < names.size(); k++) {
        std::string file_name(names.value(k).text("a string"));
        if (!is_beside(file_name))
            names.value(k).fail(in_quotes(file_name) +
                                " is not the name of a file beside the index");
        files_of_tensors.emplace_back(names.key(k), file_name);
    }
    return files_of_tensors;
}

Named<at::Tensor> load_index(const std::string &path)
{
    Named<std::string> files_of_tensors = read_index(path);
    std::map<std::string, std::unordered_map<std::string, at::Tensor>> files;
    Named<at::Tensor> tensors;
    Polls polls;
    for (const auto &[name, file_name] : files_of_tensors) {
        polls.step();
        auto [file, fresh] = files.try_emplace(file_name);
        if (fresh)
            for (auto &[key, tensor] : load_safetensors(folder_of(path) + file_name))
                file->second.emplace(key, tensor);
        auto found = file->second.find(name);
        if (found == file->second.end())
            fail_about(folder_of(path) + file_name,
                       "tensor " + in_quotes(name) + " is missing, but the index says it is here");
        tensors.emplace_back(name, found->second);
    }
    return tensors;
}

// A folder stands for the model in it.
std::string file_of_model(const std::string &path)
{
    if (!is_folder(path)) return path;
    std::string folder = path.ends_with('/') ? path : path + "/";
    for (const char *name : {INDEX, SINGLE})
        if (exists(folder + name)) return folder + name;
    fail_about(path, std::string("the folder has neither ") + INDEX + " nor " + SINGLE);
}

}  // namespace

ct::Owned ct::load_tensors(const ProcedureArguments &given)
{
    std::string path = file_of_model(given.text(0));
    return table_of(path.ends_with(".json") ? load_index(path) : load_safetensors(path));
}

// (tensor dtype)  A tensor of a file in another dtype, as a new one; the file's pages are given back.
ct::Owned ct::load_converted(const ProcedureArguments &given)
{
    const at::Tensor &x = given.tensor(0);
    at::Tensor made = x.to(dtype_from(given.text(1)), false, true);
    give_back_pages(x);
    return Owned::tensor(std::move(made));
}

// (tensor)  Its elements have been copied: the pages of a file that hold it are given back.
ct::Owned ct::give_back_tensor(const ProcedureArguments &given)
{
    give_back_pages(given.tensor(0));
    return Owned();
}
