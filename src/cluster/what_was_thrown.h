#pragma once
// What an exception says, for the message that ends a run. To be called in a handler.

#include <exception>
#include <string>

namespace bough::cluster {

inline std::string what_was_thrown() {
    try {
        throw;
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

}  // namespace bough::cluster
