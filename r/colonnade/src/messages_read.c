// Plain MessagePack as values of R. messages.c has the table.

#include <string.h>

#include "colonnade_package.h"

typedef struct {
  const unsigned char *data;
  size_t size, at;
  int simplify;
} Input;

static CnrEvent next(Input *input) { return next_item(input->data, input->size, &input->at); }

static SEXP raw_of(const CnrEvent *event) {
  SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)event->count);
  if (event->count > 0) memcpy(RAW(out), event->data, event->count);
  return out;
}

static SEXP unpack(Input *input, int depth);

static int is_integer(int64_t value) { return value >= -INT_MAX && value <= INT_MAX; }

// The atomic type that scalars of a list have together; VECSXP if there is none.
static SEXPTYPE common_type(SEXP list) {
  SEXPTYPE found = NILSXP;
  for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
    SEXP item = VECTOR_ELT(list, i);
    if (item == R_NilValue) continue;
    SEXPTYPE type = TYPEOF(item);
    int scalar = (type == LGLSXP || type == INTSXP || type == REALSXP || type == STRSXP) && XLENGTH(item) == 1;
    if (!scalar || ATTRIB(item) != R_NilValue) return VECSXP;
    int numbers = (found == INTSXP || found == REALSXP) && (type == INTSXP || type == REALSXP);
    if (found == NILSXP || type == found) found = type;
    else if (numbers) found = REALSXP;
    else return VECSXP;
  }
  return found == NILSXP ? (XLENGTH(list) == 0 ? VECSXP : LGLSXP) : found;
}

static SEXP simplified(SEXP list) {
  SEXPTYPE type = common_type(list);
  if (type == VECSXP) return list;
  R_xlen_t count = XLENGTH(list);
  SEXP out = PROTECT(Rf_allocVector(type, count));
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP item = VECTOR_ELT(list, i);
    int missing = item == R_NilValue;
    switch (type) {
      case LGLSXP: LOGICAL(out)[i] = missing ? NA_LOGICAL : LOGICAL_ELT(item, 0); break;
      case INTSXP: INTEGER(out)[i] = missing ? NA_INTEGER : INTEGER_ELT(item, 0); break;
      case REALSXP:
        REAL(out)[i] = missing ? NA_REAL : (TYPEOF(item) == INTSXP ? INTEGER_ELT(item, 0) : REAL_ELT(item, 0));
        break;
      default: SET_STRING_ELT(out, i, missing ? NA_STRING : STRING_ELT(item, 0));
    }
  }
  UNPROTECT(1);
  return out;
}

// An array of numbers, without a list of scalars; R_NilValue if something else is in it, with the cursor back at its start.
static SEXP unpack_numbers(Input *input, size_t count) {
  size_t start = input->at;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  double *values = REAL(out);
  int integers = 1, any = 0;
  for (size_t i = 0; i < count; i++) {
    CnrEvent item = next(input);
    switch (item.item) {
      case CNR_ITEM_NIL: values[i] = NA_REAL; break;
      case CNR_ITEM_INT:
        any = 1;
        if (!is_integer(item.integer)) integers = 0;
        values[i] = (double)item.integer;
        break;
      case CNR_ITEM_UINT:
      case CNR_ITEM_FLOAT:
        any = 1;
        integers = 0;
        values[i] = item.number;
        break;
      default:
        input->at = start;
        UNPROTECT(1);
        return R_NilValue;
    }
  }
  if (!any) {
    input->at = start;
    UNPROTECT(1);
    return R_NilValue;
  }
  if (integers) {
    SEXP narrow = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++) INTEGER(narrow)[i] = ISNAN(values[i]) ? NA_INTEGER : (int)values[i];
    UNPROTECT(2);
    return narrow;
  }
  UNPROTECT(1);
  return out;
}

static SEXP unpack_array(Input *input, size_t count, int depth) {
  if (input->simplify && count > 0) {
    SEXP numbers = unpack_numbers(input, count);
    if (numbers != R_NilValue) return numbers;
  }
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++) {
    if (i % 65536 == 65535) R_CheckUserInterrupt();
    SET_VECTOR_ELT(out, (R_xlen_t)i, unpack(input, depth + 1));
  }
  if (input->simplify) out = simplified(out);
  UNPROTECT(1);
  return out;
}

static SEXP unpack_map(Input *input, size_t count, int depth) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++) {
    CnrEvent key = next(input);
    if (key.item == CNR_ITEM_TEXT) {
      SET_STRING_ELT(names, (R_xlen_t)i, char_of(&key));
    } else if (key.item == CNR_ITEM_INT) {
      char text[24];
      snprintf(text, sizeof text, "%lld", (long long)key.integer);
      SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkChar(text));
    } else if (key.item == CNR_ITEM_NIL) {
      SET_STRING_ELT(names, (R_xlen_t)i, NA_STRING);
    } else {
      throw_message("unsupported", NULL, "expected keys of text or integers, which names of R can be, found others.");
    }
    SET_VECTOR_ELT(out, (R_xlen_t)i, unpack(input, depth + 1));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

static SEXP unpack(Input *input, int depth) {
  if (depth > MESSAGE_DEPTH) {
    throw_message("limit_exceeded", NULL, "expected values nested at most %d deep, found deeper ones.", MESSAGE_DEPTH);
  }
  CnrEvent item = next(input);
  switch (item.item) {
    case CNR_ITEM_NIL: return R_NilValue;
    case CNR_ITEM_BOOL: return Rf_ScalarLogical(item.integer != 0);
    case CNR_ITEM_INT:
      return is_integer(item.integer) ? Rf_ScalarInteger((int)item.integer) : Rf_ScalarReal((double)item.integer);
    case CNR_ITEM_UINT:
    case CNR_ITEM_FLOAT: return Rf_ScalarReal(item.number);
    case CNR_ITEM_TEXT: {
      SEXP text = PROTECT(char_of(&item));
      SEXP out = Rf_ScalarString(text);
      UNPROTECT(1);
      return out;
    }
    case CNR_ITEM_BYTES: return raw_of(&item);
    case CNR_ITEM_ARRAY: return unpack_array(input, item.count, depth);
    case CNR_ITEM_MAP: return unpack_map(input, item.count, depth);
    default: {
      SEXP out = PROTECT(raw_of(&item));
      SEXP type = PROTECT(Rf_ScalarInteger((int)item.integer));
      Rf_setAttrib(out, Rf_install("ext_type"), type);
      UNPROTECT(2);
      return out;
    }
  }
}

// The value at offset `at` of the first `size` bytes, and the offset behind it.
SEXP unpack_call(SEXP bytes, SEXP size, SEXP at, SEXP simplify) {
  set_column(NULL);
  Input input = {RAW(bytes), (size_t)Rf_asReal(size), (size_t)Rf_asReal(at), Rf_asLogical(simplify)};
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, unpack(&input, 0));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)input.at));
  UNPROTECT(1);
  return out;
}

// Searches the end of a value in the first `size` bytes. Takes and returns the offset and the number of items where the search
// stands, and the bytes that the value certainly still has.
SEXP scan_call(SEXP bytes, SEXP size, SEXP at, SEXP left) {
  size_t offset = (size_t)Rf_asReal(at), items = (size_t)Rf_asReal(left), needed = 0;
  CnError error = {0};
  check_code(cnr_msgpack_scan(RAW(bytes), (size_t)Rf_asReal(size), &offset, &items, &needed, &error), &error);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 3));
  REAL(out)[0] = (double)offset;
  REAL(out)[1] = (double)items;
  REAL(out)[2] = (double)needed;
  UNPROTECT(1);
  return out;
}

// Copies `bytes` into `buffer` from offset `at` on, in place: no other name refers to a connection's buffer.
SEXP append_call(SEXP buffer, SEXP at, SEXP bytes) {
  size_t offset = (size_t)Rf_asReal(at), size = (size_t)XLENGTH(bytes);
  if (offset + size > (size_t)XLENGTH(buffer)) Rf_error("a buffer is too small");
  if (size > 0) memcpy(RAW(buffer) + offset, RAW(bytes), size);
  return R_NilValue;
}

// Bytes `start` to `stop` of a raw vector. R's own `x[start:stop]` makes a number for each byte.
SEXP part_call(SEXP bytes, SEXP start, SEXP stop) {
  size_t from = (size_t)Rf_asReal(start), to = (size_t)Rf_asReal(stop);
  if (from > to || to > (size_t)XLENGTH(bytes)) Rf_error("a part that exceeds its bytes");
  SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)(to - from));
  if (to > from) memcpy(RAW(out), RAW(bytes) + from, to - from);
  return out;
}

// The text of JSON as R's values.
SEXP json_call(SEXP text) {
  CnError error = {0};
  CnBuffer buffer;
  check_code(cnr_json(text_or_null(text), &buffer, &error), &error);
  SEXP bytes = PROTECT(take_buffer(&buffer));
  Input input = {RAW(bytes), (size_t)XLENGTH(bytes), 0, 1};
  SEXP out = unpack(&input, 0);
  UNPROTECT(1);
  return out;
}
