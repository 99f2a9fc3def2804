// bough-run, asked to start a file of any content, finds a program that glibc's loader starts, or says in one line why
// not. It only looks: nothing is started.

#include <filesystem>

#include "failure.h"
#include "fuzz_support.h"
#include "program.h"

namespace {

using bough_fuzz::check;
namespace run = bough::run;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bough_fuzz::memory_file file;
    file.hold(bough_fuzz::text_of(data, size));
    try {
        const run::program found = run::find_program(file.path());
        check(found.path == file.path(), "what to execute", found.path);
        check(found.by_script == (found.image != found.path), "an image of its own, or a script's",
              found.image);
        check(std::filesystem::is_regular_file(found.image), "the image is a file", found.image);
        check(std::filesystem::path(found.loader).filename().string().starts_with("ld-linux"),
              "started by glibc's loader", found.loader);
    } catch (const run::failure& f) {
        check(f.status == run::status_cannot_run || f.status == run::status_not_found,
              "an exit status as env has", std::to_string(f.status));
        check(f.what.find(file.path()) != std::string::npos, "it names the file", f.what);
    }
    return 0;
}
