/* The C interface: cc example.c -I FOLDER_OF_discern.h -L FOLDER_OF_libdiscern.so -ldiscern */
#include "discern.h"

#include <stdio.h>

int main(void) {
    const char* const words[] = {"synth", "V100/f16", "A100/f16", "--json"};
    char why[1000] = "", *output = NULL;
    int status = discern_command(words, sizeof words / sizeof *words, &output, why, sizeof why);
    if (status == 2) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    printf("%s%s", status == 1 ? "they differ:\n" : "no difference was found:\n", output);
    discern_free(output);
    return 0;
}
