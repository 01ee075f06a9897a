// archive.cpp - what an archive must be before LibTorch reads a module from it.
//
// LibTorch's reader takes an archive's word: for the sizes of storages, behind whose ends it would
// read, and for the numbers under which values are kept, each of which it makes room for.  It finds
// files whatever the case of their names.  So the archive is checked whole, checksums included, its
// pickles are read as data first, and LibTorch gets the very bytes that were checked.

#include "torchscript/module.h"
#include "files/storages.h"

#include <algorithm>
#include <unordered_set>

namespace {

using namespace ct;

class MappedFile final : public caffe2::serialize::ReadAdapterInterface {
public:
    explicit MappedFile(FilePointer file) : file_(std::move(file)) {}

    size_t size() const override { return file_->size; }

    size_t read(uint64_t from, void *to, size_t length, const char *) const override
    {
        if (from > file_->size) return 0;
        length = std::min<size_t>(length, file_->size - from);
        std::memcpy(to, file_->data + from, length);
        return length;
    }

private:
    FilePointer file_;
};

std::string in_lower_case(std::string text)
{
    for (char &c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return text;
}

void check_names(const Zip &zip)
{
    std::unordered_set<std::string> seen;
    for (const ZipEntry &entry : zip.entries)
        if (!seen.insert(in_lower_case(entry.name)).second)
            fail_at(zip.file->path, entry.from, "the ZIP entry " + in_quotes(entry.name) +
                                                    " comes twice, in another case");
}

constexpr uint64_t LONGEST = uint64_t{1} << 25;  // of what no pickle describes, as program text

using Entries = std::unordered_set<const ZipEntry *>;

bool is_pickle(const ZipEntry &entry) { return in_lower_case(entry.name).ends_with(".pkl"); }

// The inputs that a module was traced with are kept without their elements, and nobody looks at them.
void check_pickle(const Zip &zip, const ZipEntry &entry, Entries &described)
{
    Pickle pickle(zip, entry, Pickle::Holds::OBJECTS);
    if (in_lower_case(entry.name).ends_with("/traced_inputs.pkl")) return;
    Storages storages(zip, pickle, entry);
    for (const Pickled &value : pickle.values())
        if (value.kind == Pickled::Persistent) described.insert(&storages.check(value));
}

// Whole, and no larger than something in the archive says it should be: a few deflated bytes could
// unpack to any number.
void verify(const Zip &zip, const ZipEntry &entry, const Entries &described)
{
    if (entry.deflated && entry.size > LONGEST && !described.count(&entry))
        fail_at(zip.file->path, entry.from, "the ZIP entry " + in_quotes(entry.name) +
                                                " unpacks to more than 32 MiB, which no pickle in "
                                                "the archive describes");
    zip.verify(entry, zip.unpacked(entry).text());
}

// Pickles first: they say how large the rest may be.
void check_entries(const Zip &zip)
{
    Entries described;
    for (const ZipEntry &entry : zip.entries)
        if (is_pickle(entry)) verify(zip, entry, described);
    for (const ZipEntry &entry : zip.entries)
        if (is_pickle(entry)) check_pickle(zip, entry, described);
    for (const ZipEntry &entry : zip.entries)
        if (!is_pickle(entry)) verify(zip, entry, described);
}

}  // namespace

std::shared_ptr<caffe2::serialize::ReadAdapterInterface> ct::checked_archive(const std::string &path)
{
    Zip zip(open_file(path));
    check_names(zip);
    bool script = false, pickle = false;
    for (const ZipEntry &entry : zip.entries) {
        script |= entry.name.ends_with("/constants.pkl");
        pickle |= entry.name.ends_with("/data.pkl");
    }
    if (!script)
        fail_about(path, "it holds no TorchScript module",
                   pickle ? "(load-state-dict path) reads a state dict" : "");
    check_entries(zip);
    return std::make_shared<MappedFile>(zip.file);
}
