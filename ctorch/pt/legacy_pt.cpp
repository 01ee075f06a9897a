// legacy_pt.cpp - a .pt file in PyTorch's format from before 1.6, as the archive of today's format.
//
//     magic number | version | facts of the machine | the pickle | storages' keys | storages
//         =>  an archive of archive/data.pkl and archive/data/KEY, which lie in the same file
//
// Each part but the storages is a pickle.  A storage is the number of its elements, then these; how
// large they are is said where the pickle describes the storage.

#include "pt/legacy_pt.h"
#include "files/storages.h"

#include <unordered_map>

namespace ct {

namespace {

constexpr std::string_view MAGIC("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 15);
constexpr int64_t VERSION = 1001;
constexpr char RESAVE[] = "in Python: torch.save(torch.load(path), path), or use safetensors";

class LegacyFile {
public:
    explicit LegacyFile(FilePointer file) : file_(std::move(file)), at_(MAGIC.size()) {}

    Zip archive()
    {
        check_version();
        check_machine();
        uint64_t start = at_;
        Pickle pickle = next(Pickle::Holds::STATE_DICT);
        std::vector<ZipEntry> entries{stored("archive/data.pkl", start, pickle.size())};
        find_storages(pickle);
        Pickle keys = next(Pickle::Holds::STATE_DICT);
        if (keys.root().kind != Pickled::List) keys.fail(keys.root(), "the storages' keys are not a list");
        for (uint32_t key : keys.items(keys.root())) add_storage(entries, keys, keys[key]);
        return Zip(file_, std::move(entries));
    }

private:
    static ZipEntry stored(const std::string &name, uint64_t from, uint64_t size)
    {
        return {name, from, size, size, 0, false};
    }

    // The pickle that begins here.
    Pickle next(Pickle::Holds holds)
    {
        uint64_t size = std::min(file_->size - at_, Pickle::LONGEST);
        Zip rest(file_, {stored("rest", at_, size)});
        Pickle found(rest, rest.entries[0], holds);
        at_ += found.size();
        return found;
    }

    void check_version()
    {
        Pickle version = next(Pickle::Holds::STATE_DICT);
        if (version.root().kind != Pickled::Int || version.root().number != VERSION)
            version.fail(version.root(), "the version of the format is not 1001");
    }

    void check_machine()
    {
        Pickle machine = next(Pickle::Holds::STATE_DICT);
        const Pickled &root = machine.root();
        if (root.kind != Pickled::Dict) machine.fail(root, "the facts of the machine are not a dict");
        const std::vector<uint32_t> &items = machine.items(root);
        for (size_t k = 0; k + 1 < items.size(); k += 2) {
            const Pickled &name = machine[items[k]], &value = machine[items[k + 1]];
            if (name.kind == Pickled::Text && machine.text(name) == "little_endian" && !value.number)
                machine.fail(value.byte, "its numbers are not little-endian", RESAVE);
        }
    }

    // How large the elements are, by the storages' keys.
    void find_storages(const Pickle &pickle)
    {
        for (const Pickled &x : pickle.values())
            if (x.kind == Pickled::Persistent) {
                StorageName storage = storage_name(pickle, x);
                sizes_.emplace(storage.key, c10::elementSize(storage.dtype));
            }
    }

    void add_storage(std::vector<ZipEntry> &entries, const Pickle &keys, const Pickled &key)
    {
        if (key.kind != Pickled::Text) keys.fail(key, "a storage's key is not a string");
        std::string name(keys.text(key));
        auto size = sizes_.find(name);
        if (size == sizes_.end()) keys.fail(key, "no tensor has the storage " + in_quotes(name));
        if (file_->size - at_ < sizeof(int64_t)) fail_at(file_->path, at_, "the file ends too early");
        uint64_t count = number_at<uint64_t>(file_->data + at_);
        at_ += sizeof count;
        if (count > (file_->size - at_) / size->second)
            fail_at(file_->path, at_, "the file ends inside of storage " + in_quotes(name));
        entries.push_back(stored("archive/data/" + name, at_, count * size->second));
        at_ += count * size->second;
        sizes_.erase(size);  // each comes once
    }

    FilePointer file_;
    uint64_t at_;
    std::unordered_map<std::string, size_t> sizes_;
};

}  // namespace

bool is_legacy_pt(const File &file)
{
    return file.size >= MAGIC.size() && file.text(0, MAGIC.size()) == MAGIC;
}

Zip legacy_archive(FilePointer file) { return LegacyFile(std::move(file)).archive(); }

}  // namespace ct
