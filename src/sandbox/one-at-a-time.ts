const tails = new Map<string, Promise<unknown>>()

/**
 * Runs `work` after everything started earlier under the same key in this process. Between
 * comparing a base and the rename there is no lock in the file system; this at least keeps our own
 * writers apart.
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
