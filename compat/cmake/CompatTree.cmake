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

# oneTBB's own allocator and the rest, bit for bit, with the terms they come under. Not for sanitizers: they do not see
# into that allocator, and take a block that it gives to another thread for one that both threads use.
set(staged ${root}/staged)
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
      file(MAKE_DIRECTORY ${folder})
      file(CREATE_LINK ${soname} ${folder}/${namelink} SYMBOLIC)
    endforeach()
    list(APPEND shipped ${soname})
    list(APPEND originals ${original})
    list(APPEND namelinks ${namelink})
  endif()
endforeach()
