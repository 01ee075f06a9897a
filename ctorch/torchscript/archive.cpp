// archive.cpp - checks of an archive before LibTorch reads a module from it.
//
// LibTorch's reader trusts an archive: it would read beyond the ends of storages with wrong sizes,
// and it allocates an array as long as the largest memo number.  It ignores the case of file names.
// So the whole archive is checked, checksums included, its pickles are read as data first, and
// LibTorch reads the same bytes that were checked.

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
                                                    " occurs twice, in another case");
}

constexpr uint64_t LONGEST = uint64_t{1} << 25;  // of an entry that no pickle describes

using Entries = std::unordered_set<const ZipEntry *>;

bool is_pickle(const ZipEntry &entry) { return in_lower_case(entry.name).ends_with(".pkl"); }

// The inputs with which a module was traced are saved without their elements, and are not read.
void check_pickle(const Zip &zip, const ZipEntry &entry, Entries &described)
{
    Pickle pickle(zip, entry, Pickle::Holds::OBJECTS);
    if (in_lower_case(entry.name).ends_with("/traced_inputs.pkl")) return;
    Storages storages(zip, pickle, entry);
    for (const Pickled &value : pickle.values())
        if (value.kind == Pickled::Persistent) described.insert(&storages.check(value));
}

// Checks that an entry is undamaged, and that a pickle describes it if it is large: a few deflated
// bytes could unpack to any number.
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
        fail_about(path, "it does not hold a TorchScript module",
                   pickle ? "(load-state-dict path) reads a state dict" : "");
    check_entries(zip);
    return std::make_shared<MappedFile>(zip.file);
}
