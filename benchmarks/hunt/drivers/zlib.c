/* zlib: inflates a file in pieces, with its gzip header asked for. */
#include "input.h"

#include "zlib.h"

enum { PIECE = 4 };

int main(int count, char **words) {
  if (count != 2) return 2;
  size_t length;
  unsigned char *bytes = read_input(words[1], &length);
  unsigned char out[256], extra[8], name[32], comment[32];
  z_stream stream = {0};
  gz_header header = {0};
  header.extra = extra, header.extra_max = sizeof extra;
  header.name = name, header.name_max = sizeof name;
  header.comment = comment, header.comm_max = sizeof comment;
  int status = inflateInit2(&stream, 15 + 32);
  if (status == Z_OK) inflateGetHeader(&stream, &header);
  for (size_t at = 0; status == Z_OK && at < length; at += PIECE) {
    stream.next_in = bytes + at;
    stream.avail_in = (uInt)(length - at < PIECE ? length - at : PIECE);
    do {
      stream.next_out = out;
      stream.avail_out = sizeof out;
      status = inflate(&stream, Z_NO_FLUSH);
    } while (status == Z_OK && stream.avail_out == 0);
    if (status == Z_BUF_ERROR) status = Z_OK;
  }
  inflateEnd(&stream);
  free(bytes);
  return status != Z_STREAM_END;
}
