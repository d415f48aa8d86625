import { webcrypto } from 'node:crypto'

/** What the hook uses and Node 18 does not have. Imported before everything else. */
const properties: Readonly<Record<string, readonly [target: object, value: unknown]>> = {
  crypto: [globalThis, webcrypto],
  withResolvers: [
    Promise,
    () => {
      const resolvers: Record<string, unknown> = {}
      resolvers['promise'] = new Promise((resolve, reject) =>
        Object.assign(resolvers, { resolve, reject }),
      )
      return resolvers
    },
  ],
  toSorted: [
    Array.prototype,
    function toSorted(this: unknown[], compare?: (one: unknown, other: unknown) => number) {
      // oxlint-disable-next-line unicorn/no-array-sort -- this function replaces toSorted
      return [...this].sort(compare)
    },
  ],
  toReversed: [
    Array.prototype,
    function toReversed(this: unknown[]) {
      // oxlint-disable-next-line unicorn/no-array-reverse -- this function replaces toReversed
      return [...this].reverse()
    },
  ],
  any: [
    AbortSignal,
    (signals: readonly AbortSignal[]) => {
      const both = new AbortController()
      for (const signal of signals) {
        const end = (): void => both.abort(signal.reason)
        if (signal.aborted) end()
        else signal.addEventListener('abort', end, { once: true })
      }
      return both.signal
    },
  ],
  dispose: [Symbol, Symbol.for('Symbol.dispose')],
  asyncDispose: [Symbol, Symbol.for('Symbol.asyncDispose')],
}

for (const [name, [target, value]] of Object.entries(properties)) {
  if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true })
}
