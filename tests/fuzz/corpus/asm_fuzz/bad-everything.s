r1 = r11
w1 += r2
r1 = 010
1: exit
(b7) exit
goto nowhere
.byte 1
	
call -0x1
lock
*(u33 *)(r1) = 5
