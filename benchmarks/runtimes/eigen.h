#pragma once
// Eigen's ThreadPoolDevice over its non-blocking pool of P - 1 threads: the caller runs a block too. A loop is cut
// into one block per thread, whatever its body costs. A thread of the pool that waits does not help, so a loop inside
// a loop runs serially.

#include <algorithm>
#include <memory>
#include <string>

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>

#include "common/runtime.h"

namespace bench {

struct eigen {
    static constexpr const char* name = "eigen";
    static constexpr bool starts_all = true;
    static std::string version() {
        return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) +
               "." + std::to_string(EIGEN_MINOR_VERSION);
    }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        threads_ = threads;
        if (threads > 1) {
            pool_ = std::make_unique<Eigen::ThreadPool>(static_cast<int>(threads - 1));
            device_ = std::make_unique<Eigen::ThreadPoolDevice>(pool_.get(), static_cast<int>(threads));
        }
        f();
        device_.reset();
        pool_.reset();
    }

    template <class F>
    static void parallel_for(index first, index last, const F& f) {
        blocks(first, last, [&](index begin, index end) { each(begin, end, f); });
    }

    template <class Op, class F>
    static double parallel_reduce(index first, index last, const F& f) {
        partial partials[max_partials];
        const index size = block_size(first, last);
        blocks(first, last, [&](index begin, index end) {
            partials[(begin - first) / size].value = fold<Op>(begin, end, Op::identity, f);
        });
        double value = Op::identity;
        for (index block = 0; block * size < last - first; ++block)
            value = Op::apply(value, partials[block].value);
        return value;
    }

private:
    static constexpr index max_partials = 1024;
    struct alignas(64) partial {
        double value;
    };

    static index block_size(index first, index last) {
        return std::max<index>(1, (last - first + threads_ - 1) / threads_);
    }

    template <class Block>
    static void blocks(index first, index last, const Block& block) {
        if (!device_ || inside_ || last - first < 2) {
            if (first < last)
                block(first, last);
            return;
        }
        const auto size = static_cast<Eigen::Index>(block_size(first, last));
        const Eigen::TensorOpCost dear(0, 0, 1e9);
        device_->parallelFor(
            static_cast<Eigen::Index>(last - first), dear, [size](Eigen::Index) { return size; },
            [&](Eigen::Index begin, Eigen::Index end) {
                inside_ = true;
                block(first + static_cast<index>(begin), first + static_cast<index>(end));
                inside_ = false;
            });
    }

    static inline unsigned threads_ = 1;
    static inline std::unique_ptr<Eigen::ThreadPool> pool_;
    static inline std::unique_ptr<Eigen::ThreadPoolDevice> device_;
    static inline thread_local bool inside_ = false;
};

}  // namespace bench
