/* What a compiler asks before it exchanges two kernels. */
#include <models/same_bits.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    char why[200];
    if (discern_same_bits("blackwell/mma.m16n8k16.f32.bf16.bf16.f32@[]",
                          "blackwell/tcgen05.mma.m64n8k16.f32.bf16.bf16@[]", 4096, 0, why, sizeof why) != DISCERN_SAME)
        return 1;
    if (discern_same_bits("hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[]", "blackwell/tcgen05.mma.m64n8k32.f32.e4m3.e4m3@[]",
                          4096, 100, why, sizeof why) != DISCERN_DIFFERENT)
        return 1;
    printf("%s\n", why);
    return discern_same_bits("nothing@[]", "nothing@[]", 64, 0, why, sizeof why) == DISCERN_ERROR && strlen(why) > 0
               ? 0
               : 1;
}
