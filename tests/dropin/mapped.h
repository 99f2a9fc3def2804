#pragma once
// Prints the TBB and bough libraries that this process has mapped, one line each. For the programs of these tests.

#include <fstream>
#include <iostream>
#include <set>
#include <string>

inline void print_mapped() {
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> files;
    for (std::string line; std::getline(maps, line);) {
        const std::string::size_type path = line.find('/');
        const std::string::size_type name = line.rfind('/') + 1;
        if (path != std::string::npos &&
            (line.compare(name, 6, "libtbb") == 0 || line.compare(name, 8, "libbough") == 0))
            files.insert(line.substr(path));
    }
    for (const std::string& file : files)
        std::cout << "mapped " << file << '\n';
}
