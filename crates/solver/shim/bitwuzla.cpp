// A C interface to Bitwuzla's C++ interface, as one table of functions.
//
// Terms are numbered: a handle is an index into the context's list of terms, 0 is none, and
// equal terms have equal handles. No exception leaves this file: a function that fails answers
// its failure value and leaves a message to be read by `error`.
//
// The order of `Table`, `KINDS` and the numbers of sorts and answers is repeated in
// src/bitwuzla/ffi.rs.

#include <bitwuzla/cpp/bitwuzla.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using namespace bitwuzla;
using Handle = uint32_t;
using Clock  = std::chrono::steady_clock;

constexpr uint32_t TABLE_VERSION = 3;

// Operators by the numbers that cross the interface.
constexpr Kind KINDS[] = {
    Kind::NOT, Kind::AND, Kind::OR, Kind::XOR, Kind::IMPLIES, Kind::EQUAL, Kind::DISTINCT,
    Kind::ITE,
    Kind::BV_NOT, Kind::BV_NEG, Kind::BV_AND, Kind::BV_OR, Kind::BV_XOR, Kind::BV_ADD,
    Kind::BV_SUB, Kind::BV_MUL, Kind::BV_UDIV, Kind::BV_SDIV, Kind::BV_UREM, Kind::BV_SREM,
    Kind::BV_SHL, Kind::BV_SHR, Kind::BV_ASHR, Kind::BV_ULT, Kind::BV_ULE, Kind::BV_SLT,
    Kind::BV_SLE, Kind::BV_CONCAT, Kind::BV_EXTRACT, Kind::BV_ZERO_EXTEND,
    Kind::BV_SIGN_EXTEND,
    Kind::FP_ABS, Kind::FP_NEG, Kind::FP_ADD, Kind::FP_SUB, Kind::FP_MUL, Kind::FP_DIV,
    Kind::FP_REM, Kind::FP_SQRT, Kind::FP_RTI, Kind::FP_EQUAL, Kind::FP_LT, Kind::FP_LEQ,
    Kind::FP_IS_NAN, Kind::FP_IS_NEG, Kind::FP_IS_INF, Kind::FP_IS_ZERO,
    Kind::FP_TO_FP_FROM_BV, Kind::FP_TO_FP_FROM_FP, Kind::FP_TO_FP_FROM_SBV,
    Kind::FP_TO_FP_FROM_UBV, Kind::FP_TO_SBV, Kind::FP_TO_UBV,
    // Seen in interpolants only.
    Kind::BV_COMP, Kind::BV_UGT, Kind::BV_UGE, Kind::BV_SGT, Kind::BV_SGE, Kind::BV_NAND,
    Kind::BV_NOR, Kind::BV_XNOR, Kind::BV_INC, Kind::BV_DEC, Kind::BV_REPEAT, Kind::BV_REDAND,
    Kind::BV_REDOR, Kind::IFF,
};
constexpr uint32_t KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]);
constexpr uint32_t KIND_CONSTANT = 1000, KIND_VALUE = 1001, KIND_OTHER = 1002;

enum SortTag : uint32_t { SORT_BOOL = 0, SORT_BITS = 1, SORT_FLOAT = 2, SORT_ROUNDING = 3 };
enum Stop : int32_t {
  STOP_NONE = 0,
  STOP_DEADLINE = 1,
  STOP_CANCELLED = 2,
  STOP_MEMORY = 3,
  STOP_STEPS = 4
};

struct Settings {
  uint64_t seed;
  uint64_t memory_bytes;  // 0: no limit
  uint32_t interpolants;  // 0: none, 1: McMillan, 2: Pudlak
};

// Resident memory of this process in bytes, 0 if unknown.
uint64_t resident_memory() {
  FILE* file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  unsigned long total = 0, resident = 0;
  int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

// When to stop one check. Repeated in src/bitwuzla/ffi.rs.
struct Limits {
  uint64_t steps;                // 0: no limit
  uint64_t timeout_nanoseconds;  // 0: no limit
  const uint8_t* cancel;         // may be null
};

// Is asked by the solver every few conflicts and decisions, and at each round of rewriting. How
// often depends on the problem alone, so the number of times is a measure of work that is the
// same on every machine: a step.
class Watch : public Terminator {
 public:
  void start(const Limits& limits, uint64_t memory_bytes) {
    steps_ = 0;
    most_steps_ = limits.steps;
    limited_ = limits.timeout_nanoseconds != 0;
    deadline_ = Clock::now() + std::chrono::nanoseconds(limits.timeout_nanoseconds);
    memory_check_ = Clock::now();
    cancel_ = limits.cancel;
    memory_bytes_ = memory_bytes;
    stop_ = STOP_NONE;
  }

  void finish() { cancel_ = nullptr; }

  bool terminate() override {
    if (stop_ != STOP_NONE) return true;
    ++steps_;
    if (most_steps_ && steps_ > most_steps_) {
      stop_ = STOP_STEPS;
    } else if (cancel_ && __atomic_load_n(cancel_, __ATOMIC_RELAXED)) {
      stop_ = STOP_CANCELLED;
    } else if (limited_ || memory_bytes_) {
      Clock::time_point now = Clock::now();
      if (limited_ && now >= deadline_) {
        stop_ = STOP_DEADLINE;
      } else if (memory_bytes_ && now >= memory_check_) {
        memory_check_ = now + std::chrono::milliseconds(10);
        if (resident_memory() >= memory_bytes_) stop_ = STOP_MEMORY;
      }
    }
    return stop_ != STOP_NONE;
  }

  Stop stop() const { return stop_; }
  uint64_t steps() const { return steps_; }

 private:
  uint64_t steps_ = 0, most_steps_ = 0;
  bool limited_ = false;
  Clock::time_point deadline_, memory_check_;
  const uint8_t* cancel_ = nullptr;
  uint64_t memory_bytes_ = 0;
  Stop stop_ = STOP_NONE;
};

// The solver is declared last, so that it goes first.
struct Context {
  Settings settings;
  TermManager tm;
  Options options;
  Watch watch;
  std::vector<Term> terms{Term()};
  std::unordered_map<uint64_t, Handle> handles;
  std::string error, text;
  std::unique_ptr<Bitwuzla> solver;

  explicit Context(const Settings& chosen) : settings(chosen) {
    options.set(Option::PRODUCE_MODELS, 1);
    options.set(Option::PRODUCE_UNSAT_ASSUMPTIONS, 1);
    options.set(Option::SEED, chosen.seed & 0xffffffff);
    if (chosen.interpolants) {
      options.set(Option::PRODUCE_INTERPOLANTS, 1);
      options.set(Option::INTERPOLANTS_SIMP, 1);
      options.set(Option::INTERPOLANTS_ALGO, chosen.interpolants == 2 ? "pudlak" : "mcmillan");
    }
    reset();
  }

  void reset() {
    solver.reset();
    solver = std::make_unique<Bitwuzla>(tm, options);
    solver->configure_terminator(&watch);
  }

  Handle add(Term term) {
    auto [entry, is_new] = handles.try_emplace(term.id(), static_cast<Handle>(terms.size()));
    if (is_new) terms.push_back(std::move(term));
    return entry->second;
  }

  const Term& term(Handle handle) const {
    if (handle == 0 || handle >= terms.size()) throw Exception("no such term");
    return terms[handle];
  }

  std::vector<Term> list(const Handle* handles, size_t count) const {
    std::vector<Term> result;
    result.reserve(count);
    for (size_t i = 0; i < count; ++i) result.push_back(term(handles[i]));
    return result;
  }

  Sort sort(uint32_t tag, uint32_t a, uint32_t b) {
    switch (tag) {
      case SORT_BOOL: return tm.mk_bool_sort();
      case SORT_BITS: return tm.mk_bv_sort(a);
      case SORT_FLOAT: return tm.mk_fp_sort(a, b);
      default: return tm.mk_rm_sort();
    }
  }
};

// Runs `action`; what it throws becomes the context's error and `failure` the result.
template <class Result, class Action>
Result guarded(Context* context, Result failure, Action action) noexcept {
  try {
    return action();
  } catch (const std::exception& exception) {
    context->error = exception.what();
  } catch (...) {
    context->error = "a C++ exception without a message";
  }
  return failure;
}

// The low `width` bits of `high:low` as binary digits.
std::string digits(uint32_t width, uint64_t low, uint64_t high) {
  std::string text(width, '0');
  for (uint32_t bit = 0; bit < width && bit < 128; ++bit) {
    uint64_t word = bit < 64 ? low >> bit : high >> (bit - 64);
    if (word & 1) text[width - 1 - bit] = '1';
  }
  return text;
}

// Reads a value term (a truth value, or a bit-vector of at most 128 bits) into `low`, `high`.
void read_value(const Term& value, uint64_t* low, uint64_t* high) {
  *low = *high = 0;
  if (!value.is_value()) throw Exception("the term is not a value");
  if (value.sort().is_bool()) {
    *low = value.value<bool>() ? 1 : 0;
    return;
  }
  if (!value.sort().is_bv()) throw Exception("the value is not a bit-vector");
  std::string text = value.value<std::string>(2);
  if (text.size() > 128) throw Exception("the value has more than 128 bits");
  for (size_t i = 0; i < text.size(); ++i) {
    *high = *high << 1 | *low >> 63;
    *low  = *low << 1 | (text[i] == '1');
  }
}

const char* library_version() { return bitwuzla::version(); }

Context* create(const Settings* settings, char* message, size_t capacity) noexcept {
  const char* reason = "a C++ exception without a message";
  try {
    return new Context(*settings);
  } catch (const std::exception& exception) {
    std::snprintf(message, capacity, "%s", exception.what());
  } catch (...) {
    std::snprintf(message, capacity, "%s", reason);
  }
  return nullptr;
}

void destroy(Context* context) noexcept { delete context; }

const char* error(Context* context) { return context->error.c_str(); }

uint32_t term_count(Context* context) { return static_cast<uint32_t>(context->terms.size()) - 1; }

Handle make_bits(Context* context, uint32_t width, uint64_t low, uint64_t high) {
  return guarded(context, Handle{0}, [&] {
    Sort sort = context->tm.mk_bv_sort(width);
    if (width <= 64) return context->add(context->tm.mk_bv_value_uint64(sort, low));
    return context->add(context->tm.mk_bv_value(sort, digits(width, low, high), 2));
  });
}

Handle make_bool(Context* context, int32_t value) {
  return guarded(context, Handle{0}, [&] {
    return context->add(value ? context->tm.mk_true() : context->tm.mk_false());
  });
}

Handle make_rounding(Context* context, uint32_t mode) {
  return guarded(context, Handle{0}, [&] {
    constexpr RoundingMode MODES[] = {RoundingMode::RNE, RoundingMode::RTN, RoundingMode::RTP,
                                      RoundingMode::RTZ, RoundingMode::RNA};
    if (mode >= sizeof(MODES) / sizeof(MODES[0])) throw Exception("no such rounding mode");
    return context->add(context->tm.mk_rm_value(MODES[mode]));
  });
}

Handle make_constant(Context* context, uint32_t tag, uint32_t a, uint32_t b, const char* name) {
  return guarded(context, Handle{0}, [&] {
    return context->add(context->tm.mk_const(context->sort(tag, a, b), std::string(name)));
  });
}

Handle make_term(Context* context, uint32_t kind, const Handle* arguments, size_t argument_count,
                 const uint64_t* indices, size_t index_count) {
  return guarded(context, Handle{0}, [&] {
    if (kind >= KIND_COUNT) throw Exception("no such operator");
    return context->add(context->tm.mk_term(KINDS[kind],
                                            context->list(arguments, argument_count),
                                            {indices, indices + index_count}));
  });
}

int32_t assert_formula(Context* context, Handle formula) {
  return guarded(context, -1, [&] {
    context->solver->assert_formula(context->term(formula));
    return 0;
  });
}

int32_t push(Context* context) {
  return guarded(context, -1, [&] { return context->solver->push(1), 0; });
}

int32_t pop(Context* context) {
  return guarded(context, -1, [&] { return context->solver->pop(1), 0; });
}

int32_t reset(Context* context) {
  return guarded(context, -1, [&] { return context->reset(), 0; });
}

// Answers 10 (satisfiable), 20 (unsatisfiable), a `Stop` (0: the solver gave up), -1 (error).
int32_t check(Context* context, const Handle* assumptions, size_t count, const Limits* limits) {
  int32_t answer = guarded(context, -1, [&] {
    std::vector<Term> terms = context->list(assumptions, count);
    context->watch.start(*limits, context->settings.memory_bytes);
    if (context->watch.terminate()) return static_cast<int32_t>(context->watch.stop());
    Result result = context->solver->check_sat(terms);
    if (result == Result::SAT) return 10;
    if (result == Result::UNSAT) return 20;
    return static_cast<int32_t>(context->watch.stop());
  });
  context->watch.finish();
  return answer;
}

// Steps of the last check.
uint64_t steps(Context* context) { return context->watch.steps(); }

int32_t value(Context* context, Handle term, uint64_t* low, uint64_t* high) {
  return guarded(context, -1, [&] {
    read_value(context->solver->get_value(context->term(term)), low, high);
    return 0;
  });
}

// Writes 1 to `failed[i]` if the i-th assumption of the last check is in its core.
int32_t failed(Context* context, const Handle* assumptions, size_t count, uint8_t* failed) {
  return guarded(context, -1, [&] {
    std::vector<Term> core = context->solver->get_unsat_assumptions();
    std::vector<uint64_t> ids;
    for (const Term& term : core) ids.push_back(term.id());
    std::sort(ids.begin(), ids.end());
    for (size_t i = 0; i < count; ++i) {
      failed[i] = std::binary_search(ids.begin(), ids.end(), context->term(assumptions[i]).id());
    }
    return 0;
  });
}

// Interpolant of the assertions `part` and all the others, after an unsatisfiable check.
Handle interpolant(Context* context, const Handle* part, size_t count,
                   const Limits* limits) {
  Handle result = guarded(context, Handle{0}, [&] {
    context->watch.start(*limits, context->settings.memory_bytes);
    return context->add(context->solver->get_interpolant(context->list(part, count)));
  });
  context->watch.finish();
  return result;
}

uint32_t kind(Context* context, Handle handle) {
  return guarded(context, KIND_OTHER, [&] {
    Kind kind = context->term(handle).kind();
    if (kind == Kind::CONSTANT) return KIND_CONSTANT;
    if (kind == Kind::VALUE) return KIND_VALUE;
    const Kind* end = KINDS + KIND_COUNT;
    const Kind* found = std::find(KINDS, end, kind);
    return found == end ? KIND_OTHER : static_cast<uint32_t>(found - KINDS);
  });
}

// Width of a bit-vector, 0 for a truth value, -1 for another sort or an error.
int32_t width(Context* context, Handle handle) {
  return guarded(context, -1, [&] {
    Sort sort = context->term(handle).sort();
    if (sort.is_bool()) return 0;
    return sort.is_bv() ? static_cast<int32_t>(sort.bv_size()) : -1;
  });
}

int32_t constant_value(Context* context, Handle handle, uint64_t* low, uint64_t* high) {
  return guarded(context, -1, [&] { return read_value(context->term(handle), low, high), 0; });
}

// Number of children; writes at most `capacity` of them.
int32_t children(Context* context, Handle handle, Handle* output, size_t capacity) {
  return guarded(context, -1, [&] {
    std::vector<Term> terms = context->term(handle).children();
    for (size_t i = 0; i < terms.size() && i < capacity; ++i) output[i] = context->add(terms[i]);
    return static_cast<int32_t>(terms.size());
  });
}

// Number of indices; writes at most `capacity` of them.
int32_t indices(Context* context, Handle handle, uint64_t* output, size_t capacity) {
  return guarded(context, -1, [&] {
    std::vector<uint64_t> numbers = context->term(handle).indices();
    std::copy_n(numbers.begin(), std::min(capacity, numbers.size()), output);
    return static_cast<int32_t>(numbers.size());
  });
}

// SMT-LIB text of a term, valid until the next call; null on error.
const char* text(Context* context, Handle handle) {
  return guarded(context, static_cast<const char*>(nullptr), [&] {
    context->text = context->term(handle).str();
    return context->text.c_str();
  });
}

}  // namespace

struct Table {
  uint32_t version;
  decltype(&::library_version) library_version;
  decltype(&::create) create;
  decltype(&::destroy) destroy;
  decltype(&::error) error;
  decltype(&::term_count) term_count;
  decltype(&::make_bits) make_bits;
  decltype(&::make_bool) make_bool;
  decltype(&::make_rounding) make_rounding;
  decltype(&::make_constant) make_constant;
  decltype(&::make_term) make_term;
  decltype(&::assert_formula) assert_formula;
  decltype(&::push) push;
  decltype(&::pop) pop;
  decltype(&::reset) reset;
  decltype(&::check) check;
  decltype(&::steps) steps;
  decltype(&::value) value;
  decltype(&::failed) failed;
  decltype(&::interpolant) interpolant;
  decltype(&::kind) kind;
  decltype(&::width) width;
  decltype(&::constant_value) constant_value;
  decltype(&::children) children;
  decltype(&::indices) indices;
  decltype(&::text) text;
};

extern "C" __attribute__((visibility("default"))) const Table labrys_bitwuzla = {
    TABLE_VERSION, library_version, create,    destroy,   error,    term_count,
    make_bits,     make_bool,       make_rounding, make_constant, make_term, assert_formula,
    push,          pop,             reset,     check,     steps,     value,    failed,
    interpolant,   kind,            width,     constant_value, children, indices,
    text,
};
