// mapping.cpp - mapping files for reading, writing files that appear when they are complete, and
// failures that name the file.

#include "errors/interrupts.h"
#include "files/files.h"
#include "files/neighbours.h"
#include "text/utf8.h"
#include "tensor/plain.h"

#include <ATen/ops/contiguous_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers");

namespace {

constexpr size_t LONGEST_SHOWN = 4096;  // of a path or a name, in a message
constexpr mode_t NEW_FILE_MODE = 0666;
constexpr size_t LARGEST_WRITE = size_t{8} << 20;  // bytes between two polls for Ctrl-C
constexpr size_t LARGEST_ALIGNMENT = 8;            // that any element needs
constexpr int STATUS_OF_LOST_FILE = 74;            // sysexits.h: an error of input or output

// The files that are mapped now: where they begin, and their sizes.
// They are never destroyed: tensors may outlive them.
std::mutex &mappings_lock = *new std::mutex;
std::map<char *, uint64_t> &mappings = *new std::map<char *, uint64_t>;

// The same for the handler of SIGBUS, which must not wait for a lock.  A file that finds no slot free
// is mapped without one.
struct Slot {
    std::atomic<const char *> begin{nullptr};
    std::atomic<uint64_t> size{0};
    std::atomic<const char *> path{nullptr};
};
constexpr size_t SLOTS = 1024;
Slot slots[SLOTS];

struct sigaction handler_before;

void say(const char *text)
{
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// Another process made a file shorter: pages behind its new end cannot be read.  The fault may come
// anywhere, also in LibTorch's threads, so the program ends here.
void on_lost_page(int number, siginfo_t *info, void *)
{
    auto *place = static_cast<const char *>(info->si_addr);
    for (Slot &slot : slots) {
        const char *begin = slot.begin.load();
        if (!begin || place < begin || place >= begin + slot.size.load()) continue;
        say("lambent: the file \"");
        say(slot.path.load());
        say("\" became shorter while it was in use: a part of its tensors is lost\n"
            "hint: write a new version to another file, and rename that one\n");
        _exit(STATUS_OF_LOST_FILE);
    }
    sigaction(number, &handler_before, nullptr);  // not ours: the fault comes again, and goes there
}

void handle_lost_pages()
{
    static const bool once = [] {
        struct sigaction action = {};
        action.sa_sigaction = on_lost_page;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        return sigaction(SIGBUS, &action, &handler_before) == 0;
    }();
    static_cast<void>(once);
}

void take_slot(const char *begin, uint64_t size, const char *path)
{
    handle_lost_pages();
    for (Slot &slot : slots) {
        if (slot.begin.load()) continue;
        slot.size = size;
        slot.path = path;
        slot.begin = begin;
        return;
    }
}

void give_slot_back(const char *begin)
{
    for (Slot &slot : slots)
        if (slot.begin.load() == begin) slot.begin = nullptr;
}

// Closes its file descriptor at the end of a scope.
struct Descriptor {
    int number;
    ~Descriptor()
    {
        if (number >= 0) close(number);
    }
};

std::optional<struct stat> status_of(const std::string &path)
{
    struct stat status;
    if (stat(path.c_str(), &status)) return std::nullopt;
    return status;
}

mode_t mode_of_new_files()
{
    mode_t mask = umask(0);
    umask(mask);
    return NEW_FILE_MODE & ~mask;
}

// The target of a symbolic link; the path itself if it is not one, or its target does not exist.
std::string behind_links(const std::string &path)
{
    char *real = realpath(path.c_str(), nullptr);
    std::string found = real ? real : path;
    std::free(real);
    return found;
}

constexpr std::string_view TEMPORARY = ".saving.", ANY_LETTERS = "XXXXXX";

// "models/net.pt" => "models/", "net.pt" => ""
std::string folder_of(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

// "models/net.pt" => "models/.saving.XXXXXX": the file's own name may already be as long as names
// can be.
std::string temporary_beside(const std::string &path)
{
    return folder_of(path) + std::string(TEMPORARY) + std::string(ANY_LETTERS);
}

bool is_temporary(const std::string &name)
{
    return name.starts_with(TEMPORARY) && name.size() == TEMPORARY.size() + ANY_LETTERS.size();
}

// Removes a temporary file unless a process still writes to it, which then holds its lock.
void remove_if_stale(const std::string &path)
{
    Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
    struct stat status;
    if (file.number < 0 || fstat(file.number, &status) || !S_ISREG(status.st_mode)) return;
    if (!flock(file.number, LOCK_EX | LOCK_NB)) unlink(path.c_str());
}

void remove_stale_temporaries(const std::string &folder)
{
    DIR *entries = opendir(folder.empty() ? "." : folder.c_str());
    if (!entries) return;
    while (const dirent *entry = readdir(entries))
        if (is_temporary(entry->d_name)) remove_if_stale(folder + entry->d_name);
    closedir(entries);
}

// The names in a folder reach the disk, too.  Some file systems refuse; the file itself is complete.
void sync_folder(const std::string &folder)
{
    Descriptor file{open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY)};
    if (file.number >= 0) fsync(file.number);
}

}  // namespace

namespace ct {

std::string in_quotes(std::string_view text)
{
    static const char plain[] = "\a\b\t\n\r\\\"", letters[] = "abtnr\\\"";
    std::string out = "\"";
    for (size_t k = 0; k < text.size() && out.size() < LONGEST_SHOWN;) {
        size_t length = utf8_length(text.substr(k));
        unsigned char c = static_cast<unsigned char>(text[k]);
        const char *found = c ? std::strchr(plain, c) : nullptr;
        if (found) {
            (out += '\\') += letters[found - plain];
        } else if (!length || c < ' ' || c == 0x7F) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\x%x;", c);
            out += escape;
        } else {
            out += text.substr(k, length);
        }
        k += std::max<size_t>(length, 1);
    }
    return out.size() < LONGEST_SHOWN ? out + "\"" : out + "...";
}

bool is_text(std::string_view name)
{
    for (size_t k = 0; k < name.size();) {
        size_t length = utf8_length(name.substr(k));
        if (!length || !name[k]) return false;
        k += length;
    }
    return true;
}

void check_text(std::string_view text, const char *noun, const std::string &path, uint64_t byte)
{
    if (!is_text(text))
        fail_at(path, byte, std::string("the ") + noun + " " + in_quotes(text) + " is not text");
}

void fail_about(const std::string &path, const std::string &what, const std::string &hint)
{
    throw Failure{in_quotes(path) + ": " + what, hint};
}

void fail_at(const std::string &path, uint64_t byte, const std::string &what,
             const std::string &hint)
{
    throw Failure{in_quotes(path) + ", byte " + std::to_string(byte) + ": " + what, hint};
}

// Reading.

File::File(std::string path, char *data, uint64_t size)
    : path(std::move(path)), data(data), size(size)
{
    std::lock_guard lock(mappings_lock);
    mappings[data] = size;
    if (size) take_slot(data, size, this->path.c_str());
}

File::~File()
{
    std::lock_guard lock(mappings_lock);
    mappings.erase(data);
    give_slot_back(data);
#ifdef __SANITIZE_ADDRESS__
    std::free(data);
#else
    if (size) munmap(data, size);
#endif
}

static void free_pages(char *begin, char *end)
{
#ifndef __SANITIZE_ADDRESS__
    if (begin < end) madvise(begin, static_cast<size_t>(end - begin), MADV_DONTNEED);
#endif
}

void File::give_back(uint64_t from, uint64_t length) const
{
    auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t begin = (from + page - 1) / page * page, end = (from + length) / page * page;
    free_pages(data + begin, data + end);
}

void give_back_pages(const at::Tensor &x)
{
    if (!x.is_cpu() || !x.is_non_overlapping_and_dense()) return;  // dense: also a transposed matrix
    auto *start = static_cast<char *>(const_cast<void *>(x.const_data_ptr()));
    std::lock_guard lock(mappings_lock);
    auto after = mappings.upper_bound(start);
    if (after == mappings.begin()) return;
    auto [data, size] = *std::prev(after);
    auto from = static_cast<uint64_t>(start - data);
    if (from >= size || x.nbytes() > size - from) return;
    auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t begin = (from + page - 1) / page * page, end = (from + x.nbytes()) / page * page;
    free_pages(data + begin, data + end);
}

// Whether the bytes lie in one mapped file.
static bool are_in_one_file(const char *start, uint64_t bytes)
{
    std::lock_guard lock(mappings_lock);
    auto after = mappings.upper_bound(const_cast<char *>(start));
    if (after == mappings.begin()) return false;
    auto [data, size] = *std::prev(after);
    auto from = static_cast<uint64_t>(start - data);
    return from < size && bytes <= size - from;
}

static bool are_neighbours(const at::Tensor &a, const at::Tensor &b)
{
    if (!a.is_cpu() || !b.is_cpu() || a.scalar_type() != b.scalar_type() || !a.dim() ||
        a.dim() != b.dim() || !a.is_contiguous() || !b.is_contiguous() || !a.numel() ||
        !b.numel() || a.sizes().slice(1) != b.sizes().slice(1))
        return false;
    auto *start = static_cast<const char *>(a.const_data_ptr());
    return b.const_data_ptr() == start + a.nbytes() &&
           are_in_one_file(start, a.nbytes() + b.nbytes());
}

Owned join_neighbours(const ProcedureArguments &given)
{
    at::Tensor a = given.tensor(0).detach(), b = given.tensor(1).detach();
    if (!are_neighbours(a, b)) return Owned::boolean(false);
    std::vector<int64_t> sizes = a.sizes().vec();
    sizes[0] += b.size(0);
    // Both keep the file mapped.
    return Owned::tensor(at::from_blob(a.data_ptr(), sizes, strides_in_a_row(sizes),
                                       [a, b](void *) {}, a.options()));
}

#ifdef __SANITIZE_ADDRESS__
// In a build that looks for reads out of bounds, a file lies in memory that has bounds.
FilePointer read_to_heap(const std::string &path, int descriptor, uint64_t size)
{
    auto *data = static_cast<char *>(std::malloc(size));
    for (uint64_t done = 0; data && done < size;) {
        ssize_t now = read(descriptor, data + done, size - done);
        if (now <= 0) fail_system("read", path, EIO);
        done += static_cast<uint64_t>(now);
    }
    return std::make_shared<File>(path, data, size);
}
#endif

// What a repository has instead of a large file until `git lfs pull`.
static constexpr std::string_view POINTER_OF_LFS = "version https://git-lfs.";

static void refuse_pointer(const File &file)
{
    if (file.size >= POINTER_OF_LFS.size() &&
        file.text(0, POINTER_OF_LFS.size()) == POINTER_OF_LFS)
        fail_about(file.path, "it is a pointer of Git LFS, not the file itself",
                   "\"git lfs pull\" in its folder fetches the file");
}

static FilePointer checked(FilePointer file)
{
    refuse_pointer(*file);
    return file;
}

// A pipe is opened without blocking, so that the open does not wait for a writer; then it is
// refused.
FilePointer open_file(const std::string &path)
{
    Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat status;
    if (file.number < 0 || fstat(file.number, &status)) fail_system("open", path, errno);
    if (S_ISDIR(status.st_mode)) fail_system("open", path, EISDIR);
    if (!S_ISREG(status.st_mode)) fail_about(path, "it is not a regular file");
    uint64_t size = static_cast<uint64_t>(status.st_size);
    if (!size) return std::make_shared<File>(path, nullptr, 0);
#ifdef __SANITIZE_ADDRESS__
    return checked(read_to_heap(path, file.number, size));
#endif
    void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                      file.number, 0);
    if (data == MAP_FAILED) fail_system("read", path, errno);
    return checked(std::make_shared<File>(path, static_cast<char *>(data), size));
}

bool exists(const std::string &path) { return status_of(path).has_value(); }

bool is_folder(const std::string &path)
{
    std::optional<struct stat> status = status_of(path);
    return status && S_ISDIR(status->st_mode);
}

const DtypeCode *find_dtype(DtypeCodes codes, const std::string &code)
{
    for (const DtypeCode &entry : codes)
        if (code == entry.code) return &entry;
    return nullptr;
}

const DtypeCode *find_code(DtypeCodes codes, at::ScalarType dtype)
{
    for (const DtypeCode &entry : codes)
        if (dtype == entry.dtype) return &entry;
    return nullptr;
}

bool byte_count(at::IntArrayRef sizes, at::ScalarType dtype, uint64_t *bytes)
{
    int64_t total = static_cast<int64_t>(c10::elementSize(dtype));
    bool empty = false;
    for (int64_t size : sizes) {
        if (size < 0) return false;
        empty |= size == 0;
    }
    // Computed even if a later size is 0: strides are products of the other sizes.
    for (int64_t size : sizes)
        if (size && __builtin_mul_overflow(total, size, &total)) return false;
    *bytes = empty ? 0 : static_cast<uint64_t>(total);
    return true;
}

std::vector<int64_t> strides_in_a_row(at::IntArrayRef sizes)
{
    std::vector<int64_t> strides(sizes.size());
    int64_t step = 1;
    for (size_t k = sizes.size(); k-- > 0; step *= std::max<int64_t>(sizes[k], 1))
        strides[k] = step;
    return strides;
}

at::Tensor tensor_at(Keeper keeper, char *start, at::ScalarType dtype, at::IntArrayRef sizes,
                     at::IntArrayRef strides)
{
    uint64_t bytes;
    at::TensorOptions options = at::TensorOptions().dtype(dtype).device(at::kCPU);
    TORCH_CHECK(byte_count(sizes, dtype, &bytes), "a size that was not checked");
    if (!bytes) return at::empty(sizes, options);
    size_t alignment = std::min<size_t>(c10::elementSize(dtype), LARGEST_ALIGNMENT);
    if (reinterpret_cast<uintptr_t>(start) % alignment == 0)
        return at::from_blob(start, sizes, strides, [keeper](void *) {}, options);
    at::Tensor copy = at::empty_strided(sizes, strides, options);
    std::memcpy(copy.data_ptr(), start, bytes);
    return copy;
}

at::Tensor tensor_in(const FilePointer &file, uint64_t from, at::ScalarType dtype,
                     at::IntArrayRef sizes)
{
    return tensor_at(file, file->data + from, dtype, sizes, strides_in_a_row(sizes));
}

// Writing.

Output::Output(const std::string &path) : path_(behind_links(path))
{
    std::optional<struct stat> before = status_of(path_);
    if (before && !S_ISREG(before->st_mode)) {  // a device or a pipe is written to directly
        descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail_system("open", path, errno);
        return;
    }
    if (before && access(path_.c_str(), W_OK)) fail_system("open", path, errno);
    remove_stale_temporaries(folder_of(path_));
    create_temporary(path);
    fchmod(descriptor_, before ? before->st_mode & 07777 : mode_of_new_files());
}

// A process that cleans up may remove the file before it is locked: then another one is created.
void Output::create_temporary(const std::string &shown)
{
    for (;;) {
        temporary_ = temporary_beside(path_);
        descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
        if (descriptor_ < 0) {
            temporary_.clear();
            fail_system("open", shown, errno);
        }
        while (flock(descriptor_, LOCK_EX) && errno == EINTR) continue;
        struct stat status;
        if (fstat(descriptor_, &status) || status.st_nlink) return;
        close(std::exchange(descriptor_, -1));
    }
}

Output::~Output()
{
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void Output::write(const void *bytes, size_t size)
{
    const char *at = static_cast<const char *>(bytes);
    written_ += size;
    while (size) {
        poll_interrupt();
        ssize_t done = ::write(descriptor_, at, std::min(size, LARGEST_WRITE));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail_system("write", path_, errno);
        at += done;
        size -= static_cast<size_t>(done);
    }
}

void Output::commit()
{
    if (temporary_.empty()) return;
    if (fsync(descriptor_)) fail_system("write", path_, errno);
    if (rename(temporary_.c_str(), path_.c_str())) fail_system("write", path_, errno);
    temporary_.clear();
    sync_folder(folder_of(path_));
}

void check_is_dense(const at::Tensor &x)
{
    if (x.layout() != at::kStrided || x.is_quantized())
        throw Failure{"only dense tensors can be saved, got " + describe(x), ""};
}

at::Tensor as_stored(const at::Tensor &x)
{
    check_is_dense(x);
    at::Tensor there = plain(at::_ops::detach::call(x)).cpu();
    return at::_ops::contiguous::call(there, at::MemoryFormat::Contiguous);
}

}  // namespace ct
