// Runs a target on files and on the files of folders, once each: the corpus as a test, in builds without the fuzzer.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz_support.h"

namespace {

namespace fs = std::filesystem;

void replay(const fs::path& file) {
    std::fprintf(stderr, "%s\n", file.c_str());  // the last one is the culprit
    std::ifstream in(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
    int inputs = 0;
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            replay(argv[i]);
            ++inputs;
            continue;
        }
        for (const auto& entry : fs::directory_iterator(argv[i])) {
            replay(entry.path());
            ++inputs;
        }
    }
    std::printf("%d inputs\n", inputs);
    return inputs > 0 ? 0 : 1;
}
