// speculative_spin_mutex and speculative_spin_rw_mutex, without speculation: the spin lock that each of them contains
// is taken. Any thread. That is the path on which every transaction may end anyway, so it is correct on every CPU; and
// transactions are switched off by microcode or missing on most (Intel's later ones, all of AMD's and Arm's).
// Invariant: the state of a scoped_lock, which inline code in oneTBB's headers reads, says what it holds: none or a
// real lock. rtm_rw_mutex::write_flag exists for speculating readers only and stays false.

#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

namespace tbb::detail::r1 {

struct rtm_mutex_impl {
    using mutex = d1::rtm_mutex;
    using scoped_lock = mutex::scoped_lock;

    static void acquire(mutex& m, scoped_lock& s) {
        m.lock();
        hold(m, s);
    }

    static bool try_acquire(mutex& m, scoped_lock& s) {
        if (!m.try_lock())
            return false;
        hold(m, s);
        return true;
    }

    static void release(scoped_lock& s) {
        s.m_transaction_state = mutex::rtm_state::rtm_none;
        mutex& m = *s.m_mutex;
        s.m_mutex = nullptr;
        m.unlock();
    }

private:
    static void hold(mutex& m, scoped_lock& s) {
        s.m_mutex = &m;
        s.m_transaction_state = mutex::rtm_state::rtm_real;
    }
};

struct rtm_rw_mutex_impl {
    using mutex = d1::rtm_rw_mutex;
    using scoped_lock = mutex::scoped_lock;

    static void acquire(mutex& m, scoped_lock& s, bool write) {
        if (write)
            m.lock();
        else
            m.lock_shared();
        hold(m, s, write);
    }

    static bool try_acquire(mutex& m, scoped_lock& s, bool write) {
        if (!(write ? m.try_lock() : m.try_lock_shared()))
            return false;
        hold(m, s, write);
        return true;
    }

    static void release(scoped_lock& s) {
        const bool write = s.m_transaction_state == mutex::rtm_type::rtm_real_writer;
        s.m_transaction_state = mutex::rtm_type::rtm_not_in_mutex;
        mutex& m = *s.m_mutex;
        s.m_mutex = nullptr;
        if (write)
            m.unlock();
        else
            m.unlock_shared();
    }

    static bool upgrade(scoped_lock& s) {
        const bool kept = s.m_mutex->upgrade();
        hold(*s.m_mutex, s, true);
        return kept;
    }

    static bool downgrade(scoped_lock& s) {
        s.m_mutex->downgrade();
        hold(*s.m_mutex, s, false);
        return true;
    }

private:
    static void hold(mutex& m, scoped_lock& s, bool write) {
        s.m_mutex = &m;
        s.m_transaction_state = write ? mutex::rtm_type::rtm_real_writer : mutex::rtm_type::rtm_real_reader;
    }
};

// What was asked to be taken by speculation only (`only_speculate`) is not taken: the scoped_lock stays empty, as after
// a transaction that has failed.

void acquire(d1::rtm_mutex& m, d1::rtm_mutex::scoped_lock& s, bool only_speculate) {
    if (!only_speculate)
        rtm_mutex_impl::acquire(m, s);
}

bool try_acquire(d1::rtm_mutex& m, d1::rtm_mutex::scoped_lock& s) {
    return rtm_mutex_impl::try_acquire(m, s);
}

void release(d1::rtm_mutex::scoped_lock& s) {
    rtm_mutex_impl::release(s);
}

void acquire_writer(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s, bool only_speculate) {
    if (!only_speculate)
        rtm_rw_mutex_impl::acquire(m, s, true);
}

void acquire_reader(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s, bool only_speculate) {
    if (!only_speculate)
        rtm_rw_mutex_impl::acquire(m, s, false);
}

bool try_acquire_writer(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s) {
    return rtm_rw_mutex_impl::try_acquire(m, s, true);
}

bool try_acquire_reader(d1::rtm_rw_mutex& m, d1::rtm_rw_mutex::scoped_lock& s) {
    return rtm_rw_mutex_impl::try_acquire(m, s, false);
}

void release(d1::rtm_rw_mutex::scoped_lock& s) {
    rtm_rw_mutex_impl::release(s);
}

bool upgrade(d1::rtm_rw_mutex::scoped_lock& s) {
    return rtm_rw_mutex_impl::upgrade(s);
}

bool downgrade(d1::rtm_rw_mutex::scoped_lock& s) {
    return rtm_rw_mutex_impl::downgrade(s);
}

}  // namespace tbb::detail::r1
