/**
 * Does what may be refused, for a program that passes a refusal on in words, such as to a model:
 * `null` when it went well, else the sentence of the error. Rejects only while the service is
 * away (`unavailable`), since the act may succeed later.
 */
export async function orRefusal(act: () => Promise<void>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    // By its code, not its class: a program can have loaded this package twice.
    if ('code' in error && error.code === 'unavailable') throw error
    return error.message
  }
}
