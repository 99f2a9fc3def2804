#!/usr/bin/env python3
"""Runs a command for which the kernel has no membarrier(2), as in a sandbox: a filter of system calls refuses it.

usage: without_membarrier.py COMMAND...
"""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # SECCOMP_RET_ERRNO with EPERM
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # of the filter's machine: 32-bit word, jump if equal, end
X86_64, AARCH64 = (0xC000003E, 324), (0xC00000B7, 283)  # the kernel's mark of each, and the call's number there


def statement(code, value, if_equal=0, otherwise=0):
    return struct.pack("=HBBI", code, if_equal, otherwise, value)


def main():
    program = b"".join([
        statement(LOAD, 4),  # which machine
        statement(EQUAL, X86_64[0], 1, 0),
        statement(EQUAL, AARCH64[0], 2, 5),
        statement(LOAD, 0),  # which call
        statement(EQUAL, X86_64[1], 2, 3),
        statement(LOAD, 0),
        statement(EQUAL, AARCH64[1], 0, 1),
        statement(RETURN, REFUSE),
        statement(RETURN, ALLOW),
    ])
    libc = ctypes.CDLL(None, use_errno=True)
    filter_of = ctypes.create_string_buffer(program)
    described = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(filter_of)))
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                      (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(described)), 0, 0)):
        if libc.prctl(*arguments) != 0:
            print(f"[  SKIPPED ] filters of system calls are refused here: {os.strerror(ctypes.get_errno())}")
            return 77
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
