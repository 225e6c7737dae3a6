#!/bin/sh
# How mpirun starts its daemon on a host of the lab: agent.sh HOST COMMAND..., as ssh would.
host=$1
shift
# shellcheck disable=SC2016  # the inner shell expands these
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0" && exec sh -c "$*"' "$host" "$@"
