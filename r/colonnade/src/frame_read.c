// A frame as a list of R: its columns, names and row labels.

#include "columns_read.h"

typedef struct {
  Source *source;
  SEXP names, columns;
  CnrFills *fills;
} Columns;

// Lines of text as a character vector.
static SEXP lines_of(SEXP raw) {
  SEXP text = PROTECT(Rf_ScalarString(Rf_mkCharLenCE((const char *)RAW(raw), (int)XLENGTH(raw), CE_UTF8)));
  UNPROTECT(1);
  return text;
}

static void read_one(Source *source, SEXP names, SEXP columns, size_t i) {
  source->column = PROTECT(Rf_ScalarString(STRING_ELT(names, (R_xlen_t)i)));
  set_column(source->column);
  SET_VECTOR_ELT(columns, (R_xlen_t)i, read_node(source, i));
  set_column(NULL);
  source->column = R_NilValue;
  UNPROTECT(1);
}

// The columns of text, and then the vectors that no other thread has begun to fill.
static SEXP read_texts(void *data) {
  Columns *all = data;
  for (R_xlen_t i = 0; i < XLENGTH(all->columns); i++) {
    if (VECTOR_ELT(all->columns, i) == R_NilValue) read_one(all->source, all->names, all->columns, (size_t)i);
  }
  while (cnr_fills_step(all->fills)) R_CheckUserInterrupt();
  CnError error = {0};
  check_column(cnr_fills_end(all->fills, &error), &error, R_NilValue);
  return R_NilValue;
}

static void end_fills(void *data) { cnr_fills_free(((Columns *)data)->fills); }

// `handle`: of a frame whose columns are read when R touches them; else NULL. Other threads fill vectors of numbers while this one makes
// the strings.
static void read_columns(Source *source, SEXP handle, SEXP names, SEXP columns, SEXP rounded) {
  size_t ncols = (size_t)XLENGTH(columns);
  const void *mark = vmaxget();
  Later later = {(CnrFill *)R_alloc(ncols, sizeof(CnrFill)), 0};
  for (size_t i = 0; i < ncols; i++) {
    const void *text;
    size_t size;
    CALL(cnr_column_name, i, &text, &size);
    SET_STRING_ELT(names, (R_xlen_t)i, column_name(source, text, size));
    CnrInfo info;
    CALL(cnr_node_info, i, &info);
    LOGICAL(rounded)[i] = info.rounded;
    // Text is read while other threads work.
    if (handle == NULL && info.kind == CNR_KIND_TEXT) continue;
    source->handle = handle;
    source->later = &later;
    read_one(source, names, columns, i);
  }
  Columns all = {source, names, columns, cnr_fills_start(source->frame, later.fills, later.count)};
  R_ExecWithCleanup(read_texts, &all, end_fills, &all);
  vmaxset(mark);
}

SEXP frame_to_list(CnrFrame *frame, size_t first_row, SEXP lazy_source) {
  SEXP handle = PROTECT(frame_handle(frame));
  if (lazy_source != NULL) R_SetExternalPtrProtected(handle, lazy_source);
  Source context = {frame, {0}, R_NilValue, first_row, NULL, NULL}, *source = &context;
  static const char *fields[] = {"columns", "names", "nrow", "levels", "level_names", "start", "step",
                                 "is_r", "attributes", "hint", "rounded", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, fields));
  size_t nrows, ncols;
  cnr_frame_shape(frame, &nrows, &ncols);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)ncols));
  SET_VECTOR_ELT(out, 1, names);
  SEXP columns = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)ncols));
  SET_VECTOR_ELT(out, 0, columns);
  SEXP rounded = PROTECT(Rf_allocVector(LGLSXP, (R_xlen_t)ncols));
  SET_VECTOR_ELT(out, 10, rounded);
  read_columns(source, lazy_source == NULL ? NULL : handle, names, columns, rounded);
  CnrRows rows;
  CALL(cnr_rows, &rows);
  SEXP levels = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows.levels));
  SET_VECTOR_ELT(out, 3, levels);
  for (size_t i = 0; i < rows.levels; i++) SET_VECTOR_ELT(levels, (R_xlen_t)i, read_node(source, ncols + i));
  CnBuffer buffer;
  CALL(cnr_level_names, &buffer);
  SEXP raw = PROTECT(take_buffer(&buffer));
  SET_VECTOR_ELT(out, 4, lines_of(raw));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)nrows));
  SET_VECTOR_ELT(out, 5, Rf_ScalarReal((double)rows.start));
  SET_VECTOR_ELT(out, 6, Rf_ScalarReal((double)rows.step));
  SET_VECTOR_ELT(out, 7, Rf_ScalarLogical(rows.is_r));
  CALL(cnr_frame_attributes, &buffer);
  SEXP typed = PROTECT(take_buffer(&buffer));
  if (XLENGTH(typed) > 0) {
    CnrInfo info = {0};
    info.attributes = RAW(typed);
    info.attributes_nbytes = (size_t)XLENGTH(typed);
    SET_VECTOR_ELT(out, 8, tagged_attributes(&info));
  }
  CALL(cnr_frame_hint, &buffer);
  SET_VECTOR_ELT(out, 9, take_buffer(&buffer));
  if (lazy_source == NULL) {
    cnr_frame_free(frame);
    R_ClearExternalPtr(handle);
  }
  UNPROTECT(8);
  return out;
}
