// What the files share that turn a frame into R's vectors (frame_read.c, columns_read.c, tags_read.c, lists_read.c).

#ifndef COLONNADE_COLUMNS_READ_H
#define COLONNADE_COLUMNS_READ_H

#include "colonnade_package.h"

// Vectors that are filled after all columns have theirs.
typedef struct {
  CnrFill *fills;
  size_t count;
} Later;

typedef struct {
  const CnrFrame *frame;
  CnError error;
  SEXP column;       // the name of the current column, for errors
  size_t first_row;  // of the rows that were asked for, from 0
  SEXP handle;       // of a frame whose next column is read when R touches it; else NULL
  Later *later;      // takes the next column, if its values are not needed yet; else NULL
} Source;

#define CALL(function, ...) check_column(function(source->frame, __VA_ARGS__, &source->error), &source->error, source->column)

// ---------------------------------------------------------------- columns_read.c

// A column, a level of row labels, or a child.
SEXP read_node(Source *source, size_t node);
// A child of a column.
SEXP read_child(Source *source, size_t node, size_t child);
// NA without a text.
SEXP column_name(Source *source, const char *text, size_t size);

// ---------------------------------------------------------------- tags_read.c

void set_class(SEXP x, const char *first, const char *second);
// R's attributes in the tag, as a named list.
SEXP tagged_attributes(const CnrInfo *info);
SEXP list_get(SEXP list, const char *name);
// Sets attributes; the class last. Names of rows that were not asked for are left out.
void set_attributes(Source *source, SEXP x, SEXP attributes, size_t count);

// ---------------------------------------------------------------- lists_read.c

SEXP read_bytes(Source *source, size_t node, size_t count, int cells);
SEXP read_list(Source *source, size_t node, size_t count);
SEXP read_matrix(Source *source, size_t node, size_t rows, size_t columns);
// Items `start..stop` of a vector, with the attributes that every slice has.
SEXP slice(SEXP x, R_xlen_t start, R_xlen_t stop);

#endif
