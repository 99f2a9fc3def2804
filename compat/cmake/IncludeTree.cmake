# The include tree: oneTBB's headers as they are, our overrides in the place of some of them, and their originals
# beside them as bough_onetbb_*.h. Made when CMake configures, anew whenever an override changes.
#   bough_include_tree(TREE ONETBB)   TREE: the folder that is made. ONETBB: a folder with include/ of oneTBB
function(bough_include_tree tree onetbb)
  set(from ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../overrides)
  # Of another oneTBB than last time no header may stay.
  file(SHA256 ${onetbb}/include/oneapi/tbb/version.h tree_made_of)
  if(NOT tree_made_of STREQUAL BOUGH_TREE_MADE_OF)
    file(REMOVE_RECURSE ${tree}/oneapi ${tree}/tbb)
    set(BOUGH_TREE_MADE_OF ${tree_made_of} CACHE INTERNAL "the version.h of the include tree")
  endif()
  file(GLOB_RECURSE overrides CONFIGURE_DEPENDS RELATIVE ${from} ${from}/*.h)
  foreach(header IN LISTS overrides)
    configure_file(${from}/${header} ${tree}/${header} COPYONLY)
    if(header MATCHES "^oneapi/tbb/(.*)$")
      configure_file(${onetbb}/include/${header} ${tree}/oneapi/tbb/bough_onetbb_${CMAKE_MATCH_1} COPYONLY)
      list(APPEND untouched REGEX "/${header}$" EXCLUDE)
    endif()
  endforeach()
  file(COPY ${onetbb}/include/oneapi ${onetbb}/include/tbb DESTINATION ${tree} ${untouched})
endfunction()
