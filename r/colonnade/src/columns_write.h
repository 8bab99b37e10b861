// What the files share that turn R's columns into arrays of a frame (columns_write.c, tags_write.c, lists_write.c).

#ifndef COLONNADE_COLUMNS_WRITE_H
#define COLONNADE_COLUMNS_WRITE_H

#include "colonnade_package.h"

typedef struct {
  CnrBuilder *builder;
  CnError error;
  SEXP column;  // the name of the current column, for errors
  SEXP handle;  // the builder's handle, which keeps the vectors that arrays borrow
} Target;

#define CALL(function, ...) check_column(function(target->builder, __VA_ARGS__, &target->error), &target->error, target->column)

// The kinds of vectors, by the attributes that their stored type implies.
typedef enum { PLAIN, FACTOR, FACTOR_NA, DATE, TIME, DURATION, INTEGER64, MATRIX, DATA_FRAME } Kind;

// Pushes the array of any column, of a part of one (`nested`), or of a vector without a look at its attributes.
void push(Target *target, SEXP x, int nested);
void push_atomic(Target *target, SEXP x, int nested);
// Keeps a temporary vector until the frame is written: arrays borrow its memory.
void keep(Target *target, SEXP x);
void refuse_column(Target *target, const char *expected, SEXP x);

// ---------------------------------------------------------------- tags_write.c

int is_text(SEXP x, const char *text);
// Sets the tag of the array on top: `storage` or NULL, and the attributes of `x` if they are not all implied. `exact`: whether
// the array is of the kind's type; a number that stands for it needs all attributes.
void tag(Target *target, SEXP x, Kind kind, const char *storage, int exact);

// ---------------------------------------------------------------- lists_write.c

// Returns whether the array needs the tag "cells".
int push_list(Target *target, SEXP x, int nested);
void push_matrix(Target *target, SEXP x, SEXP dim);
void push_frame(Target *target, SEXP x);

#endif
