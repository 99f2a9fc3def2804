// Holds the precompiled gtest header that every test executable reuses.
