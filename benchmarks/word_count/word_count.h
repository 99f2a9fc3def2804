#pragma once
// How often each word occurs in real text: halves are counted apart, and the smaller count is added to the larger.
// Unlike the other workloads this one allocates memory on all threads.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"
#include "word_count/text.h"

namespace bench {

using word_counts = std::unordered_map<std::string_view, std::uint64_t>;

inline bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

// Calls f(word) for each word of the text.
template <class F>
void each_word(std::string_view text, const F& f) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_letter(text[end]))
            ++end;
        if (end > i)
            f(text.substr(i, end - i));
        i = end + 1;
    }
}

template <class Runtime>
word_counts count_words(std::string_view text) {
    constexpr std::size_t grain = 8192;  // bytes: some 50 us
    word_counts counts;
    if (text.size() <= grain) {
        each_word(text, [&](std::string_view word) { ++counts[word]; });
        return counts;
    }
    std::size_t middle = text.size() / 2;
    while (middle < text.size() && is_letter(text[middle]))
        ++middle;
    word_counts right;
    Runtime::fork([&] { counts = count_words<Runtime>(text.substr(0, middle)); },
                  [&] { right = count_words<Runtime>(text.substr(middle)); });
    if (counts.size() < right.size())
        std::swap(counts, right);
    for (const auto& [word, count] : right)
        counts[word] += count;
    return counts;
}

template <class Runtime>
class text_statistics {
public:
    // The text is repeated, or cut, to that many bytes.
    text_statistics(std::string text, std::size_t bytes) : text_(std::move(text)) {
        const std::string once = text_;
        while (text_.size() < bytes)
            text_ += once;
        text_.resize(bytes);
        each_word(text_, [&](std::string_view word) { ++expected_[std::string(word)]; });
    }

    void reset() { result_.clear(); }
    void run() {
        fork_root<Runtime>([this] { result_ = count_words<Runtime>(text_); });
    }

    std::size_t first_wrong() const {
        std::size_t number = 0;
        for (const auto& [word, count] : expected_) {
            const auto found = result_.find(word);
            if (found == result_.end() || found->second != count)
                return number;
            ++number;
        }
        return result_.size() == expected_.size() ? none : number;
    }

private:
    std::string text_;
    std::map<std::string, std::uint64_t> expected_;
    word_counts result_;
};

template <class Runtime>
void register_word_count(const options& o) {
    if (o.text.empty())
        return;
    const std::string text = read_text(o.text);
    const std::size_t largest = std::size_t{1} << (o.full ? 23 : o.papers ? 21 : 19);
    for (std::size_t bytes = o.papers ? largest : std::size_t{1} << 19; bytes <= largest; bytes *= 16)
        register_long_workload(
            "word_count/" + text_name(o.text) + "/" + std::to_string(bytes),
            lazy<text_statistics<Runtime>>([=] { return text_statistics<Runtime>(text, bytes); }));
}

}  // namespace bench
