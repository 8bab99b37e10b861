// A frame as R's vectors: R allocates, Rust fills.

#include <string.h>

#include "colonnade_package.h"

#define CHUNK 1024

typedef struct {
  const CnrFrame *frame;
  CnError error;
  SEXP column;       // the name of the current column, for errors
  size_t first_row;  // of the rows that were asked for, from 0
  SEXP handle;       // of a frame whose next column is read when R touches it; else NULL
} Source;

static void check(Source *source, CnCode code) { check_column(code, &source->error, source->column); }

#define CALL(function, ...) check(source, function(source->frame, __VA_ARGS__, &source->error))

static SEXP read_node(Source *source, size_t node);

static SEXP read_child(Source *source, size_t node, size_t child) {
  size_t number;
  CALL(cnr_node_child, node, child, &number);
  return read_node(source, number);
}

// ---------------------------------------------------------------- lists

static SEXP read_bytes(Source *source, size_t node, size_t count, int cells) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  const void *values[CHUNK];
  size_t sizes[CHUNK];
  for (size_t start = 0; start < count; start += CHUNK) {
    if (start % (64 * CHUNK) == 0) R_CheckUserInterrupt();
    size_t rows = count - start < CHUNK ? count - start : CHUNK;
    CALL(cnr_values, node, start, rows, values, sizes);
    for (size_t i = 0; i < rows; i++) {
      if (values[i] == NULL) continue;
      SEXP item;
      if (cells) {
        size_t at = 0;
        item = read_typed(values[i], sizes[i], &at, 0);
      } else {
        item = Rf_allocVector(RAWSXP, (R_xlen_t)sizes[i]);
        if (sizes[i] > 0) memcpy(RAW(item), values[i], sizes[i]);
      }
      SET_VECTOR_ELT(out, (R_xlen_t)(start + i), item);
    }
  }
  UNPROTECT(1);
  return out;
}

// Items `start..stop` of a vector, with the attributes that every slice has.
static SEXP slice(SEXP x, R_xlen_t start, R_xlen_t stop) {
  R_xlen_t count = stop - start;
  if (Rf_inherits(x, "data.frame") || Rf_getAttrib(x, R_DimSymbol) != R_NilValue) {
    SEXP name = PROTECT(Rf_mkString("colonnade"));
    SEXP space = PROTECT(R_FindNamespace(name));
    SEXP first = PROTECT(Rf_ScalarReal((double)start)), size = PROTECT(Rf_ScalarReal((double)count));
    SEXP call = PROTECT(Rf_lang4(Rf_install("slice_rows"), x, first, size));
    SEXP out = Rf_eval(call, space);
    UNPROTECT(5);
    return out;
  }
  SEXP out = PROTECT(Rf_allocVector(TYPEOF(x), count));
  if (count > 0) {
    switch (TYPEOF(x)) {
      case LGLSXP: memcpy(LOGICAL(out), LOGICAL_RO(x) + start, (size_t)count * sizeof(int)); break;
      case INTSXP: memcpy(INTEGER(out), INTEGER_RO(x) + start, (size_t)count * sizeof(int)); break;
      case REALSXP: memcpy(REAL(out), REAL_RO(x) + start, (size_t)count * sizeof(double)); break;
      case CPLXSXP: memcpy(COMPLEX(out), COMPLEX_RO(x) + start, (size_t)count * sizeof(Rcomplex)); break;
      case RAWSXP: memcpy(RAW(out), RAW_RO(x) + start, (size_t)count); break;
      case STRSXP:
        for (R_xlen_t i = 0; i < count; i++) SET_STRING_ELT(out, i, STRING_ELT(x, start + i));
        break;
      default:
        for (R_xlen_t i = 0; i < count; i++) SET_VECTOR_ELT(out, i, VECTOR_ELT(x, start + i));
    }
  }
  static const char *shared[] = {"levels", "class", "units", "tzone"};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    SEXP value = Rf_getAttrib(x, Rf_install(shared[i]));
    if (value != R_NilValue) Rf_setAttrib(out, Rf_install(shared[i]), value);
  }
  UNPROTECT(1);
  return out;
}

static SEXP read_list(Source *source, size_t node, size_t count) {
  SEXP items = PROTECT(read_child(source, node, 0));
  SEXP bounds = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count * 2));
  int64_t *starts = (int64_t *)REAL(bounds), *stops = starts + count;
  CALL(cnr_list_bounds, node, starts, stops);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++) {
    if (stops[i] >= 0) SET_VECTOR_ELT(out, (R_xlen_t)i, slice(items, starts[i], stops[i]));
  }
  UNPROTECT(3);
  return out;
}

// The file stores row after row.
static SEXP read_matrix(Source *source, size_t node, size_t rows, size_t columns) {
  SEXP items = PROTECT(read_child(source, node, 0));
  int plain = TYPEOF(items) == LGLSXP || TYPEOF(items) == INTSXP || TYPEOF(items) == REALSXP || TYPEOF(items) == STRSXP;
  if (!plain || Rf_isObject(items)) {
    // A matrix of R has no class: lists hold such values.
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows));
    for (size_t i = 0; i < rows; i++) {
      SET_VECTOR_ELT(out, (R_xlen_t)i, slice(items, (R_xlen_t)(i * columns), (R_xlen_t)((i + 1) * columns)));
    }
    UNPROTECT(2);
    return out;
  }
  SEXP out = PROTECT(Rf_allocVector(TYPEOF(items), (R_xlen_t)(rows * columns)));
  for (size_t column = 0; column < columns; column++) {
    for (size_t row = 0; row < rows; row++) {
      size_t from = row * columns + column, to = column * rows + row;
      switch (TYPEOF(items)) {
        case LGLSXP: LOGICAL(out)[to] = LOGICAL_RO(items)[from]; break;
        case INTSXP: INTEGER(out)[to] = INTEGER_RO(items)[from]; break;
        case REALSXP: REAL(out)[to] = REAL_RO(items)[from]; break;
        default: SET_STRING_ELT(out, (R_xlen_t)to, STRING_ELT(items, (R_xlen_t)from));
      }
    }
  }
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = (int)rows;
  INTEGER(dim)[1] = (int)columns;
  Rf_setAttrib(out, R_DimSymbol, dim);
  UNPROTECT(3);
  return out;
}

static SEXP compact_row_names(size_t count) {
  SEXP rows = Rf_allocVector(INTSXP, 2);
  INTEGER(rows)[0] = NA_INTEGER;
  INTEGER(rows)[1] = -(int)count;
  return rows;
}

static SEXP column_name(Source *source, const char *text, size_t size) {
  return text == NULL ? NA_STRING : string_of(source->column, text, size);
}

// ---------------------------------------------------------------- attributes

static void set_class(SEXP x, const char *first, const char *second) {
  SEXP class = PROTECT(Rf_allocVector(STRSXP, second == NULL ? 1 : 2));
  SET_STRING_ELT(class, 0, Rf_mkChar(first));
  if (second != NULL) SET_STRING_ELT(class, 1, Rf_mkChar(second));
  Rf_setAttrib(x, R_ClassSymbol, class);
  UNPROTECT(1);
}

// R's attributes in the tag, as a named list.
static SEXP tagged_attributes(const CnrInfo *info) {
  if (info->attributes == NULL) return R_NilValue;
  const unsigned char *data = info->attributes;
  size_t size = info->attributes_nbytes, at = 0;
  CnrEvent map;
  CnError error = {0};
  check_code(cnr_msgpack_next(data, size, &at, &map, &error), &error);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)map.count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)map.count));
  for (size_t i = 0; i < map.count; i++) {
    CnrEvent name;
    check_code(cnr_msgpack_next(data, size, &at, &name, &error), &error);
    SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkCharLenCE((const char *)name.data, (int)name.count, CE_UTF8));
    SET_VECTOR_ELT(out, (R_xlen_t)i, read_typed(data, size, &at, 0));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

static SEXP list_get(SEXP list, const char *name) {
  if (list == R_NilValue) return R_NilValue;
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  }
  return R_NilValue;
}

// Sets attributes; the class last. Names of rows that were not asked for are left out.
static void set_attributes(Source *source, SEXP x, SEXP attributes, size_t count) {
  if (attributes == R_NilValue) return;
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(attributes); i++) {
    const char *name = CHAR(STRING_ELT(names, i));
    SEXP value = VECTOR_ELT(attributes, i);
    if (strcmp(name, "class") == 0) continue;
    int nprotect = 0;
    R_xlen_t first = (R_xlen_t)source->first_row;
    if (strcmp(name, "names") == 0 && TYPEOF(value) == STRSXP && XLENGTH(value) >= first + (R_xlen_t)count) {
      value = PROTECT(slice(value, first, first + (R_xlen_t)count));
      nprotect++;
    } else if (strcmp(name, "dimnames") == 0 && TYPEOF(value) == VECSXP && XLENGTH(value) == 2) {
      SEXP rows = VECTOR_ELT(value, 0);
      value = PROTECT(Rf_shallow_duplicate(value));
      nprotect++;
      if (TYPEOF(rows) == STRSXP && XLENGTH(rows) >= first + (R_xlen_t)count) {
        SET_VECTOR_ELT(value, 0, slice(rows, first, first + (R_xlen_t)count));
      }
    }
    Rf_setAttrib(x, Rf_install(name), value);
    UNPROTECT(nprotect);
  }
  SEXP class = list_get(attributes, "class");
  if (class != R_NilValue) Rf_setAttrib(x, R_ClassSymbol, class);
}

static double units_factor(SEXP units) {
  static const char *names[] = {"secs", "mins", "hours", "days", "weeks"};
  static const double factors[] = {1, 60, 3600, 86400, 604800};
  for (int i = 0; i < 5; i++) {
    if (TYPEOF(units) == STRSXP && XLENGTH(units) == 1 && strcmp(CHAR(STRING_ELT(units, 0)), names[i]) == 0) {
      return factors[i];
    }
  }
  return 1;
}

// ---------------------------------------------------------------- any column

// A vector to fill; one that fills itself later if `handle` is a frame.
static SEXP new_vector(Source *source, SEXP handle, SEXPTYPE type, size_t node, size_t count) {
  if (handle == NULL) return vector_new(type, count);
  return lazy_vector(handle, type, node, source->first_row, count, source->column);
}

static SEXP read_node(Source *source, size_t node) {
  CnrInfo info;
  CALL(cnr_node_info, node, &info);
  size_t count = info.count;
  // Only the column itself waits, not its children.
  SEXP handle = count == 0 ? NULL : source->handle;
  source->handle = NULL;
  SEXP attributes = PROTECT(tagged_attributes(&info));
  SEXP out = R_NilValue;
  switch (info.kind) {
    case CNR_KIND_LOGICAL:
      out = PROTECT(new_vector(source, handle, LGLSXP, node, count));
      if (handle == NULL) CALL(cnr_fill_logical, node, LOGICAL(out));
      break;
    case CNR_KIND_INTEGER:
      out = PROTECT(new_vector(source, handle, INTSXP, node, count));
      if (handle == NULL) CALL(cnr_fill_integer, node, INTEGER(out));
      break;
    case CNR_KIND_INTEGER64:
      out = PROTECT(new_vector(source, handle, REALSXP, node, count));
      if (handle == NULL) CALL(cnr_fill_integer64, node, (int64_t *)REAL(out));
      if (!info.tagged) set_class(out, "integer64", NULL);
      break;
    case CNR_KIND_DOUBLE:
      out = PROTECT(new_vector(source, handle, REALSXP, node, count));
      if (handle == NULL) CALL(cnr_fill_double, node, REAL(out), 1);
      break;
    case CNR_KIND_COMPLEX:
      out = PROTECT(Rf_allocVector(CPLXSXP, (R_xlen_t)count));
      CALL(cnr_fill_complex, node, (double *)COMPLEX(out));
      break;
    case CNR_KIND_RAW:
      out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)count));
      CALL(cnr_fill_raw, node, RAW(out));
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
      if (handle == NULL) CALL(cnr_fill_integer, node, INTEGER(out));
      SEXP all = list_get(attributes, "levels");
      if (handle == NULL && TYPEOF(all) == STRSXP && XLENGTH(all) == XLENGTH(levels) + 1) {
        // The last level is NA.
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
      double factor = info.kind == CNR_KIND_DURATION ? units_factor(list_get(attributes, "units")) : 1;
      out = PROTECT(new_vector(source, handle, info.integer ? INTSXP : REALSXP, node, count));
      if (handle != NULL) {
        // filled later
      } else if (info.integer && factor == 1) CALL(cnr_fill_integer, node, INTEGER(out));
      else if (info.integer) {
        SEXP doubles = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
        CALL(cnr_fill_double, node, REAL(doubles), factor);
        for (size_t i = 0; i < count; i++) INTEGER(out)[i] = ISNAN(REAL(doubles)[i]) ? NA_INTEGER : (int)REAL(doubles)[i];
        UNPROTECT(1);
      } else CALL(cnr_fill_double, node, REAL(out), factor);
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

// Lines of text as a character vector.
static SEXP lines_of(SEXP raw) {
  SEXP text = PROTECT(Rf_ScalarString(Rf_mkCharLenCE((const char *)RAW(raw), (int)XLENGTH(raw), CE_UTF8)));
  UNPROTECT(1);
  return text;
}

SEXP read_column(const CnrFrame *frame, size_t node, size_t first_row, SEXP column) {
  Source source = {frame, {0}, column, first_row, NULL};
  // R may touch a lazy column in the middle of another call of this package.
  SEXP before = PROTECT(get_column());
  set_column(column);
  SEXP out = PROTECT(read_node(&source, node));
  set_column(before);
  UNPROTECT(2);
  return out;
}

SEXP frame_to_list(CnrFrame *frame, size_t first_row, SEXP lazy_source) {
  SEXP handle = PROTECT(frame_handle(frame));
  if (lazy_source != NULL) R_SetExternalPtrProtected(handle, lazy_source);
  Source context = {frame, {0}, R_NilValue, first_row, NULL}, *source = &context;
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
  for (size_t i = 0; i < ncols; i++) {
    const void *text;
    size_t size;
    CALL(cnr_column_name, i, &text, &size);
    SET_STRING_ELT(names, (R_xlen_t)i, column_name(source, text, size));
    source->column = PROTECT(Rf_ScalarString(STRING_ELT(names, (R_xlen_t)i)));
    set_column(source->column);
    CnrInfo info;
    CALL(cnr_node_info, i, &info);
    LOGICAL(rounded)[i] = info.rounded;
    source->handle = lazy_source == NULL ? NULL : handle;
    SET_VECTOR_ELT(columns, (R_xlen_t)i, read_node(source, i));
    set_column(NULL);
    source->column = R_NilValue;
    UNPROTECT(1);
  }
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
