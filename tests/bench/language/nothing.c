/* The shortest program: what every other one takes before it begins. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", argc);
    return 0;
}
