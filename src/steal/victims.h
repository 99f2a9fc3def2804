#pragma once
// In which order a thief looks at the other slots: neighbours in topology order first (slots are numbered along the
// topology), alternating sides; each once. Pure.

namespace bough {

// Calls see(index) for every index below `count` but `self`, until it returns true; returns whether it did.
template <class See>
bool each_victim(unsigned self, unsigned count, See&& see) {
    for (unsigned distance = 1; distance < count + self; ++distance) {
        const bool up = self + distance < count, down = distance <= self;
        if (!up && !down)
            return false;
        if (up && see(self + distance))
            return true;
        if (down && see(self - distance))
            return true;
    }
    return false;
}

}  // namespace bough
