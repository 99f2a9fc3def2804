#pragma once
// A workload that is made when its case runs for the first time, and shared by all runs of the case.

#include <functional>
#include <memory>
#include <utility>

namespace bench {

template <class T>
class lazy {
public:
    explicit lazy(std::function<T()> make) : make_(std::make_shared<std::function<T()>>(std::move(make))) {}

    T& get() const {
        if (!*value_)
            *value_ = std::make_unique<T>((*make_)());
        return **value_;
    }

private:
    std::shared_ptr<std::function<T()>> make_;
    std::shared_ptr<std::unique_ptr<T>> value_ = std::make_shared<std::unique_ptr<T>>();
};

}  // namespace bench
