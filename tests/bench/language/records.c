/* Records of floats: points that attract each other, each step with new records. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 10

typedef struct point { double x, y, z; } point;
typedef struct body { point place, speed; double mass; } body;

static point add(point a, point b) { return (point){a.x + b.x, a.y + b.y, a.z + b.z}; }
static point subtract(point a, point b) { return (point){a.x - b.x, a.y - b.y, a.z - b.z}; }
static point scale(double k, point a) { return (point){k * a.x, k * a.y, k * a.z}; }
static double square(point a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

static point pull(const body *one, const body *others)
{
    point sum = {0, 0, 0};
    for (int i = 0; i < BODIES; i++) {
        point way = subtract(others[i].place, one->place);
        double distance = square(way) + .01;
        sum = add(sum, scale(others[i].mass / (distance * sqrt(distance)), way));
    }
    return sum;
}

static body move(const body *one, const body *bodies, double step)
{
    point speed = add(one->speed, scale(step, pull(one, bodies)));
    return (body){add(one->place, scale(step, speed)), speed, one->mass};
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0;
    body bodies[BODIES], moved[BODIES];
    for (int i = 0; i < BODIES; i++) {
        double x = BODIES - i;
        bodies[i] = (body){{x, .5 * x, 3 - x}, {0, .1, 0}, 1 + .1 * x};
    }
    for (long step = 0; step < size; step++) {
        for (int i = 0; i < BODIES; i++) moved[i] = move(&bodies[i], bodies, .01);
        memcpy(bodies, moved, sizeof bodies);
    }
    printf("%.0f\n", 1000 * square(bodies[0].place));
    return 0;
}
