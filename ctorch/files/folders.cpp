// folders.cpp - what a folder holds, and new folders.
//
//     ct_procedure("list-folder", 1, {"runs"})  =>  ("a" "b"), in alphabetical order

#include "files/files.h"
#include "files/procedures.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace {

using namespace ct;

constexpr mode_t NEW_FOLDER_MODE = 0777;  // less the process's mask

void create_one(const std::string &path)
{
    if (!mkdir(path.c_str(), NEW_FOLDER_MODE) || (errno == EEXIST && is_folder(path))) return;
    fail_system("create the folder", path, errno);
}

}  // namespace

std::vector<std::string> ct::names_in_folder(const std::string &path)
{
    DIR *folder = opendir(path.c_str());
    if (!folder) fail_system("open", path, errno);
    std::vector<std::string> names;
    while (const dirent *entry = readdir(folder)) {
        std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(std::move(name));
    }
    closedir(folder);
    std::sort(names.begin(), names.end());
    return names;
}

// (path)  Names that are not UTF-8 are left out: no string can hold them.
ct::Owned ct::list_folder(const ProcedureArguments &given)
{
    std::vector<Owned> names;
    for (const std::string &name : names_in_folder(given.text(0)))
        if (is_text(name)) names.push_back(Owned::text(CT_STRING, name));
    return Owned::items(CT_LIST, std::move(names));
}

// (path)  Also the folders above it.
ct::Owned ct::make_folder(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
        create_one(path.substr(0, end));
    create_one(path);
    return Owned();
}

ct::Owned ct::is_folder_path(const ProcedureArguments &given)
{
    return Owned::boolean(is_folder(given.text(0)));
}
