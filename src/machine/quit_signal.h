#pragma once
// SIGQUIT, for those who want to be asked by it.

namespace bough::machine {

// From now on run(), async-signal-safe, is called whenever the process gets SIGQUIT, and then the handler that was
// there before; where there was none the signal no longer ends the process. A handler that the program installs later
// takes the place of this one. Called again it changes nothing. Threads of bough block the signal.
// Not by two threads at a time.
void call_on_quit(void (*run)()) noexcept;
// What was there before is there again; unless another handler has come since. In a child process, until it is asked
// for anew.
void forget_quit() noexcept;

}  // namespace bough::machine
