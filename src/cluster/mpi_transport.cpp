#include "cluster/mpi_transport.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/session.h"
#include "cluster/what_was_thrown.h"
#include "cluster/wire.h"

namespace bough::cluster {
namespace {

constexpr int tag = 0;

}  // namespace

struct mpi_transport::state {
    struct sending {
        bytes buffer;  // MPI reads it until the request is done
        int to = 0;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    MPI_Comm ranks = MPI_COMM_NULL;
    std::vector<sending> out;  // bytes that move from place to place stay where MPI reads them
    // One message at a time is received, so that those of one sender stay in order.
    bytes in;
    MPI_Request receiving = MPI_REQUEST_NULL;
    int sender = 0;
};

mpi_transport::mpi_transport(int* argc, char*** argv) : state_(std::make_unique<state>()) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED)
        throw std::runtime_error("bough: this MPI does not allow threads beside the one that calls it");
    MPI_Comm_dup(MPI_COMM_WORLD, &state_->ranks);  // errors end the run, as on the world
    MPI_Comm_rank(state_->ranks, &rank_);
    MPI_Comm_size(state_->ranks, &size_);
}

mpi_transport::~mpi_transport() {
    while (is_sending())
        std::this_thread::yield();
    MPI_Comm_free(&state_->ranks);
    MPI_Finalize();
}

time_ns mpi_transport::now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void mpi_transport::send(int to, message m) {
    state::sending& s = state_->out.emplace_back();
    s.buffer = write_message(m);
    s.to = to;
    MPI_Isend(s.buffer.data(), static_cast<int>(s.buffer.size()), MPI_BYTE, to, tag, state_->ranks,
              &s.request);
}

void mpi_transport::drop_what_is_sent() {
    std::erase_if(state_->out, [](state::sending& s) {
        int done = 0;
        MPI_Test(&s.request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

bool mpi_transport::is_sending() {
    drop_what_is_sent();
    return !state_->out.empty();
}

bool mpi_transport::is_sending_to(int rank) {
    drop_what_is_sent();
    return std::any_of(state_->out.begin(), state_->out.end(),
                       [rank](const state::sending& s) { return s.to == rank; });
}

bool mpi_transport::is_receiving() const {
    return state_->receiving != MPI_REQUEST_NULL;
}

std::optional<message> mpi_transport::poll() {
    drop_what_is_sent();
    state& s = *state_;
    if (s.receiving == MPI_REQUEST_NULL) {
        int found = 0;
        MPI_Message matched = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, tag, s.ranks, &found, &matched, &status);
        if (!found)
            return std::nullopt;
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        s.in.resize(static_cast<std::size_t>(size));
        s.sender = status.MPI_SOURCE;
        MPI_Imrecv(s.in.data(), size, MPI_BYTE, &matched, &s.receiving);
    }
    int done = 0;
    MPI_Test(&s.receiving, &done, MPI_STATUS_IGNORE);  // the request becomes null when it is
    if (!done)
        return std::nullopt;
    return read_message(s.in, s.sender);
}

void mpi_transport::give_up(const std::string& why) {
    std::fprintf(stderr, "bough: %s\n", why.c_str());
    std::fflush(stderr);
    MPI_Abort(state_->ranks, 1);
    std::abort();
}

int run_on_mpi(int argc, char** argv, const mpi_program& body) {
    mpi_transport mpi(&argc, &argv);
    try {
        return body(argc, argv, mpi);
    } catch (const ranks_disagree& e) {  // of all ranks, which have nothing on its way
        if (mpi.rank() == 0)
            std::fprintf(stderr, "bough: %s\n", e.what());
        return 2;
    } catch (...) {
        mpi.give_up("rank " + std::to_string(mpi.rank()) + ": " + what_was_thrown());
    }
}

}  // namespace bough::cluster
