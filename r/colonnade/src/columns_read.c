// Columns as R's vectors: R allocates, Rust fills.

#include <string.h>

#include "columns_read.h"

SEXP read_child(Source *source, size_t node, size_t child) {
  size_t number;
  CALL(cnr_node_child, node, child, &number);
  return read_node(source, number);
}

static SEXP compact_row_names(size_t count) {
  SEXP rows = Rf_allocVector(INTSXP, 2);
  INTEGER(rows)[0] = NA_INTEGER;
  INTEGER(rows)[1] = -(int)count;
  return rows;
}

SEXP column_name(Source *source, const char *text, size_t size) {
  return text == NULL ? NA_STRING : string_of(source->column, text, size);
}

// ---------------------------------------------------------------- any column

// A vector to fill; one that fills itself later if `handle` is a frame.
static SEXP new_vector(Source *source, SEXP handle, SEXPTYPE type, size_t node, size_t count) {
  if (handle == NULL) return vector_new(type, count);
  return lazy_vector(handle, type, node, source->first_row, count, source->column);
}

static void fill(Source *source, Later *later, size_t node, CnrValues values, void *out, double factor) {
  CnrFill fill = {node, values, out, factor};
  if (later == NULL) CALL(cnr_fill, &fill);
  else later->fills[later->count++] = fill;
}

SEXP read_node(Source *source, size_t node) {
  CnrInfo info;
  CALL(cnr_node_info, node, &info);
  size_t count = info.count;
  // Only the column itself waits, not its children.
  SEXP handle = count == 0 ? NULL : source->handle;
  Later *later = source->later;
  source->handle = NULL;
  source->later = NULL;
  SEXP attributes = PROTECT(tagged_attributes(&info));
  SEXP out = R_NilValue;
  switch (info.kind) {
    case CNR_KIND_LOGICAL:
      out = PROTECT(new_vector(source, handle, LGLSXP, node, count));
      if (handle == NULL) fill(source, later, node, CNR_VALUES_LOGICAL, LOGICAL(out), 1);
      break;
    case CNR_KIND_INTEGER:
      out = PROTECT(new_vector(source, handle, INTSXP, node, count));
      if (handle == NULL) fill(source, later, node, CNR_VALUES_INTEGER, INTEGER(out), 1);
      break;
    case CNR_KIND_INTEGER64:
      out = PROTECT(new_vector(source, handle, REALSXP, node, count));
      if (handle == NULL) fill(source, later, node, CNR_VALUES_INTEGER64, REAL(out), 1);
      if (!info.tagged) set_class(out, "integer64", NULL);
      break;
    case CNR_KIND_DOUBLE:
      out = PROTECT(new_vector(source, handle, REALSXP, node, count));
      if (handle == NULL) fill(source, later, node, CNR_VALUES_DOUBLE, REAL(out), 1);
      break;
    case CNR_KIND_COMPLEX:
      out = PROTECT(Rf_allocVector(CPLXSXP, (R_xlen_t)count));
      fill(source, later, node, CNR_VALUES_COMPLEX, COMPLEX(out), 1);
      break;
    case CNR_KIND_RAW:
      out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)count));
      fill(source, later, node, CNR_VALUES_RAW, RAW(out), 1);
      break;
    case CNR_KIND_TEXT:
      out = PROTECT(handle == NULL ? text_column(source->frame, node, count, source->column)
                                   : new_vector(source, handle, STRSXP, node, count));
      break;
    case CNR_KIND_FACTOR: {
      SEXP levels = PROTECT(read_child(source, node, 0));
      out = new_vector(source, handle, INTSXP, node, count);
      UNPROTECT(1);
      PROTECT(out);
      PROTECT(levels);
      SEXP all = list_get(attributes, "levels");
      int last_is_na = TYPEOF(all) == STRSXP && XLENGTH(all) == XLENGTH(levels) + 1;
      if (handle == NULL) fill(source, last_is_na ? NULL : later, node, CNR_VALUES_INTEGER, INTEGER(out), 1);
      if (handle == NULL && last_is_na) {
        for (size_t i = 0; i < count; i++) {
          if (INTEGER(out)[i] == NA_INTEGER) INTEGER(out)[i] = (int)XLENGTH(all);
        }
      }
      Rf_setAttrib(out, R_LevelsSymbol, levels);
      UNPROTECT(1);
      if (!info.tagged) set_class(out, info.ordered ? "ordered" : "factor", info.ordered ? "factor" : NULL);
      break;
    }
    case CNR_KIND_DATE:
    case CNR_KIND_TIME:
    case CNR_KIND_DURATION:
    case CNR_KIND_CLOCK: {
      double factor = info.kind == CNR_KIND_DURATION ? units_factor(list_get(attributes, "units")) : 0;
      if (factor == 0) factor = 1;
      out = PROTECT(new_vector(source, handle, info.integer ? INTSXP : REALSXP, node, count));
      if (handle != NULL) {
        // filled later
      } else if (info.integer && factor == 1) fill(source, later, node, CNR_VALUES_INTEGER, INTEGER(out), 1);
      else if (info.integer) {
        SEXP doubles = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
        fill(source, NULL, node, CNR_VALUES_DOUBLE, REAL(doubles), factor);
        for (size_t i = 0; i < count; i++) INTEGER(out)[i] = ISNAN(REAL(doubles)[i]) ? NA_INTEGER : (int)REAL(doubles)[i];
        UNPROTECT(1);
      } else fill(source, later, node, CNR_VALUES_DOUBLE, REAL(out), factor);
      if (info.tagged) break;
      if (info.kind == CNR_KIND_DATE) set_class(out, "Date", NULL);
      else if (info.kind == CNR_KIND_TIME) {
        SEXP zone = PROTECT(Rf_mkString(info.zone == NULL ? "UTC" : info.zone));
        Rf_setAttrib(out, Rf_install("tzone"), zone);
        set_class(out, "POSIXct", "POSIXt");
        UNPROTECT(1);
      } else {
        SEXP units = PROTECT(Rf_mkString("secs"));
        Rf_setAttrib(out, Rf_install("units"), units);
        set_class(out, info.kind == CNR_KIND_CLOCK ? "hms" : "difftime", info.kind == CNR_KIND_CLOCK ? "difftime" : NULL);
        UNPROTECT(1);
      }
      break;
    }
    case CNR_KIND_LIST:
      out = PROTECT(read_list(source, node, count));
      break;
    case CNR_KIND_MATRIX:
      out = PROTECT(read_matrix(source, node, count, info.width));
      break;
    case CNR_KIND_FRAME: {
      out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)info.children));
      for (size_t i = 0; i < info.children; i++) SET_VECTOR_ELT(out, (R_xlen_t)i, read_child(source, node, i));
      SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)info.children));
      for (size_t i = 0; i < info.children; i++) {
        const void *text;
        size_t size;
        CALL(cnr_child_name, node, i, &text, &size);
        SET_STRING_ELT(names, (R_xlen_t)i, string_of(source->column, text, size));
      }
      Rf_setAttrib(out, R_NamesSymbol, names);
      SEXP rows = PROTECT(compact_row_names(count));
      Rf_setAttrib(out, R_RowNamesSymbol, rows);
      UNPROTECT(2);
      if (!info.tagged) set_class(out, "data.frame", NULL);
      break;
    }
    case CNR_KIND_BYTES:
    case CNR_KIND_CELLS:
      out = PROTECT(read_bytes(source, node, count, info.kind == CNR_KIND_CELLS));
      break;
    default:
      Rf_error("a kind of column that this package does not know");
  }
  if (info.tagged) set_attributes(source, out, attributes, count);
  UNPROTECT(2);
  return out;
}

SEXP read_column(const CnrFrame *frame, size_t node, size_t first_row, SEXP column) {
  Source source = {frame, {0}, column, first_row, NULL, NULL};
  // R may touch a lazy column in the middle of another call of this package.
  SEXP before = PROTECT(get_column());
  set_column(column);
  SEXP out = PROTECT(read_node(&source, node));
  set_column(before);
  UNPROTECT(2);
  return out;
}
