# comment
lddw %r0, 0x1122334455667788
stxdw [%r10-8], %r0
mov32 %r1, -1
lock fetch or32 [%r10-8], %r1
lock cmpxchg [r10-8], r1
jne32 r1, r0, exit
ldindh %r2, 4
movsx1632 %r1, %r2
swap32 %r1
call local func
call 5
ja32 +1
ja exit
exit
func:
sdiv r0, r1
exit
