#include "files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <set>
#include <sstream>

#include "tsp.h"

namespace searches {
namespace {

// Words of one line after the other; blank lines are left out.
class line_reader {
public:
    explicit line_reader(const problem_file& file) : file_(file.name) {
        if (file.text)
            in_ = std::make_unique<std::istringstream>(*file.text);
        else
            in_ = std::make_unique<std::ifstream>(file_);
        if (!*in_)
            throw input_error(why_unreadable(file_));
    }

    bool next() {
        std::string line;
        do {
            if (!std::getline(*in_, line)) {
                if (in_->bad())
                    fail("cannot be read further");
                return false;
            }
            ++number_;
            std::istringstream words(line);
            words_.clear();
            for (std::string word; words >> word;)
                words_.push_back(word);
        } while (words_.empty());
        return true;
    }
    // The same, where a line must come.
    void need(const char* what) {
        if (!next())
            throw input_error(file_ + ":" + std::to_string(number_ + 1) + ": the file ends before " + what);
    }

    const std::vector<std::string>& words() const { return words_; }

    void need_words(std::size_t n, const char* form) const {
        if (words_.size() != n)
            fail(std::string("not of the form '") + form + "'");
    }

    template <class Number>
    Number number(std::size_t i, Number least, Number most, const char* what) const {
        const std::string& word = words_[i];
        Number value{};
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !(value >= least && value <= most)) {
            std::ostringstream said;
            said << what << " '" << shown(word) << "' is no number from " << least << " to " << most;
            fail(said.str());
        }
        return value;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw input_error(file_ + ":" + std::to_string(number_) + ": " + what);
    }

    // A word of a file, fit for one line.
    static std::string shown(const std::string& word) {
        std::string some = word.substr(0, 40);
        for (char& c : some)
            if (c < ' ' || c > '~')
                c = '?';
        return some;
    }

private:
    std::string file_;
    std::unique_ptr<std::istream> in_;
    std::size_t number_ = 0;
    std::vector<std::string> words_;
};

}  // namespace

std::string why_unreadable(const std::string& name, const std::string& otherwise) {
    std::error_code ignored;
    const std::filesystem::file_status is = std::filesystem::status(name, ignored);
    if (is.type() == std::filesystem::file_type::not_found)
        return name + ": no such file" + otherwise;
    return name + (std::filesystem::is_directory(is) ? ": is a directory" : ": cannot be read");
}

std::optional<std::string> text_of_file(const std::string& name) {
    std::ifstream in(name);
    std::ostringstream text;
    if (!in || (in.peek() != std::ifstream::traits_type::eof() && !(text << in.rdbuf())) || in.bad())
        return std::nullopt;
    return text.str();
}

graph read_graph(const problem_file& file) {
    line_reader in(file);
    do
        in.need("its line 'p edge VERTICES EDGES'");
    while (in.words()[0] == "c");
    in.need_words(4, "p edge VERTICES EDGES");
    if (in.words()[0] != "p" || (in.words()[1] != "edge" && in.words()[1] != "col"))
        in.fail("not of the form 'p edge VERTICES EDGES'");
    const auto vertices = in.number<std::size_t>(2, 1, most_vertices, "the number of vertices");
    const auto edges = in.number<std::size_t>(3, 0, vertices * (vertices - 1) / 2, "the number of edges");
    graph g(vertices);
    for (std::size_t i = 0; i < edges; ++i) {
        do
            in.need("all its edges are there");
        while (in.words()[0] == "c");
        in.need_words(3, "e A B");
        if (in.words()[0] != "e")
            in.fail("not of the form 'e A B'");
        const auto a = in.number<std::size_t>(1, 1, vertices, "vertex"),
                   b = in.number<std::size_t>(2, 1, vertices, "vertex");
        if (a == b)
            in.fail("an edge from a vertex to itself");
        if (g.has_edge(a - 1, b - 1))
            in.fail("an edge that was there before");
        g.set_edge(a - 1, b - 1);
    }
    while (in.next())
        if (in.words()[0] != "c")
            in.fail("more edges than the line 'p edge' says");
    return g;
}

knapsack_problem read_knapsack(const problem_file& file) {
    constexpr std::int64_t most = knapsack::most - 1,
                           most_sum = most * static_cast<std::int64_t>(knapsack::most_items);
    line_reader in(file);
    knapsack_problem p;
    in.need("its capacity");
    in.need_words(1, "CAPACITY");
    p.capacity = in.number<std::int64_t>(0, 0, most_sum, "the capacity");
    in.need("the best profit");
    in.need_words(1, "BEST-PROFIT");
    p.known_profit = in.number<std::int64_t>(0, 0, most_sum, "the best profit");
    while (in.next()) {
        in.need_words(2, "PROFIT WEIGHT");
        if (p.items.size() == knapsack::most_items)
            in.fail("more than " + std::to_string(knapsack::most_items) + " items");
        p.items.push_back(
            {in.number<std::int64_t>(0, 0, most, "profit"), in.number<std::int64_t>(1, 0, most, "weight")});
    }
    return p;
}

namespace {

struct place {
    double x, y;
};

// As TSPLIB says: rounded to the nearest.
std::int64_t euclidean(const place& a, const place& b) {
    return static_cast<std::int64_t>(std::lround(std::hypot(a.x - b.x, a.y - b.y)));
}

// As TSPLIB says: DDD.MM are degrees and minutes; kilometres on its idealised earth, with its value of pi.
std::int64_t geographical(const place& a, const place& b) {
    constexpr double pi = 3.141592, radius = 6378.388;
    const auto radians = [](double x) {
        const double degrees = std::trunc(x);
        return pi * (degrees + 5 * (x - degrees) / 3) / 180;
    };
    const double q1 = std::cos(radians(a.y) - radians(b.y)), q2 = std::cos(radians(a.x) - radians(b.x)),
                 q3 = std::cos(radians(a.x) + radians(b.x));
    const double cosine = std::clamp(.5 * ((1 + q1) * q2 - (1 - q1) * q3), -1.0, 1.0);
    return static_cast<std::int64_t>(radius * std::acos(cosine) + 1);
}

// "KEY: value", "KEY : value" or "KEY".
struct tsplib_line {
    std::string key, value;
    explicit tsplib_line(const std::vector<std::string>& words) {
        std::string all;
        for (const std::string& w : words)
            all += (all.empty() ? "" : " ") + w;
        const std::size_t colon = all.find(':');
        key = all.substr(0, colon);
        key.erase(key.find_last_not_of(' ') + 1);
        if (colon != std::string::npos)
            value = all.substr(std::min(all.size(), all.find_first_not_of(' ', colon + 1)));
    }
};

struct tsplib_header {
    std::size_t cities = 0;
    bool is_geographical = false;
};

tsplib_header read_header(line_reader& in) {
    tsplib_header h;
    bool has_weights = false;
    for (;;) {
        in.need("its NODE_COORD_SECTION");
        const tsplib_line line(in.words());
        if (line.key == "NODE_COORD_SECTION") {
            if (h.cities == 0 || !has_weights)
                in.fail("DIMENSION or EDGE_WEIGHT_TYPE is missing before NODE_COORD_SECTION");
            return h;
        }
        if (line.key == "DIMENSION") {
            const std::size_t last = in.words().size() - 1;
            h.cities = in.number<std::size_t>(last, 1, tsp::most_cities, "the number of cities");
        } else if (line.key == "EDGE_WEIGHT_TYPE") {
            if (line.value != "GEO" && line.value != "EUC_2D")
                in.fail("EDGE_WEIGHT_TYPE '" + line_reader::shown(line.value) + "'; known: EUC_2D, GEO");
            h.is_geographical = line.value == "GEO";
            has_weights = true;
        } else if (line.key == "TYPE") {
            if (line.value != "TSP")
                in.fail("TYPE '" + line_reader::shown(line.value) + "'; known: TSP");
        } else if (line.key != "NAME" && line.key != "COMMENT" && line.key != "EDGE_WEIGHT_FORMAT" &&
                   line.key != "DISPLAY_DATA_TYPE" && line.key != "NODE_COORD_TYPE") {
            in.fail("'" + line_reader::shown(line.key) + "' is not known");
        }
    }
}

}  // namespace

city_map read_cities(const problem_file& file) {
    constexpr double most = 1e9;  // distances stay exact
    line_reader in(file);
    const tsplib_header h = read_header(in);
    std::vector<place> places(h.cities);
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < h.cities; ++i) {
        if (!in.next() || in.words()[0] == "EOF")
            in.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(h.cities) +
                    " cities");
        in.need_words(3, "CITY X Y");
        const auto city = in.number<std::size_t>(0, 1, h.cities, "city");
        if (!seen.insert(city).second)
            in.fail("a city that was there before");
        places[city - 1] = {in.number<double>(1, -most, most, "coordinate"),
                            in.number<double>(2, -most, most, "coordinate")};
    }
    if (in.next() && in.words()[0] != "EOF")
        in.fail("'" + line_reader::shown(in.words()[0]) + "' where EOF should be");
    city_map map{h.cities, std::vector<std::int64_t>(h.cities * h.cities)};
    for (std::size_t a = 0; a < h.cities; ++a)
        for (std::size_t b = 0; b < h.cities; ++b)
            if (a != b)
                map.distances[a * h.cities + b] =
                    h.is_geographical ? geographical(places[a], places[b]) : euclidean(places[a], places[b]);
    return map;
}

}  // namespace searches
