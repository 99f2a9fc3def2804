# bough_add_tool(NAME PARTS source... TESTS source...): a tool on top of the static library that looks into src/ and reads
# or writes JSON. NAME's main.cpp is the program; everything but main is NAME_parts, which the program and its tests,
# NAME_tests, share (in these two, - in NAME is _). The caller adds the tests to ctest.
function(bough_add_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 tool "" "" "PARTS;TESTS")
  string(REPLACE - _ id ${name})
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)

  add_library(${id}_parts OBJECT ${tool_PARTS})
  target_include_directories(${id}_parts PUBLIC ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${id}_parts
    PUBLIC bough::bough_static nlohmann_json::nlohmann_json PRIVATE bough_tools bough_warnings CLI11::CLI11)

  add_executable(${name} main.cpp)
  target_link_libraries(${name} PRIVATE ${id}_parts bough_warnings CLI11::CLI11)
  if(BOUGH_INSTALL)
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)  # if it was built
  endif()

  if(BOUGH_BUILD_TESTS)
    find_package(GTest REQUIRED)
    add_executable(${id}_tests ${tool_TESTS})
    target_link_libraries(${id}_tests PRIVATE ${id}_parts bough_warnings GTest::gtest_main)
  endif()
endfunction()
