# For a project whose FetchContent_Declare(TBB ... OVERRIDE_FIND_PACKAGE) names bough: TBB::tbb and its companions, and a
# find_package(TBB) that answers as the one of the build tree does. Runs after CompatTree.cmake.
add_library(TBB::tbb ALIAS bough_compat)
include(${root}/lib/cmake/tbb/TBBConfig.cmake)
list(REMOVE_ITEM TBB_IMPORTED_TARGETS TBB::tbb)
foreach(target IN LISTS TBB_IMPORTED_TARGETS)
  set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
endforeach()
# FetchContent's own file includes the first, and takes any version without the second.
file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/tbb-extra.cmake "include(${root}/lib/cmake/tbb/TBBConfig.cmake)\n")
file(COPY_FILE ${root}/lib/cmake/tbb/TBBConfigVersion.cmake
  ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/tbb-config-version.cmake)
