#!/usr/bin/env bash
# Runs a command under mpirun on a lab of several hosts on this one: a rank on each of lab0, lab1, ...
#
#   run_in_lab.sh HOSTS RATE BURST -- COMMAND [ARGUMENT]...     run_in_lab.sh 4 100mbit 32kb -- ./mlsim-mpi
#   run_in_lab.sh --check                                       whether a lab can be had; says why where not
#
# Each host is a network namespace with a host name of its own, joined by a bridge; token buckets shape both directions
# of every link to RATE (as tc writes it). BURST of at least 2 ms of RATE keeps late timers from costing bandwidth. All of
# it lives in namespaces of one process and goes with it, also after kill -9. Exit code 77: no lab can be had here.
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
readonly self kCannot=77

cannot() {
  printf 'run_in_lab.sh: no lab on this machine: %s\n' "$*" >&2
  exit "$kCannot"
}

usage() {
  sed -n '4,5s/^# *//p' "$self" >&2
  exit 2
}

# Starts this script once more, inside namespaces of its own that end with it.
enter() {
  local command as_root=()
  for command in unshare ip tc mpirun; do
    command -v "$command" >/dev/null || cannot "$command is not installed (util-linux, iproute2, openmpi-bin)"
  done
  ((EUID == 0)) || as_root=(--user --map-root-user)
  local spaces=("${as_root[@]}" --net --mount --uts --pid --fork --kill-child --mount-proc)
  unshare "${spaces[@]}" true 2>/dev/null || cannot "it gives no namespaces (unshare ${spaces[*]})"
  exec unshare "${spaces[@]}" "$self" --inside "$@"
}

shape() {  # namespace device rate burst
  # The limit holds what TCP may have in flight, so that nothing is dropped.
  tc -n "$1" qdisc add dev "$2" root tbf rate "$3" burst "$4" limit 4mb 2>/dev/null ||
    cannot "its kernel has no token buckets (sch_tbf), or tc does not know rate $3 or burst $4"
}

add_host() {  # number rate burst
  local host=lab$1
  ip netns add "$host"
  ip -n "$host" link set lo up
  ip -n labsw link add "p$1" type veth peer name eth0 netns "$host" 2>/dev/null || cannot "its kernel has no veth pairs"
  ip -n labsw link set "p$1" master br0 up
  ip -n "$host" address add "10.77.0.$(($1 + 1))/24" dev eth0
  ip -n "$host" link set eth0 up
  shape labsw "p$1" "$2" "$3"
  shape "$host" eth0 "$2" "$3"
  # What every namespace may use, whatever the machine's own is.
  ip netns exec "$host" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control'
  printf '10.77.0.%d %s\n' $(($1 + 1)) "$host" >>"$TMPDIR/hosts"
}

build() {  # hosts rate burst
  # What commands leave in these goes with the lab.
  mount -t tmpfs tmpfs /run 2>/dev/null || cannot "it does not let a file system be mounted"
  mount -t tmpfs tmpfs /dev/shm
  export TMPDIR=/run/tmp
  mkdir "$TMPDIR"
  ip netns add labsw 2>/dev/null || cannot "it gives no network namespaces"
  ip -n labsw link add br0 type bridge 2>/dev/null || cannot "its kernel has no bridges"
  ip -n labsw link set br0 up
  echo '127.0.0.1 localhost' >"$TMPDIR/hosts"
  local host
  for ((host = 0; host < $1; ++host)); do add_host "$host" "$2" "$3"; done
  mount --bind "$TMPDIR/hosts" /etc/hosts
}

# Open MPI: no shared memory, which would go round the network; ranks that wait let others run.
launch() {  # hosts command...
  local agent hosts=lab0:1 host
  agent=$(dirname "$self")/agent.sh
  for ((host = 1; host < $1; ++host)); do hosts+=,lab$host:1; done
  shift
  local command=(mpirun --allow-run-as-root --host "$hosts" --bind-to none --mca plm_rsh_agent "$agent" --mca pml ob1
    --mca btl "tcp,self" --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --mca mpi_yield_when_idle 1 "$@")
  "$agent" lab0 "exec $(printf '%q ' "${command[@]}")"
}

case ${1-} in
  --check) enter 2 100mbit 32kb -- ;;
  --inside)
    shift
    hosts=$1
    build "$1" "$2" "$3"
    shift 4
    (($# == 0)) || launch "$hosts" "$@"
    ;;
  [1-9] | [1-9][0-9])
    if (($# < 5)) || [[ $4 != -- ]]; then usage; fi
    enter "$@"
    ;;
  *) usage ;;
esac
