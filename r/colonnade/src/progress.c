// Progress for a function of R that shows it, which Rust polls about every 50 ms.

#include <setjmp.h>

#include "colonnade_package.h"

// A watch is a list: the function, the token of R's unwinding, and TRUE when an error or interrupt left the function. It is NULL if
// there is no function.
SEXP watch_new(SEXP callback) {
  if (callback == R_NilValue) return R_NilValue;
  SEXP watch = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(watch, 0, callback);
  SET_VECTOR_ELT(watch, 1, R_MakeUnwindCont());
  UNPROTECT(1);
  return watch;
}

typedef struct {
  SEXP callback;
  int64_t done, total;
} Step;

static SEXP call_step(void *data) {
  const Step *step = data;
  SEXP done = PROTECT(Rf_ScalarReal((double)step->done));
  SEXP total = PROTECT(Rf_ScalarReal(step->total < 0 ? NA_REAL : (double)step->total));
  SEXP call = PROTECT(Rf_lang3(step->callback, done, total));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(3);
  return R_NilValue;
}

static void leave(void *place, Rboolean jumps) {
  if (jumps) longjmp(*(jmp_buf *)place, 1);
}

// An error or interrupt in the function must not cross Rust by longjmp. It stops here, Rust ends its work, and check_watched lets R
// go on with it.
static int poll_watch(void *context, int64_t done, int64_t total) {
  if (poll_interrupts()) return 1;
  // Rust also asks for interrupts alone.
  if (done < 0) return 0;
  SEXP watch = context;
  Step step = {VECTOR_ELT(watch, 0), done, total};
  jmp_buf place;
  if (setjmp(place)) {
    SET_VECTOR_ELT(watch, 2, Rf_ScalarLogical(TRUE));
    return 1;
  }
  R_UnwindProtect(call_step, &step, leave, &place, VECTOR_ELT(watch, 1));
  return 0;
}

CnProgress watched(SEXP watch) {
  CnProgress progress = interrupts();
  if (watch != R_NilValue) {
    progress.call = poll_watch;
    progress.context = watch;
  }
  return progress;
}

void check_watched(CnCode code, CnError *error, SEXP watch) {
  if (code != CN_CODE_OK && watch != R_NilValue && VECTOR_ELT(watch, 2) != R_NilValue) {
    cn_error_clear(error);
    R_ContinueUnwind(VECTOR_ELT(watch, 1));
  }
  check_code(code, error);
}
