#pragma once
// Messages over MPI, by its standard calls only: two-sided, non-blocking, from the one thread that makes this object
// (MPI_THREAD_FUNNELED). README.md says why neither one-sided calls nor MPI_THREAD_MULTIPLE.

#include <functional>
#include <memory>
#include <optional>

#include "cluster/transport.h"

namespace bough::cluster {

class mpi_transport final : public transport {
public:
    // Initialises MPI. One at a time, and one for each process: MPI cannot be initialised twice.
    mpi_transport(int* argc, char*** argv);
    // Waits until what it sent is out, and finalises MPI; on all ranks, after session::end().
    ~mpi_transport() override;
    mpi_transport(const mpi_transport&) = delete;
    mpi_transport& operator=(const mpi_transport&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    time_ns now() const override;
    void send(int to, message m) override;
    std::optional<message> poll() override;
    bool is_sending() override;
    bool is_sending_to(int rank) override;
    bool is_receiving() const override;
    // Prints the reason and ends all ranks, by MPI_Abort.
    [[noreturn]] void give_up(const std::string& why) override;

private:
    struct state;  // what needs mpi.h

    void drop_what_is_sent();

    std::unique_ptr<state> state_;
    int rank_ = 0;
    int size_ = 1;
};

// The main function of a program on several ranks: calls the body with a transport. An exception of one rank ends
// the run on all; its text is printed with the rank. The exit status of the process.
using mpi_program = std::function<int(int argc, char** argv, transport& over)>;
int run_on_mpi(int argc, char** argv, const mpi_program& body);

}  // namespace bough::cluster
