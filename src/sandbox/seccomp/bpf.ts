/** One instruction of classic BPF, as `struct sock_filter` of linux/filter.h has it. */
export interface Instruction {
  readonly code: number
  /** how many instructions are skipped when a comparison holds, and when it does not */
  readonly jt: number
  readonly jf: number
  readonly k: number
}

const codes = { load: 0x20, jumpEqual: 0x15, jumpAtLeast: 0x35, jumpSet: 0x45, ret: 0x06 }

/** Loads 32 bits of `struct seccomp_data`. */
export function load(offset: number): Instruction {
  return { code: codes.load, jt: 0, jf: 0, k: offset }
}

/** Ends the filter with its answer. */
export function ret(answer: number): Instruction {
  return { code: codes.ret, jt: 0, jf: 0, k: answer }
}

/** Skips `count` instructions unless what was loaded is `value`. */
export function skipUnlessEqual(value: number, count: number): Instruction {
  return jump(codes.jumpEqual, value, 0, count)
}

/** Skips `count` instructions when what was loaded is `value`. */
export function skipIfEqual(value: number, count: number): Instruction {
  return jump(codes.jumpEqual, value, count, 0)
}

/** Skips `count` instructions unless the loaded value, without a sign, is at least `value`. */
export function skipUnlessAtLeast(value: number, count: number): Instruction {
  return jump(codes.jumpAtLeast, value, 0, count)
}

/** Skips `count` instructions unless what was loaded has one of the bits of `mask`. */
export function skipUnlessSet(mask: number, count: number): Instruction {
  return jump(codes.jumpSet, mask, 0, count)
}

function jump(code: number, k: number, jt: number, jf: number): Instruction {
  if (jt > 255 || jf > 255) throw new Error('A jump of BPF skips at most 255 instructions')
  return { code, jt, jf, k }
}

/** The bytes that the kernel reads: eight for each instruction, little-endian. */
export function programBytes(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, jf, jt, k }] of program.entries()) {
    const at = index * 8
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(jt, at + 2)
    bytes.writeUInt8(jf, at + 3)
    bytes.writeUInt32LE(k >>> 0, at + 4)
  }
  return bytes
}
