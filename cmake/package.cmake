# SPDX-License-Identifier: BSD-3-Clause
# For programs that link the library: find_package(nereus) and pkg-config. All paths are relative, so that the prefix can
# be moved.
include(CMakePackageConfigHelpers)
set(NEREUS_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/nereus)
configure_package_config_file(cmake/nereus-config.cmake.in nereus-config.cmake
                              INSTALL_DESTINATION ${NEREUS_PACKAGE_FOLDER})
# Until version 1 each minor version may differ from the one before.
write_basic_package_version_file(nereus-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/nereus.pc.in nereus.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nereus-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/nereus-config-version.cmake
        DESTINATION ${NEREUS_PACKAGE_FOLDER})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nereus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT nereus NAMESPACE nereus:: FILE nereus-targets.cmake DESTINATION ${NEREUS_PACKAGE_FOLDER})
if(NEREUS_FORTRAN)
  install(EXPORT nereus-fortran NAMESPACE nereus:: FILE nereus-fortran-targets.cmake
          DESTINATION ${NEREUS_PACKAGE_FOLDER})
endif()
