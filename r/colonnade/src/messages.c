// Values of R as plain MessagePack, which programs in other languages read and write.
//
//   NULL, NA           nil                      TRUE          bool
//   1L, 1.5            int, float               "a"           str
//   c(1, 2)            array                    as.raw(1)     bin
//   list(1, "a")       array                    list(a = 1)   map
//   data.frame         map of columns           factor        str
//
// A vector of length 1 is a scalar, unless it is of class AsIs (I()).

#include <string.h>

#include "colonnade_package.h"

static void pack(ByteWriter *bytes, SEXP x, int as_is, SEXP hook, int depth);

// The value that a method of prepack() makes of an object.
static SEXP prepacked(SEXP x, SEXP hook) {
  if (hook == R_NilValue || !Rf_isObject(x)) return x;
  SEXP call = PROTECT(Rf_lang2(hook, x));
  SEXP out = Rf_eval(call, R_GlobalEnv);
  UNPROTECT(1);
  return out;
}

static void pack_item(ByteWriter *bytes, SEXP x, R_xlen_t i, int as_is, SEXP hook, int depth) {
  switch (TYPEOF(x)) {
    case LGLSXP:
      if (LOGICAL_ELT(x, i) == NA_LOGICAL) write_nil(bytes);
      else write_bool(bytes, LOGICAL_ELT(x, i));
      break;
    case INTSXP:
      if (INTEGER_ELT(x, i) == NA_INTEGER) write_nil(bytes);
      else write_int(bytes, INTEGER_ELT(x, i));
      break;
    case REALSXP:
      if (R_IsNA(REAL_ELT(x, i))) write_nil(bytes);
      else write_double(bytes, REAL_ELT(x, i));
      break;
    case STRSXP: write_string(bytes, STRING_ELT(x, i)); break;
    default: pack(bytes, VECTOR_ELT(x, i), as_is, hook, depth + 1);
  }
}

static void pack(ByteWriter *bytes, SEXP x, int as_is, SEXP hook, int depth) {
  if (depth > MESSAGE_DEPTH) {
    throw_message("limit_exceeded", NULL, "expected values nested at most %d deep, found deeper ones.", MESSAGE_DEPTH);
  }
  x = PROTECT(prepacked(x, hook));
  int whole = as_is || Rf_inherits(x, "AsIs");
  switch (TYPEOF(x)) {
    case NILSXP: write_nil(bytes); break;
    case RAWSXP: write_raw(bytes, RAW(x), (size_t)XLENGTH(x)); break;
    case LGLSXP:
    case INTSXP:
    case REALSXP:
    case STRSXP:
    case VECSXP: {
      R_xlen_t count = XLENGTH(x);
      SEXP names = PROTECT(Rf_getAttrib(x, R_NamesSymbol));
      if (TYPEOF(names) == STRSXP) {
        write_map(bytes, (size_t)count);
        for (R_xlen_t i = 0; i < count; i++) {
          write_string(bytes, STRING_ELT(names, i));
          pack_item(bytes, x, i, as_is, hook, depth);
        }
      } else {
        if (count != 1 || whole || TYPEOF(x) == VECSXP) write_array(bytes, (size_t)count);
        for (R_xlen_t i = 0; i < count; i++) {
          if (i % 65536 == 65535) R_CheckUserInterrupt();
          pack_item(bytes, x, i, as_is, hook, depth);
        }
      }
      UNPROTECT(1);
      break;
    }
    default: {
      SEXP class = Rf_getAttrib(x, R_ClassSymbol);
      throw_message("unrepresentable", NULL,
                    "expected a value that MessagePack has (a vector or a list), found an object of type %s%s%s. Write a method of prepack() for it.",
                    Rf_type2char(TYPEOF(x)), TYPEOF(class) == STRSXP ? ", class " : "",
                    TYPEOF(class) == STRSXP ? CHAR(STRING_ELT(class, 0)) : "");
    }
  }
  UNPROTECT(1);
}

SEXP pack_call(SEXP x, SEXP as_is, SEXP hook) {
  set_column(NULL);
  SEXP holder = PROTECT(Rf_allocVector(VECSXP, 1));
  ByteWriter bytes = bytes_new(holder);
  pack(&bytes, x, Rf_asLogical(as_is), hook, 0);
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)bytes.size));
  memcpy(RAW(out), bytes_data(&bytes), bytes.size);
  UNPROTECT(2);
  return out;
}
