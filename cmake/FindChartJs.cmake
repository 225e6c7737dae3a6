# Debian's libjs-chart.js. Provides ChartJs_FILE, the minified library; its first lines name version and licence.
find_file(ChartJs_FILE NAMES chart.min.js PATHS /usr/share/javascript/chart.js)
mark_as_advanced(ChartJs_FILE)
if(ChartJs_FILE)
  file(STRINGS ${ChartJs_FILE} banner REGEX "Chart\\.js v[0-9.]+" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+\\.[0-9.]+" ChartJs_VERSION "${banner}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ChartJs REQUIRED_VARS ChartJs_FILE VERSION_VAR ChartJs_VERSION)
