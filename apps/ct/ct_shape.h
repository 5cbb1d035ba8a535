/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Definitions shared by the kernels (ct_kernels.h) and the host. Lengths are in pixels,
   with the origin in the centre of the image, x to the right and y up. */

enum { CT_PARTS = 8, CT_RAYS = 32, CT_PIXELS = 32 }; /* CT_PARTS threads a ray or a pixel */
/* Images on the devices consist of tiles of CT_PIXELS adjacent values: rays in all
   directions find several pixels in a line of the cache. The last tiles are padded. */
enum { CT_TILE_X = 8, CT_TILE_Y = 4 };
enum { CT_TILE_X_BITS = 3, CT_TILE_Y_BITS = 2 };
enum { CT_THREADS = CT_PARTS * CT_RAYS }; /* of every CTA */
enum { CT_COST_SPAN = 2048 };             /* rays and pixels of a CTA of ct_cost */

/* Reals of a view in the array of views, struct ct_view of the kernels. */
enum { CT_VIEW_REALS = 8 };

enum ct_beam { CT_PARALLEL, CT_FAN_FLAT, CT_FAN_ARC };

/* A point has the detector coordinate v = (x c + y s) / (source + tilt (x s - y c)) in the
   view with cosine c and sine s. Its channel is centre + scale v, or centre + scale atan(v)
   on an arc. */
struct ct_shape {
    double source; /* from the axis; 1 for parallel beams */
    double tilt;   /* 0 for parallel beams, otherwise 1 */
    double scale, centre;
    double pixel; /* side in mm */
    unsigned beam, size, channels, views;
    unsigned subset, subsets;      /* views subset, subset + subsets, ... */
    unsigned ray_ctas, pixel_ctas; /* of one slice; a CTA has one tile */
    unsigned tile_columns;         /* tiles side by side */
};

/* Parameters of an update. */
struct ct_step {
    double beta, delta; /* of the prior; delta in 1/mm */
    double length;      /* of the step; 1 without relaxation */
    double momentum;    /* factor of the image's last change */
};

/* Sums of one CTA, added by the host in the order of CTAs. */
struct ct_sums {
    double data, prior; /* terms of the cost, prior without beta */
};
