// folder.cpp - what a folder holds.
//
//     (directory-files "digits")  =>  ("0" #t "1" #t "README" #f)
//
// Each name stands before whether it is a folder.  They are sorted by bytes; names that begin with
// a point are left out.

#include "data/data.h"
#include "files/files.h"
#include "files/json.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace ct {

Owned folder_entries(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
    if (!folder) fail_system("open", path, errno);
    std::vector<std::string> names;
    while (const dirent *entry = readdir(folder.get()))
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    std::vector<Owned> items;
    for (const std::string &name : names) {
        items.push_back(Owned::text(CT_STRING, name));
        items.push_back(Owned::boolean(is_folder(path + "/" + name)));
    }
    return Owned::items(CT_LIST, std::move(items));
}

}  // namespace ct
