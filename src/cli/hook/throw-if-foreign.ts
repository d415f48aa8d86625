import { CountersignError } from '#program-client'

/**
 * Throws a sentence for the error about an answer that does not have the fields of a request. Until
 * the request is open, such an error is about a key or an address that cannot be sent.
 */
export function throwIfForeign({ url }: { readonly url: string }, error: unknown): void {
  if (!(error instanceof TypeError)) return
  const sentence = `${url} answered, but not as Countersign does, so this call does not run`
  throw new CountersignError('unavailable', sentence, { cause: error })
}
