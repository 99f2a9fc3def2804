#include "machine/environment_names.h"

#include <unistd.h>

#include "bough/exports/environment.h"

namespace bough::machine {

std::vector<std::string> environment_names(std::string_view prefix) {
    std::vector<std::string> names;
    if (detail::has_more_rights_than_its_starter())
        return names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (text.starts_with(prefix) && equals != std::string_view::npos && equals + 1 < text.size())
            names.emplace_back(text.substr(0, equals));
    }
    return names;
}

}  // namespace bough::machine
