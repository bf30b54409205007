// A coroutine: its parts are functions, its variables lie on the heap.
// cover: --cc-flag=-std=c++20
// never: between
#include <coroutine>
#include <cstdio>
#include <exception>
#include <labrys.h>

struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int number) noexcept {
      value = number;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

static Numbers count(int n) {
  for (int i = 0; i < n; i++) {
    if (i == 5) co_yield 100;
    co_yield i;
  }
}

int main() {
  Numbers numbers = count(std::getchar() & 15);
  int sum = 0;
  for (numbers.handle.resume(); !numbers.handle.done(); numbers.handle.resume())
    sum += numbers.handle.promise().value;
  numbers.handle.destroy();
  if (sum == 3) labrys_target("three");
  if (sum == 37) labrys_target("between");
  if (sum > 120) labrys_target("more");
  return 0;
}
