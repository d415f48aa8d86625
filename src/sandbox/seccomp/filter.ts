import {
  programBytes,
  load,
  ret,
  skipIfEqual,
  skipUnlessAtLeast,
  skipUnlessEqual,
  skipUnlessSet,
  type Instruction,
} from './bpf.ts'
import {
  errors,
  judgedCalls,
  judgedUncounted,
  refusedCalls,
  refusedUncounted,
  type ArgumentTest,
  type ErrorName,
} from './refused-calls.ts'
import {
  architectures,
  newestSystemCall,
  numberOf,
  type Architecture,
  type SystemCall,
} from './system-calls.ts'

/** `SECCOMP_RET_…` of linux/seccomp.h. */
const allow = ret(0x7fff0000)
const kill = ret(0x80000000)
const refuse = (error: ErrorName): Instruction => ret(0x00050000 | errors[error])

/** `AUDIT_ARCH_…` of linux/audit.h. */
const audited: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** The offsets in `struct seccomp_data`. */
const places = {
  number: 0,
  architecture: 4,
  argument: ({ argument, upper }: ArgumentTest): number => 16 + 8 * argument + (upper ? 4 : 0),
}

/** Calls of x64's interface with pointers of 32 bits have this bit. */
const x32Bit = 0x40000000

/** Why there is no sandbox on another processor: a sentence. */
export const unknownArchitecture = `There is no filter of system calls for ${process.arch}.`

/** The processor of this process, when the filter knows it. */
export function ownArchitecture(): Architecture | null {
  return architectures.find((architecture) => architecture === process.arch) ?? null
}

/**
 * The system-call filter of a sandbox (security.md 30), in bubblewrap's form. `countsMemory`: a
 * control group counts the memory of the sandbox. A call by another interface of the same processor
 * (32 bits, x32) ends the process, since its numbers mean other calls. Pure.
 */
export function systemCallFilter(
  architecture: Architecture,
  host: { readonly countsMemory: boolean },
): Buffer {
  const callGroups = host.countsMemory ? [refusedCalls] : [refusedCalls, refusedUncounted]
  const judgedList = host.countsMemory ? judgedCalls : [...judgedCalls, ...judgedUncounted]
  return programBytes([
    load(places.architecture),
    skipIfEqual(audited[architecture], 1),
    kill,
    load(places.number),
    ...(architecture === 'x64' ? [skipUnlessAtLeast(x32Bit, 1), kill] : []),
    skipUnlessAtLeast(newestSystemCall + 1, 1),
    refuse('ENOSYS'),
    ...callGroups.flatMap((calls) =>
      Object.entries(calls).flatMap(([error, names]) =>
        names.flatMap((name) => onCall(name, architecture, [refuse(error as ErrorName)])),
      ),
    ),
    ...judgedList.flatMap(({ call, error, when }) =>
      // A loaded argument replaces the number, which the next call needs again.
      onCall(call, architecture, [...onArguments(when, refuse(error)), load(places.number)]),
    ),
    allow,
  ])
}

/** Instructions that run `body` for this call only; none where it does not exist. */
function onCall(
  call: SystemCall,
  architecture: Architecture,
  body: readonly Instruction[],
): Instruction[] {
  const number = numberOf(call, architecture)
  return number === null ? [] : [skipUnlessEqual(number, body.length), ...body]
}

/** Instructions that return `answer` if all tests hold, and otherwise continue after themselves. */
function onArguments(tests: readonly ArgumentTest[], answer: Instruction): Instruction[] {
  return tests.reduceRight<Instruction[]>((rest, test) => onArgument(test, rest), [answer])
}

function onArgument(test: ArgumentTest, rest: readonly Instruction[]): Instruction[] {
  const { is } = test
  const value = load(places.argument(test))
  const count = rest.length
  if ('from' in is) return [value, skipUnlessAtLeast(is.from, count), ...rest]
  if ('any' in is) return [value, skipUnlessSet(is.any, count), ...rest]
  if ('out' in is) {
    const checks = is.out.map((call, index) => skipIfEqual(call, is.out.length - 1 - index + count))
    return [value, ...checks, ...rest]
  }
  const tests = is.in.map((call, index) =>
    // The last comparison decides; those before it jump to its next instruction.
    index === is.in.length - 1
      ? skipUnlessEqual(call, count)
      : skipIfEqual(call, is.in.length - 1 - index),
  )
  return [value, ...tests, ...rest]
}
