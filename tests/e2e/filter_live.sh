#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Live capture on the loopback interface of a fresh network namespace.
. "$(dirname "$0")/common.sh"
case $SKEP in *qemu*) skip "no packet sockets under qemu-user" ;; esac
need unshare; need ip; need python3
unshare -n true 2>/dev/null || skip "no right to make a network namespace"
export SKEP
cat >inside.sh <<'END'
ip link set lo up || exit 77
$SKEP filter -i lo --engine "$1" 'udp dst port 9' -w live.pcap --json >json 2>live.err &
pid=$!
for _ in $(seq 100); do grep -q listening live.err && break; sleep 0.05; done
python3 - <<'PYTHON'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(50):
    s.sendto(b"x" * i, ("127.0.0.1", 9))
    s.sendto(b"y" * i, ("127.0.0.1", 10))
PYTHON
sleep 1.5
kill -INT $pid
wait $pid
END
for engine in switch threaded libpcap; do
  unshare -n bash inside.sh $engine
  status=$?
  [ $status = 77 ] && skip "no loopback interface"
  [ $status = 0 ] || { cat live.err; fail "status $status after SIGINT"; }
  expect 0 $SKEP filter -r live.pcap --count
  [ "$(cat out)" = 50 ] || fail "$(cat out) packets captured instead of 50"
  grep -q "packets dropped by kernel" live.err || fail "no drop statistics"
  grep -q '"live"' json || fail "no live statistics"
done
expect 1 $SKEP filter -i nonexistent0 -w x
says "nonexistent0"
[ "$(grep -o 'No such device' err | wc -l)" = 1 ] || { cat err >&2; fail "the reason is there twice"; }

# All interfaces at once: without packets the file is what tcpdump writes, link type included.
need tcpdump
cat >everywhere.sh <<'END'
"$@" -i any -w any.pcap 'udp dst port 9' 2>live.err &
pid=$!
for _ in $(seq 100); do grep -q listening live.err && break; sleep 0.05; done
kill -INT $pid
wait $pid
END
unshare -n bash everywhere.sh $SKEP filter || fail "status $? of -i any"
mv any.pcap ours.pcap
if [ "$(id -u)" = 0 ]; then root=(-Z root); else root=(); fi
unshare -n bash everywhere.sh tcpdump "${root[@]}" || skip "tcpdump cannot capture here"
same ours.pcap any.pcap
