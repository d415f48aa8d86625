/** Health and metrics treat a server that answers later than this as unreachable. */
export const maxServerAnswerMs = 3000

/** `answerWithin` waited for its whole time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/**
 * The result of `work`, or a `NoAnswerError` after `withinMs`. The timer is monotonic: setting the
 * machine's clock does not change it. After a rejection `work` continues, and its result is
 * dropped.
 */
export async function answerWithin<T>(withinMs: number, work: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const refuse = (): void => reject(new NoAnswerError(`no answer within ${withinMs} ms`))
  const timer = setTimeout(refuse, withinMs)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
