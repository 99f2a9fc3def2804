// A plugin that uses bough is loaded, used and unloaded again and again: right answers each time; bough itself stays,
// and nothing grows, neither memory nor threads, mappings and files. PLUGIN: its path.

#include "watched_children.h"

namespace {

long number(const bough_test::outcome& o, const std::string& key) {
    const std::size_t at = o.out.find(key + " ");
    return at == std::string::npos ? -1 : std::atol(o.out.c_str() + at + key.size());
}

void expect_flat(const bough_test::outcome& o, int threads) {
    EXPECT_EQ(o.err, "");
    EXPECT_LE(number(o, "late_threads"), std::max(2, threads) + bough_test::threads_of_tools()) << o.out;
    EXPECT_LE(number(o, "late_files"), number(o, "early_files")) << o.out;
    EXPECT_GT(number(o, "bough_mappings"), 0) << "bough is gone: " << o.out;
    EXPECT_EQ(number(o, "plugin_mappings"), 0) << "the plugin is still there: " << o.out;
    if (bough_test::sanitized || bough_test::is_emulated())
        return;  // they keep what was freed, and what they have translated
    // A worker that is stopped and started again may find its stack, and malloc's arena, elsewhere.
    EXPECT_LE(number(o, "late_mappings"), number(o, "early_mappings") + 4 * threads) << o.out;
    EXPECT_LE(number(o, "late_resident_kib"), number(o, "early_resident_kib") + 4096) << o.out;
}

TEST(plugin, loaded_and_unloaded_again_and_again) {
    const char* const plugin = std::getenv("PLUGIN");
    ASSERT_NE(plugin, nullptr) << "PLUGIN names none";
    const std::string folder = bough_test::own_path().substr(0, bough_test::own_path().rfind('/'));
    const std::string rounds = bough_test::long_run() ? "20000" : "200";
    for (const int threads : {1, 2, 8}) {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        const auto o = bough_test::run_program(folder + "/plugin_host", {plugin, rounds},
                                               {{"BOUGH_NUM_THREADS", std::to_string(threads)}});
        ASSERT_TRUE(o.succeeded()) << o.what();
        expect_flat(o, threads);
    }
}

}  // namespace
