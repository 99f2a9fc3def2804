# Cross compilation for aarch64 on Debian, with tests under qemu. Libraries other than the compiler's own are taken from
# a small arm64 root, which ./dev setup --aarch64 fills.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Through the assembler there: what it adds is for qemu. Leave it out where real processors run the result.
set(CMAKE_CXX_FLAGS_INIT "-B${CMAKE_CURRENT_LIST_DIR}/aarch64")

get_filename_component(bough_arm64_root ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root ABSOLUTE)
if(NOT EXISTS ${bough_arm64_root})
  message(FATAL_ERROR " no ${bough_arm64_root}: ./dev setup --aarch64 makes it")
endif()
set(bough_arm64_lib ${bough_arm64_root}/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${bough_arm64_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config prefixes what the root's files name, and knows no file of this machine.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${bough_arm64_root})
set(ENV{PKG_CONFIG_LIBDIR} ${bough_arm64_lib}/pkgconfig:${bough_arm64_root}/usr/share/pkgconfig)
# What libraries of the root need themselves.
foreach(kind IN ITEMS EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath-link,${bough_arm64_lib}")
endforeach()

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${bough_arm64_root})
