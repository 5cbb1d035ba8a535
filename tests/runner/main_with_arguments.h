/* SPDX-License-Identifier: Apache-2.0 */
/* Prototype of a test file's main(), which the build renames (cmake/TestRunner.cmake). */
#pragma once

int main(int argc, char **argv);
