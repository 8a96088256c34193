#!/bin/bash
# A Slurm cluster on this one machine: munged, slurmctld and two slurmd (nodes n1 and n2, one CPU each), all in one folder and in
# namespaces of their own. They have their own loopback, so ports in use do not matter, and the kernel ends all of them, jobs
# included, when this script ends for any reason.
#
# usage: slurm_cluster.sh FOLDER COMMAND...    runs the command with the cluster and ends with its status; FOLDER must not exist, and
#                                              its path be short (it holds sockets)
#        slurm_cluster.sh --missing            prints why there can be no cluster here and succeeds, or fails silently
#        slurm_cluster.sh --start NAME [PREFIX...]   for the command: starts slurmctld, n1 or n2 again
#
# The command finds SLURM_CONF and SLURM_CLUSTER (FOLDER) in its environment: NAME.pid and NAME.log of munged, slurmctld, n1, n2.
# PREFIX is put in front of the daemon, e.g. unshare --mount.
set -u
export LC_ALL=C
self=$(realpath "$0")

missing() {
    local program
    [ "$(id -u)" -eq 0 ] || { echo "its daemons have to be root's, and this is user $(id -un)"; return; }
    for program in munged mungekey slurmctld slurmd sbatch squeue unshare ip; do
        PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || { echo "$program is not installed (scripts/setup.sh installs it)"; return; }
    done
    unshare --pid --net --mount --fork --kill-child --mount-proc ip link set lo up 2>/dev/null || { echo "namespaces cannot be made here (unshare), as in a container without CAP_SYS_ADMIN"; return; }
    return 1
}

# start NAME [PREFIX...]: a daemon in the background, its ID in NAME.pid
start() {
    local name=$1 command
    shift
    case $name in
    munged) command=(munged --foreground --force --num-threads=2 --socket="$SLURM_CLUSTER/munge" --key-file="$SLURM_CLUSTER/munge.key" --pid-file="$SLURM_CLUSTER/munged.id" --log-file="$SLURM_CLUSTER/munged.own.log" --seed-file="$SLURM_CLUSTER/munge.seed") ;;
    slurmctld) command=(slurmctld -D -f "$SLURM_CONF") ;;
    n1 | n2) command=(slurmd -D -N "$name" -f "$SLURM_CONF") ;;
    *) echo "slurm_cluster: found $name, expected munged, slurmctld, n1 or n2" >&2; exit 2 ;;
    esac
    # exec: the ID is that of the daemon, also behind a PREFIX that execs
    (exec setsid -- "$@" "${command[@]}" </dev/null >>"$SLURM_CLUSTER/$name.log" 2>&1) &
    echo $! >"$SLURM_CLUSTER/$name.pid"
    disown
}

# until SECONDS COMMAND...: waits until it succeeds
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

case ${1:-} in
--missing) missing; exit ;;
--start) shift; start "$@"; exit ;;
--inside) shift ;;
*)
    [ $# -ge 2 ] || { sed -n '/^# usage: /,/^#$/ s/^# \?//p' "$self" >&2; exit 2; }
    why=$(missing) && { echo "slurm_cluster: $why" >&2; exit 2; }
    [ ${#1} -le 60 ] || { echo "slurm_cluster: $1: expected a path of at most 60 bytes, it holds sockets" >&2; exit 2; }
    mkdir -m 755 "$1" || exit 2
    # --kill-child: where this process ends, even by kill -9, the first one in there does; and with that all the others
    exec unshare --pid --net --mount --fork --kill-child --mount-proc "$self" --inside "$(realpath "$1")" "${@:2}"
    ;;
esac

export PATH=$PATH:/usr/sbin:/sbin SLURM_CLUSTER=$1 SLURM_CONF=$1/slurm.conf
unset "${!SBATCH_@}" "${!SQUEUE_@}"
shift
ip link set lo up
ip address add 192.0.2.1/32 dev lo # without an address beyond 127.0.0.0/8 there are no names at all (getaddrinfo's AI_ADDRCONFIG)
host=$(hostname -s)
cat >"$SLURM_CONF" <<END
ClusterName=regress
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SLURM_CLUSTER/munge
CredType=cred/munge
StateSaveLocation=$SLURM_CLUSTER/state
SlurmdSpoolDir=$SLURM_CLUSTER/spool.%n
SlurmctldPidFile=$SLURM_CLUSTER/slurmctld.id
SlurmdPidFile=$SLURM_CLUSTER/%n.id
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1,sched_min_interval=100000
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=6
SlurmctldTimeout=30
MessageTimeout=5
KillWait=3
InactiveLimit=0
MinJobAge=60
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=16821 CPUs=1 RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=16822 CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
mkdir "$SLURM_CLUSTER"/{state,spool.n1,spool.n2}
(umask 077; mungekey --create --keyfile "$SLURM_CLUSTER/munge.key" 2>/dev/null)
start munged
wait_until 10 test -S "$SLURM_CLUSTER/munge" || { echo "slurm_cluster: munged does not start:" >&2; cat "$SLURM_CLUSTER"/munged*.log >&2; exit 2; }
start slurmctld
start n1
start n2
ready() { [ "$(sinfo -h -N -t idle -o %N | sort | paste -sd,)" = n1,n2 ]; }
wait_until 60 ready || { echo "slurm_cluster: the nodes do not come up:" >&2; sinfo -R >&2; tail -n 20 "$SLURM_CLUSTER"/{slurmctld,n1,n2}.log >&2; exit 2; }
"$@"
