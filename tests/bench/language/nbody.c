/* Doubles in structs: the sun and its four large planets attract each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BODIES 5

typedef struct body { double x, y, z, vx, vy, vz, mass; } body;

static const double solar_mass = 4.0 * 3.141592653589793 * 3.141592653589793;
static const double year = 365.24;

static body bodies[BODIES] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
    {4.84143144246472, -1.16032004402743, -0.103622044471123,
     0.00166007664274404, 0.00769901118419740, -0.0000690460016972063, 0.000954791938424327},
    {8.34336671824458, 4.12479856412430, -0.403523417114321,
     -0.00276742510726411, 0.00499852801234917, 0.0000230417297573763, 0.000285885980666131},
    {12.8943695621391, -15.1111514016986, -0.223307578892656,
     0.00296460137564762, 0.00237847173959481, -0.0000296589568540238, 0.0000436624404335156},
    {15.3796971148509, -25.9193146099880, 0.179258772950372,
     0.00268067772490389, 0.00162824170038242, -0.0000951592254519716, 0.0000515138902046611},
};

static void pull(body *a, double dx, double dy, double dz, double factor)
{
    a->vx += dx * factor;
    a->vy += dy * factor;
    a->vz += dz * factor;
}

static void attract(body *a, body *b, double dt)
{
    double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
    double square = dx * dx + dy * dy + dz * dz;
    double force = dt / (square * sqrt(square));
    pull(a, dx, dy, dz, 0.0 - b->mass * force);
    pull(b, dx, dy, dz, a->mass * force);
}

static void advance(double dt)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) attract(&bodies[i], &bodies[j], dt);
    for (int i = 0; i < BODIES; i++) {
        body *a = &bodies[i];
        a->x += dt * a->vx;
        a->y += dt * a->vy;
        a->z += dt * a->vz;
    }
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0;
    for (int i = 0; i < BODIES; i++) {
        bodies[i].vx *= year;
        bodies[i].vy *= year;
        bodies[i].vz *= year;
        bodies[i].mass *= solar_mass;
    }
    for (long i = 0; i < size; i++) advance(0.01);
    double sum = 0.0;
    for (int i = 0; i < BODIES; i++) {
        body *a = &bodies[i];
        sum += 0.5 * a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz);
    }
    printf("%.0f\n", nearbyint(1e9 * sum));
    return 0;
}
