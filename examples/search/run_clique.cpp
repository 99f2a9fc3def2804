#include "clique.h"
#include "files.h"
#include "programs.h"

namespace searches {
namespace {

// Not all of them adjacent, or not as many as said.
bool is_no_clique(const graph& g, const std::vector<std::size_t>& vertices, std::int64_t size) {
    for (std::size_t i = 0; i < vertices.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!g.has_edge(vertices[i], vertices[j]))
                return true;
    return static_cast<std::int64_t>(vertices.size()) != size;
}

std::string vertices_text(std::int64_t n) {
    return counted(static_cast<std::uint64_t>(n), "vertex", "vertices");
}

template <std::size_t Words>
report run(const graph& g, std::optional<std::int64_t> target, const bough::search::options& o) {
    const clique<Words> space(g);
    const auto found = target ? bough::search::decide_at_least(space, space.root(), *target, o)
                              : bough::search::maximise(space, space.root(), o);
    report r = report_of(found);
    if (!found.node) {
        r.text = "no clique of " + vertices_text(*target);
        return r;
    }
    std::vector<std::size_t> vertices = space.vertices(*found.node);
    if (is_no_clique(g, vertices, found.objective))
        r.wrong = "the vertices are no clique of " + std::to_string(found.objective);
    for (std::size_t& v : vertices)
        ++v;  // as files number them
    r.answer["vertices"] = vertices;
    r.text = "a clique of " + vertices_text(found.objective) + ":" + in_line(vertices);
    return r;
}

}  // namespace

report run_clique(const problem_file& file, std::optional<std::int64_t> target,
                  const bough::search::options& o) {
    const std::optional<graph> made = make_graph(file.name);
    const graph g = made ? *made : read_graph(file);
    if (g.vertices() <= 256)
        return run<4>(g, target, o);
    if (g.vertices() <= 1024)
        return run<16>(g, target, o);
    return run<most_vertices / 64>(g, target, o);
}

}  // namespace searches
