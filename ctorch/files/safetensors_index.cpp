// safetensors_index.cpp - a model in several files of safetensors, and the index that says what is in
// which.
//
//     {"weight_map": {"w": "model-1.safetensors", "b": "model-2.safetensors"}}
//
// A folder stands for the model in it, by the names that such files have everywhere.

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

// Which file each tensor is in.  A file elsewhere than beside the index is none of its own.
Named<std::string> read_index(const std::string &path)
{
    FilePointer file = open_file(path);
    if (file->size > LONGEST_HEADER) fail_about(path, "it is too large for an index");
    Json json(file->text(0, file->size), path, 0);
    Named<std::string> places;
    bool found = false;
    json.object([&](const std::string &key) {
        if (key != "weight_map") return json.skip_value();
        found = true;
        json.object([&](const std::string &name) {
            uint64_t byte = json.byte();
            std::string place = json.string();
            if (place.empty() || place.find('/') != std::string::npos || place[0] == '.')
                fail_at(path, byte, in_quotes(place) + " is not the name of a file beside the index");
            places.emplace_back(name, place);
        });
    });
    json.end();
    if (!found) fail_about(path, "it is not an index of safetensors files: it has no \"weight_map\"");
    return places;
}

Named<at::Tensor> load_index(const std::string &path)
{
    Named<std::string> places = read_index(path);
    std::map<std::string, std::unordered_map<std::string, at::Tensor>> files;
    Named<at::Tensor> tensors;
    for (const auto &[name, place] : places) {
        auto [file, fresh] = files.try_emplace(place);
        if (fresh)
            for (auto &[key, tensor] : load_safetensors(folder_of(path) + place))
                file->second.emplace(key, tensor);
        auto found = file->second.find(name);
        if (found == file->second.end())
            fail_about(folder_of(path) + place, "tensor " + in_quotes(name) +
                                                    " is not here, where the index says it is");
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

ct::Owned ct::load_tensors(const Arguments &given)
{
    std::string path = file_of_model(given.text(0));
    return table_of(path.ends_with(".json") ? load_index(path) : load_safetensors(path));
}
