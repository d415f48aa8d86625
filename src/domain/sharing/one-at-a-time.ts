const tails = new Map<string, Promise<unknown>>()

/**
 * Runs `work` after all work that was started earlier under the same key in this process, in that
 * order. It does not keep out other processes.
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
