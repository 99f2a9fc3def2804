#pragma once
// A fixed-size array on its own pages: its place in memory does not depend on what the runtime allocated before.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace bench {

template <class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    buffer() = default;
    explicit buffer(std::size_t size, T value = T{}) : data_(allocate(size)), size_(size) { fill(value); }

    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data_[i]; }

    void fill(T value) {
        for (std::size_t i = 0; i < size_; ++i)
            data_[i] = value;
    }

private:
    static constexpr std::size_t page = 4096;

    static T* allocate(std::size_t size) {
        const std::size_t bytes = (size * sizeof(T) / page + 1) * page;
        void* p = std::aligned_alloc(page, bytes);
        if (!p)
            throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    struct release {
        void operator()(T* p) const { std::free(p); }
    };

    std::unique_ptr<T[], release> data_;
    std::size_t size_ = 0;
};

}  // namespace bench
