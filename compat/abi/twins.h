#pragma once
// Warns when a process holds a second oneTBB beside this one. For entry points that run seldom, such as making an
// arena; any thread, at any time.

namespace bough::compat::abi {

// About 20 ns when nothing was loaded since the last look. Takes the loader's list lock: hold no lock that a
// library's constructor could want.
void look_for_twins() noexcept;

}  // namespace bough::compat::abi
