#!/usr/bin/env bash
# A suite in shards under Slurm: a controller and one node, started in a folder of their own and ended again. The script that
# `discern suite --as slurm` prints is submitted; three tasks are killed in the middle and submitted again; the stores are
# merged, and the classes are those of one process.
#
# Usage: slurm.sh DISCERN [SHARDS]      exit status 77: Slurm cannot be started here, and why
set -euo pipefail

discern=$(realpath "$1")
shards=${2:-8}
space='volta/mma.m8n8k4.f32.f16.f16.f32{F={17..24},carry={2|3|wide},floor={none|-140|-136|-133|-132|-130},zero={ignore|emin},align={rz|rne|ru}}'

skip() {
    echo "skipped: $*"
    exit 77
}
for program in slurmctld slurmd sbatch scontrol squeue; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || skip "$program is not installed (slurm-wlm)"
done
PATH=$PATH:/usr/sbin:$(dirname "$discern")
[ "$(id -u)" -eq 0 ] || skip "slurmd has to be started by root"

folder=$(mktemp -d)
controller='' node=''
cleanup() {
    [ -z "$node" ] || kill "$node" 2>/dev/null || true
    [ -z "$controller" ] || kill "$controller" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
mkdir state spool
host=$(hostname -s)
read -r port node_port < <(python3 - <<'PORTS'
import socket
taken = [socket.socket() for _ in range(2)]
for one in taken:
    one.bind(("", 0))
print(*(one.getsockname()[1] for one in taken))
PORTS
)
cat >slurm.conf <<CONF
ClusterName=discern
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$node_port
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_res
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SchedulerParameters=bf_interval=1,sched_interval=1
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
slurmctld -D -i >controller.out 2>&1 &
controller=$!
slurmd -D -f "$SLURM_CONF" -N "$host" >node.out 2>&1 &
node=$!
for _ in $(seq 60); do
    state=$(sinfo -h -o %T 2>/dev/null || true)
    [ "$state" != idle ] || break
    sleep 0.5
done
[ "${state:-}" = idle ] || skip "the node of Slurm is '${state:-not there}': $(tail -n 2 slurmctld.log slurmd.log 2>/dev/null | tr '\n' ' ')"

"$discern" suite --space "$space" --store answers --cells
"$discern" suite --space "$space" --store answers --as slurm --shards "$shards" >job.sh
wait_for() {
    for _ in $(seq 600); do
        [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
        sleep 0.5
    done
    echo "job $1 did not end"
    exit 1
}

# Killed in the middle: the first three that are at work.
job=$(sbatch --parsable job.sh)
killed=0
for _ in $(seq 400); do
    if [ "$killed" -eq 3 ] || [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; then break; fi
    for process in $(pgrep -f -- "--shard [0-9]*/$shards --store" || true); do
        [ "$killed" -lt 3 ] || break
        if [ "$(cat "/proc/$process/comm" 2>/dev/null)" = discern ] && kill -9 "$process" 2>/dev/null; then
            killed=$((killed + 1))
        fi
    done
    sleep 0.05
done
wait_for "$job"
echo "killed: $killed"
again=$(sbatch --parsable job.sh) # those that were done have nothing to do
wait_for "$again"
"$discern" store merge answers answers.[0-9]*
"$discern" store check answers -n 20
classes() {
    "$discern" suite --space "$space" --json "$@" |
        python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["classes"]))'
}
[ "$(classes --store answers)" = "$(classes)" ] || {
    echo "the classes of $shards shards are not those of one process"
    exit 1
}
[ "$killed" -eq 3 ] || {
    echo "only $killed tasks were killed"
    exit 1
}
echo "$shards shards under Slurm, three of them killed: the same classes"
