# Install rules: headers, both libraries, and a package for find_package(Bough).
include(CMakePackageConfigHelpers)

set(bough_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Bough)
install(TARGETS bough bough_static EXPORT BoughTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bough DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT BoughTargets NAMESPACE bough:: DESTINATION ${bough_package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/BoughConfig.cmake.in
  ${PROJECT_BINARY_DIR}/BoughConfig.cmake INSTALL_DESTINATION ${bough_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BoughConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BoughConfig.cmake ${PROJECT_BINARY_DIR}/BoughConfigVersion.cmake
  DESTINATION ${bough_package_dir})

file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix ${pkgconfig_to_prefix})
# Spelt out, not Requires.private: hwloc, so that a program that links the shared library needs no hwloc.pc.
list(JOIN HWLOC_STATIC_LDFLAGS " " pkgconfig_hwloc)
configure_file(${PROJECT_SOURCE_DIR}/cmake/bough.pc.in ${PROJECT_BINARY_DIR}/bough.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bough.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
