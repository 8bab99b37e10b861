// Errors of Rust as conditions of R, and interrupts of R's user for Rust.

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "colonnade_package.h"

// Set when the user interrupted a call, so that its error is signalled as an interrupt.
static int was_interrupted = 0;

// The name of the column that is being converted, for errors deep inside it; R_NilValue outside. A list keeps it: an interrupt may
// leave the conversion at any point.
static SEXP current = NULL;

void keep_current_column(void) {
  current = Rf_allocVector(VECSXP, 1);
  R_PreserveObject(current);
}

void set_column(SEXP column) { SET_VECTOR_ELT(current, 0, column == NULL ? R_NilValue : column); }

SEXP get_column(void) { return VECTOR_ELT(current, 0); }

static SEXP text_sexp(const char *text) {
  return text == NULL ? R_NilValue : Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

static SEXP number_sexp(int64_t number) {
  return number < 0 ? R_NilValue : Rf_ScalarReal((double)number);
}

static SEXP namespace_call(const char *function, SEXP argument) {
  SEXP name = PROTECT(Rf_mkString("colonnade"));
  SEXP space = PROTECT(R_FindNamespace(name));
  SEXP call = PROTECT(argument == NULL ? Rf_lang1(Rf_install(function)) : Rf_lang2(Rf_install(function), argument));
  SEXP out = Rf_eval(call, space);
  UNPROTECT(3);
  return out;
}

void throw_error(CnError *error, SEXP column) {
  set_column(NULL);
  if (error->code == CN_CODE_CANCELLED && was_interrupted) {
    was_interrupted = 0;
    cn_error_clear(error);
    namespace_call("signal_interrupt", NULL);
  }
  static const char *names[] = {"kind", "format", "member", "text",     "what",   "expected", "found",
                                "next_step", "offset", "line", "needed", "had", "os_error", "column", ""};
  SEXP fields = PROTECT(Rf_mkNamed(VECSXP, names));
  const char *texts[] = {error->kind, error->format,   error->member, error->text,
                         error->what, error->expected, error->found,  error->next_step};
  for (int i = 0; i < 8; i++) SET_VECTOR_ELT(fields, i, text_sexp(texts[i]));
  SET_VECTOR_ELT(fields, 8, number_sexp(error->offset));
  SET_VECTOR_ELT(fields, 9, number_sexp(error->line));
  SET_VECTOR_ELT(fields, 10, number_sexp(error->needed));
  SET_VECTOR_ELT(fields, 11, number_sexp(error->had));
  SET_VECTOR_ELT(fields, 12, error->os_error == 0 ? R_NilValue : Rf_ScalarInteger(error->os_error));
  SET_VECTOR_ELT(fields, 13, column);
  cn_error_clear(error);
  namespace_call("throw_colonnade_error", fields);
  UNPROTECT(1);
  Rf_error("the error of Colonnade was not signalled");  // not reached
}

void check_code(CnCode code, CnError *error) {
  if (code != CN_CODE_OK) throw_error(error, R_NilValue);
  if (was_interrupted) {
    // The call ended before it heard of the interrupt. R takes it at its next look, after the result is safe.
    was_interrupted = 0;
    raise(SIGINT);
  }
}

void check_column(CnCode code, CnError *error, SEXP column) {
  if (code != CN_CODE_OK) throw_error(error, column);
}

void throw_message(const char *kind, const char *member, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  static const char *names[] = {"kind", "format", "column", "message", ""};
  SEXP fields = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(fields, 0, text_sexp(kind));
  SET_VECTOR_ELT(fields, 1, text_sexp("r"));
  SET_VECTOR_ELT(fields, 2, member == NULL ? VECTOR_ELT(current, 0) : text_sexp(member));
  set_column(NULL);
  SET_VECTOR_ELT(fields, 3, text_sexp(text));
  namespace_call("throw_colonnade_message", fields);
  UNPROTECT(1);
  Rf_error("the error of Colonnade was not signalled");  // not reached
}

static void check_interrupt(void *unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

// R_ToplevelExec catches the longjmp, which must not cross Rust.
int poll_interrupts(void) {
  if (R_ToplevelExec(check_interrupt, NULL)) return 0;
  was_interrupted = 1;
  return 1;
}

static int poll(void *context, int64_t done, int64_t total) {
  (void)context;
  (void)done;
  (void)total;
  return poll_interrupts();
}

CnProgress interrupts(void) {
  was_interrupted = 0;
  set_column(NULL);
  CnProgress progress = {poll, NULL};
  return progress;
}
