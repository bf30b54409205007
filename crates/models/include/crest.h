/* crest.h as labrys-cc finds it: each macro makes a variable an input, named as it is written. */
#ifndef CREST_H
#define CREST_H

#ifdef __cplusplus
extern "C" {
#endif

void __CrestUCharNamed(unsigned char *object, const char *label);
void __CrestUShortNamed(unsigned short *object, const char *label);
void __CrestUIntNamed(unsigned *object, const char *label);
void __CrestULongNamed(unsigned long *object, const char *label);
void __CrestULongLongNamed(unsigned long long *object, const char *label);
void __CrestCharNamed(char *object, const char *label);
void __CrestShortNamed(short *object, const char *label);
void __CrestIntNamed(int *object, const char *label);
void __CrestLongNamed(long *object, const char *label);
void __CrestLongLongNamed(long long *object, const char *label);
void __CrestFloatNamed(float *object, const char *label);
void __CrestDoubleNamed(double *object, const char *label);

#ifdef __cplusplus
}
#endif

#define CREST_unsigned_char(x) __CrestUCharNamed(&(x), #x)
#define CREST_unsigned_short(x) __CrestUShortNamed(&(x), #x)
#define CREST_unsigned_int(x) __CrestUIntNamed(&(x), #x)
#define CREST_unsigned_long(x) __CrestULongNamed(&(x), #x)
#define CREST_unsigned_long_long(x) __CrestULongLongNamed(&(x), #x)
#define CREST_char(x) __CrestCharNamed(&(x), #x)
#define CREST_short(x) __CrestShortNamed(&(x), #x)
#define CREST_int(x) __CrestIntNamed(&(x), #x)
#define CREST_long(x) __CrestLongNamed(&(x), #x)
#define CREST_long_long(x) __CrestLongLongNamed(&(x), #x)
#define CREST_float(x) __CrestFloatNamed(&(x), #x)
#define CREST_double(x) __CrestDoubleNamed(&(x), #x)

/* CROWN's names. */
#define SYM_unsigned_char(x) CREST_unsigned_char(x)
#define SYM_unsigned_short(x) CREST_unsigned_short(x)
#define SYM_unsigned_int(x) CREST_unsigned_int(x)
#define SYM_unsigned_long(x) CREST_unsigned_long(x)
#define SYM_char(x) CREST_char(x)
#define SYM_short(x) CREST_short(x)
#define SYM_int(x) CREST_int(x)
#define SYM_long(x) CREST_long(x)

#endif
