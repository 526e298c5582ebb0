start:
  r1 = 1 ll
loop: r1 += 1
  if r1 s< 5 goto loop
  if w1 == w2 goto +0x1 <f+0x8>
  gotol start
  call f
  w0 = cmpxchg32_32(r10 - 0x8, w0, w2)
  r2 = xchg_64(r10 - 0x8, r2)
  r3 = atomic_fetch_add((u64 *)(r10 - 8), r3)
  lock *(u64 *)(r10 - 8) ^= r2
  exit
f: r0 = *(u8 *)skb[r2 + 0x4]
  r1 = (s8)r2
  r1 = bswap16 r1
  r1 = -r1
  exit
