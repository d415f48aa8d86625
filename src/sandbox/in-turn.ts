const tails = new Map<string, Promise<unknown>>()

/**
 * Runs `work` after everything started earlier under the same key in this process. Between comparing a base and the
 * rename there is no lock in the file system; this at least keeps our own writers apart.
 */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve()
  const own = before.then(work, work)
  const tail = own.catch(() => undefined)
  tails.set(key, tail)
  try {
    return await own
  } finally {
    if (tails.get(key) === tail) tails.delete(key)
  }
}
