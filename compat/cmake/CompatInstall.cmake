# A folder laid out like a oneTBB: include/, lib/, lib/cmake/tbb, lib/pkgconfig. In the build tree that is compat/;
# installed it is <libdir>/bough-tbb, outside every default search path, so that nobody gets it unasked.
# See compat/DROPIN.md. Runs in compat/CMakeLists.txt, after the include tree (${tree}) and bough_tbb.

file(STRINGS ${BOUGH_TBB_ROOT}/include/oneapi/tbb/version.h version_lines
  REGEX "define TBB_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX MATCHALL "[0-9]+" version "${version_lines}")
list(JOIN version "." version)
get_target_property(bough_soversion bough SOVERSION)
set(bough_soname libbough.so.${bough_soversion})

set(root ${CMAKE_CURRENT_BINARY_DIR})
configure_file(cmake/TBBConfig.cmake.in ${root}/lib/cmake/tbb/TBBConfig.cmake @ONLY)
configure_file(cmake/TBBConfigVersion.cmake.in ${root}/lib/cmake/tbb/TBBConfigVersion.cmake @ONLY)
configure_file(cmake/tbb.pc.in ${root}/lib/pkgconfig/tbb.pc @ONLY)

# The build tree: links to what lies elsewhere.
file(CREATE_LINK lib/cmake/tbb ${root}/cmake SYMBOLIC)
file(CREATE_LINK ../../lib/${bough_soname} ${root}/lib/${bough_soname} SYMBOLIC)
file(CREATE_LINK ${bough_soname} ${root}/lib/libbough.so SYMBOLIC)
file(GLOB native_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/bough/*)
foreach(header IN LISTS native_headers)
  get_filename_component(name ${header} NAME)
  file(CREATE_LINK ${header} ${tree}/bough/${name} SYMBOLIC)
endforeach()

set(place ${CMAKE_INSTALL_LIBDIR}/bough-tbb)
install(DIRECTORY ${tree}/oneapi ${tree}/tbb DESTINATION ${place}/include)
install(DIRECTORY ${tree}/bough/compat ${PROJECT_SOURCE_DIR}/include/bough/ DESTINATION ${place}/include/bough)
install(DIRECTORY ${root}/lib/cmake ${root}/lib/pkgconfig DESTINATION ${place}/lib)

# libbough.so is found beside libtbb.so.12 (a link), or where the prefix has it.
set_target_properties(bough_tbb PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/../..")
install(TARGETS bough_tbb LIBRARY DESTINATION ${place}/lib NAMELINK_SKIP)
set(staged ${root}/staged)
# -ltbb alone links both: programs compiled with the overrides call libbough.so themselves.
file(WRITE ${staged}/libtbb.so "/* GNU ld script */\nINPUT(libtbb.so.12 AS_NEEDED(${bough_soname}))\n")
file(CREATE_LINK ../../${bough_soname} ${staged}/${bough_soname} SYMBOLIC)
file(CREATE_LINK ${bough_soname} ${staged}/libbough.so SYMBOLIC)
install(FILES ${staged}/${bough_soname} ${staged}/libbough.so ${staged}/libtbb.so DESTINATION ${place}/lib)

# oneTBB's own allocator and the rest, bit for bit, with the terms they come under. Not for sanitizers: they do not see
# into that allocator, and take a block that it gives to another thread for one that both threads use.
set(sonames libtbbmalloc.so.2 libtbbmalloc_proxy.so.2 libtbbbind.so.3)
if(BOUGH_SANITIZE)
  set(sonames)
endif()
foreach(soname IN LISTS sonames)
  if(EXISTS ${BOUGH_TBB_ROOT}/lib/${soname})
    file(REAL_PATH ${BOUGH_TBB_ROOT}/lib/${soname} original)
    string(REGEX REPLACE "[.][0-9]+$" "" namelink ${soname})
    file(CREATE_LINK ${original} ${root}/lib/${soname} SYMBOLIC)
    foreach(folder IN ITEMS ${root}/lib ${staged})
      file(CREATE_LINK ${soname} ${folder}/${namelink} SYMBOLIC)
    endforeach()
    install(PROGRAMS ${original} DESTINATION ${place}/lib RENAME ${soname})
    install(FILES ${staged}/${namelink} DESTINATION ${place}/lib)
  endif()
endforeach()
file(GLOB licences ${BOUGH_TBB_ROOT}/LICENSE* ${BOUGH_TBB_ROOT}/licenses/* ${BOUGH_TBB_ROOT}/share/doc/tbb/licensing/*)
install(FILES ${licences} DESTINATION ${place}/licenses/onetbb)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${place}/licenses)

add_subdirectory(bough-run)

# Last, so that it is read. The prefix alone finds the system's oneTBB, without a word.
install(CODE "
  get_filename_component(bough_prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  message(STATUS \"For find_package(TBB): -DCMAKE_PREFIX_PATH=\${bough_prefix}/${place} (the prefix alone finds bough::bough, not this TBB)\")")
