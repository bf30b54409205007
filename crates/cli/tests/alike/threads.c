/* Threads with locks, conditions, keys, cancellation, atomics and C11's calls. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int total;
static int turn, made, gone;
static _Thread_local int own = 5;
static void begin(void) {
  made++;
}
static void end(void* value) {
  pthread_mutex_lock(&lock);
  gone += *(int*)value;
  pthread_mutex_unlock(&lock);
}
static void* work(void* argument) {
  int number = (int)(long)argument;
  own += number;
  pthread_once(&once, begin);
  pthread_setspecific(key, &own);
  for (int i = 0; i < 1000; i++) atomic_fetch_add(&total, i % 3);
  pthread_mutex_lock(&lock);
  while (turn != number) pthread_cond_wait(&changed, &lock);
  printf("turn %d %d\n", number, own);
  turn++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return (void*)(long)(own * 2);
}
static void* wait(void* argument) {
  for (;;) pause();
  return 0;
}
static int simple(void* argument) {
  return *(int*)argument + 1;
}
int main(void) {
  pthread_t threads[4];
  pthread_key_create(&key, end);
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void*)i);
  void* results[4];
  for (int i = 0; i < 4; i++) pthread_join(threads[i], &results[i]);
  for (int i = 0; i < 4; i++) printf("%ld\n", (long)results[i]);
  printf("%d %d %d %d\n", made, gone, total, own);
  void* how;
  pthread_create(&threads[0], 0, wait, 0);
  pthread_cancel(threads[0]);
  pthread_join(threads[0], &how);
  printf("%d\n", how == PTHREAD_CANCELED);
  thrd_t thread;
  int given = 6, result;
  thrd_create(&thread, simple, &given);
  thrd_join(thread, &result);
  printf("%d\n", result);
  return 0;
}
