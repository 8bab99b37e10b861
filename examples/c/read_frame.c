// Reads some columns of a file of any format and prints their first rows: read_frame FILE [COLUMN...].
//
// Only two things are needed: include/colonnade.h and the library. A frame arrives as an Arrow stream, which this program
// walks by hand; a program with an Arrow library hands the stream to it instead.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colonnade.h"

static int fail(CnError *error) {
  fprintf(stderr, "%s\n", error->text ? error->text : "unknown error");
  fprintf(stderr, "kind: %s\n", error->kind ? error->kind : "?");
  cn_error_clear(error);
  return 1;
}

static int is_null(const struct ArrowArray *array, int64_t row) {
  const uint8_t *validity = array->n_buffers > 0 ? array->buffers[0] : NULL;
  int64_t at = row + array->offset;
  return validity != NULL && !(validity[at / 8] >> (at % 8) & 1);
}

// Prints one cell of the types that this example knows; the name of the type for others.
static void print_cell(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row) {
  if (is_null(array, row)) {
    printf("null");
    return;
  }
  const void *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
  int64_t at = row + array->offset;
  if (strcmp(schema->format, "g") == 0) {
    printf("%g", ((const double *)values)[at]);
  } else if (strcmp(schema->format, "i") == 0) {
    printf("%" PRId32, ((const int32_t *)values)[at]);
  } else if (strcmp(schema->format, "l") == 0) {
    printf("%" PRId64, ((const int64_t *)values)[at]);
  } else if (strcmp(schema->format, "u") == 0) {
    const int32_t *offsets = values;
    printf("%.*s", (int)(offsets[at + 1] - offsets[at]), (const char *)array->buffers[2] + offsets[at]);
  } else if (strcmp(schema->format, "U") == 0) {
    const int64_t *offsets = values;
    printf("%.*s", (int)(offsets[at + 1] - offsets[at]), (const char *)array->buffers[2] + offsets[at]);
  } else {
    printf("<%s>", schema->format);
  }
}

static int print_stream(struct ArrowArrayStream *stream, int64_t rows_left) {
  struct ArrowSchema schema;
  if (stream->get_schema(stream, &schema) != 0) {
    fprintf(stderr, "%s\n", stream->get_last_error(stream));
    return 1;
  }
  for (int64_t column = 0; column < schema.n_children; column++) {
    printf("%s%s", column ? "\t" : "", schema.children[column]->name);
  }
  printf("\n");
  int failed = 0;
  struct ArrowArray batch;
  while (!(failed = stream->get_next(stream, &batch)) && batch.release != NULL) {
    for (int64_t row = 0; row < batch.length && rows_left > 0; row++, rows_left--) {
      for (int64_t column = 0; column < batch.n_children; column++) {
        printf(column ? "\t" : "");
        print_cell(schema.children[column], batch.children[column], row + batch.offset);
      }
      printf("\n");
    }
    batch.release(&batch);
  }
  if (failed) fprintf(stderr, "%s\n", stream->get_last_error(stream));
  schema.release(&schema);
  return failed != 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FILE [COLUMN...]\n", argv[0]);
    return 2;
  }
  CnError error = {0};
  CnFile *file = NULL;
  if (cn_open_path(argv[1], NULL, NULL, NULL, &file, &error) != CN_CODE_OK) return fail(&error);

  char *description = NULL;
  if (cn_file_describe(file, &description, &error) != CN_CODE_OK) {
    cn_file_free(file);
    return fail(&error);
  }
  fprintf(stderr, "%s\n", description);
  cn_text_free(description);

  CnRequest request = {0};
  if (argc > 2) {
    request.columns = (const char *const *)(argv + 2);
    request.ncolumns = (size_t)(argc - 2);
  }
  struct ArrowArrayStream stream;
  CnCode code = cn_file_read(file, &request, NULL, &stream, &error);
  cn_file_free(file);
  if (code != CN_CODE_OK) return fail(&error);
  int failed = print_stream(&stream, 10);
  stream.release(&stream);
  return failed;
}
