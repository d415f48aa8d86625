const tails = new Map<string, Promise<unknown>>()

/**
 * Runs `work` after everything started earlier under the same key in this process, in that order
 * and without looking again and again, as the locks between processes have to (lock-files.ts).
 */
export async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve()
  const result = before.then(work, work)
  const tail = result.catch(() => undefined)
  tails.set(key, tail)
  try {
    return await result
  } finally {
    if (tails.get(key) === tail) tails.delete(key)
  }
}
