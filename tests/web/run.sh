#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/web/run.sh programs [PROGRAM...]        the pages of make web: draws, plays a little; default: all
#        tests/web/run.sh together                     the page with two machines: plays, moves the sliders
#        tests/web/run.sh inspector [QUESTION...]      programs with a planted fault: found by clicking; default: all
#        tests/web/run.sh views ADDRESS                all views of a program that runs with keel::inspect; ADDRESS is what it printed
#        tests/web/run.sh book                         the pages of make book: links, errors, width, search
# Opens pages in Chromium, without a display; pictures go to out/web-shots. The browser is driven by playwright-core,
# which npm installs into build/web/node. CHROMIUM=FILE names another browser of that family, KEEL_BUILD=FOLDER the
# build of the programs with a fault (build/release).
set -eu
case ${1-} in -h | --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")/../.."
case ${1-} in
programs | together) site=out/web target=web ;;
book) site=out/book target=book ;;
views) site=${2:?tests/web/run.sh: an address is missing: the one that the program printed} target= ;;
inspector) site=${KEEL_BUILD:-build/release}/tests/inspect/faults target=check-inspector ;;
*) sed -n '3,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
test=$1
shift
[ "$test" != views ] || shift
node_folder=build/web/node
[ -z "$target" ] || [ -f "$site/index.html" ] || [ -x "$site/leak" ] || { echo "tests/web/run.sh: $site has nothing to open: run make $target" >&2; exit 2; }
export CHROMIUM="${CHROMIUM:-$(command -v chromium || true)}"
[ -x "$CHROMIUM" ] || { echo "tests/web/run.sh: chromium is missing: run tools/install_packages browser" >&2; exit 2; }
mkdir -p "$node_folder" out/web-shots
cp tests/web/package.json tests/web/package-lock.json tests/web/*.mjs "$node_folder/"
[ -d "$node_folder/node_modules/axe-core" ] || (cd "$node_folder" && npm ci --silent --no-audit --no-fund)
exec node "$node_folder/$test.mjs" "$site" out/web-shots "$@"
