// An object of its own: a test that brings a main() links the library without this one.
#include "common/doctest.h"

int main(int argc, char** argv) {
    return doctest::Context(argc, argv).run();
}
