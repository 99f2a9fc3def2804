# Installs the folder that CompatTree.cmake describes. Runs after it.
set(place ${CMAKE_INSTALL_LIBDIR}/bough-tbb)
install(DIRECTORY ${tree}/oneapi ${tree}/tbb DESTINATION ${place}/include)
install(DIRECTORY ${tree}/bough/compat ${PROJECT_SOURCE_DIR}/include/bough/ DESTINATION ${place}/include/bough)
install(DIRECTORY ${root}/lib/cmake ${root}/lib/pkgconfig DESTINATION ${place}/lib)

# libbough.so is found beside libtbb.so.12 (a link), or where the prefix has it.
set_target_properties(bough_tbb PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/../..")
install(TARGETS bough_tbb LIBRARY DESTINATION ${place}/lib NAMELINK_SKIP)
# -ltbb alone links both: programs compiled with the overrides call libbough.so themselves.
file(WRITE ${staged}/libtbb.so "/* GNU ld script */\nINPUT(libtbb.so.12 AS_NEEDED(${bough_soname}))\n")
file(CREATE_LINK ../../${bough_soname} ${staged}/${bough_soname} SYMBOLIC)
file(CREATE_LINK ${bough_soname} ${staged}/libbough.so SYMBOLIC)
install(FILES ${staged}/${bough_soname} ${staged}/libbough.so ${staged}/libtbb.so DESTINATION ${place}/lib)

foreach(soname original namelink IN ZIP_LISTS shipped originals namelinks)
  install(PROGRAMS ${original} DESTINATION ${place}/lib RENAME ${soname})
  install(FILES ${staged}/${namelink} DESTINATION ${place}/lib)
endforeach()
file(GLOB licences ${BOUGH_TBB_ROOT}/LICENSE* ${BOUGH_TBB_ROOT}/licenses/* ${BOUGH_TBB_ROOT}/share/doc/tbb/licensing/*)
install(FILES ${licences} DESTINATION ${place}/licenses/onetbb)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${place}/licenses)

# Last, so that it is read. The prefix alone finds the system's oneTBB, without a word.
install(CODE "
  get_filename_component(bough_prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  message(STATUS \"For find_package(TBB): -DCMAKE_PREFIX_PATH=\${bough_prefix}/${place} (the prefix alone finds bough::bough, not this TBB)\")")
