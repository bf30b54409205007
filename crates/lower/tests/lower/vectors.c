/* Vectors have no model, and must not stop anything. */
typedef int four __attribute__((vector_size(16)));
typedef float quad __attribute__((vector_size(16)));

static const four constant = {1, 2, 3, 4};

int reduce(const four *p, int i) {
    four sum = p[0] + p[1] * constant;
    sum[i & 3] = 9;
    four mask = sum > constant;
    sum = (mask & sum) | (~mask & -sum);
    return sum[0] + __builtin_reduce_add(sum) + __builtin_shufflevector(sum, constant, 7, 1, 2, 3)[0];
}

quad blend(quad a, quad b) { return __builtin_elementwise_abs(a) + b / a; }
_Float16 small(_Float16 a) { return a + (_Float16)1; }
_BitInt(200) giant(_BitInt(200) a) { return a > 3 ? a * a : a; }
int giant_switch(_BitInt(200) a) { switch (a) { case 1: return 2; case 5: return 3; } return 0; }
