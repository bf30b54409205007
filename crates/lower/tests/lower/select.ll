; Things that C does not make, or only after optimization: selects, freeze, odd phis, packed
; structs, constant expressions, aggregate values, arithmetic on odd types.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%packed = type <{ i8, i32, i16 }>
%nested = type { %packed, [3 x { i16, ptr }], double }

@0 = private constant [3 x i8] c"ab\00"
@1 = private global i32 5
@nest = global %nested { %packed <{ i8 1, i32 -2, i16 3 }>, [3 x { i16, ptr }] [{ i16, ptr } { i16 7, ptr @0 }, { i16, ptr } zeroinitializer, { i16, ptr } { i16 undef, ptr getelementptr (i8, ptr @1, i64 2) }], double 2.5 }
@relative = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @1 to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
@difference = constant i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @1, i64 24) to i64), i64 ptrtoint (ptr @1 to i64))
@vector = constant <4 x i16> <i16 1, i16 2, i16 poison, i16 4>
@bools = constant <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 1, i1 0>
@space = addrspace(3) global i32 0
@alias = alias i32, getelementptr (i8, ptr @nest, i64 8)
@resolver = ifunc i32 (i32), ptr @resolve

declare ptr @external(ptr)
declare i32 @llvm.smax.i32(i32, i32)
declare { i4, i1 } @llvm.umul.with.overflow.i4(i4, i4)
declare i32 @llvm.unknown.thing(i32)
declare i64 @llvm.readcyclecounter()
declare <2 x i32> @llvm.smax.v2i32(<2 x i32>, <2 x i32>)
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.invariant.end.p0(ptr, i64, ptr)

define internal ptr @resolve() {
  ret ptr @resolve
}

define i32 @selects(i1 %c, i32 %a, <2 x i1> %m, <2 x i32> %v, { i32, ptr } %s) {
entry:
  %x = select i1 %c, i32 %a, i32 -7
  %y = select i1 %c, { i32, ptr } %s, { i32, ptr } { i32 1, ptr @0 }
  %z = select <2 x i1> %m, <2 x i32> %v, <2 x i32> zeroinitializer
  %w = select i1 %c, <2 x i32> %v, <2 x i32> %z
  %f = freeze i32 %x
  %n = select i1 undef, ptr @alias, ptr inttoptr (i64 add (i64 ptrtoint (ptr @1 to i64), i64 3) to ptr)
  %e = extractvalue { i32, ptr } %y, 0
  %i = insertvalue { i32, ptr } poison, i32 %f, 0
  %l = load i32, ptr %n
  %k = call i32 @resolver(i32 %l)
  switch i32 %e, label %same [ i32 1, label %same
                               i32 2, label %same
                               i32 3, label %other ]
same:
  %p = phi i32 [ %f, %entry ], [ %f, %entry ], [ %f, %entry ]
  br i1 %c, label %other, label %other
other:
  %q = phi i32 [ %k, %entry ], [ %p, %same ], [ %p, %same ]
  ret i32 %q
}

define i4 @odd(i4 %a, i65 %b, i129 %c) {
  %o = call { i4, i1 } @llvm.umul.with.overflow.i4(i4 %a, i4 -3)
  %v = extractvalue { i4, i1 } %o, 0
  %big = mul i129 %c, 3
  %t = trunc i129 %big to i4
  %m = add i65 %b, 36893488147419103231
  %u = trunc i65 %m to i4
  %cmp = icmp slt i129 %c, 0
  br i1 %cmp, label %yes, label %no
yes:
  ret i4 %t
no:
  %r = xor i4 %u, %v
  ret i4 %r
}

define void @strange(ptr %p, i128 %index, ptr addrspace(3) %q) {
  %a = getelementptr [4 x i16], ptr %p, i128 %index
  %b = getelementptr %nested, ptr %p, i16 -1, i32 1, i8 2, i32 1
  %c = load i32, ptr addrspace(3) %q
  store i32 %c, ptr addrspace(3) @space
  %d = addrspacecast ptr addrspace(3) %q to ptr
  %e = call i32 @llvm.unknown.thing(i32 %c)
  %f = call i64 @llvm.readcyclecounter()
  %g = call <2 x i32> @llvm.smax.v2i32(<2 x i32> poison, <2 x i32> <i32 1, i32 2>)
  store <2 x i32> %g, ptr %a
  %h = load { i8, [2 x i32] }, ptr %b
  store { i8, [2 x i32] } %h, ptr %d
  %j = call ptr @llvm.invariant.start.p0(i64 4, ptr %p)
  call void @llvm.invariant.end.p0(ptr %j, i64 4, ptr %p)
  %k = icmp eq ptr %p, getelementptr (i8, ptr null, i64 16)
  %l = load ptr, ptr getelementptr inbounds (%nested, ptr @nest, i64 0, i32 1, i64 2, i32 1)
  %m = call ptr %l(ptr blockaddress(@strange, %dead))
  unreachable
dead:
  %n = phi i32 [ %o, %dead ]
  %o = add i32 %n, %e
  br label %dead
}
