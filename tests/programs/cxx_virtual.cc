// Virtual calls: the class is chosen by input; templates and lambdas.
#include <labrys.h>
#include <memory>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  int a;
  explicit Square(int a) : a(a) {}
  int area() const override { return a * a; }
};
struct Rectangle : Shape {
  int a, b;
  Rectangle(int a, int b) : a(a), b(b) {}
  int area() const override { return a * b; }
};

static std::unique_ptr<Shape> make(char kind, int a, int b) {
  switch (kind) {
    case 's': return std::make_unique<Square>(a);
    case 'r': return std::make_unique<Rectangle>(a, b);
    default: return nullptr;
  }
}

template <typename T, typename F> static bool check(const T &x, F f) { return f(x); }

int main() {
  char kind;
  short a, b;
  labrys_symbolic(&kind, sizeof kind, "kind");
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  auto shape = make(kind, a, b);
  if (!shape) {
    labrys_target("none");
    return 1;
  }
  if (kind == 's' && shape->area() == 1369) labrys_target("square");
  if (shape->area() == 391 && a > 1 && b > 1) labrys_target("rectangle");
  if (check(b, [a](short x) { return x - a == 12345; })) labrys_target("lambda");
  Shape *shapes[2] = {shape.get(), shape.get()};
  Square fixed(7);
  shapes[1] = &fixed;
  if (b >= 0 && b < 2 && shapes[b]->area() == 49 && a != 7) labrys_target("virtual");
  return 0;
}
