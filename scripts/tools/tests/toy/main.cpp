// Pushes three entries and prints the level.
#include <cstdio>
#include "Vfill.h"

int main() {
    VerilatedContext context;
    Vfill fill{&context};
    fill.push = 1;
    fill.eval();  // the clock's low level, without which the first rising edge is not seen
    for (int edge = 0; edge < 6; ++edge) {
        fill.clk = !fill.clk;
        fill.eval();
    }
    std::printf("level %d\n", fill.level);
    return 0;
}
