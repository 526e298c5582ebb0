0: (18) r1 = map[fd:5][0]+8 ; R1_w=map_value
2: (85) call bpf_map_lookup_elem#1
3: (61) r1 = *(u32 *)(r2 +4)
4: (c3) lock *(u32 *)(r1 +0) += r2
5: (db) r0 = atomic64_cmpxchg((u64 *)(r1 +0), r0, r2)
6: (e5) may_goto pc+1
7: (cb) r1 = load_acquire((u16 *)(r2 +4))
8: (db) store_release((u64 *)(r1 +4), r2)
9: (85) call kfunc#900 off=3
10: (85) call pc+0
11: (95) exit
