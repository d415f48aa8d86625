import { errorCode } from '#domain/error-code.ts'
import { errorMessage } from '#domain/error-message.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'

/** How many nested causes are read. */
const maxDepth = 5

/**
 * Why a server could not be reached, as a sentence: `ended`, if its process has ended, or else the
 * error with its causes. "fetch failed" alone says nothing about a certificate, an unknown name, or
 * a redirect.
 */
export function failureSentence(error: unknown, endOfServer: string | null): string {
  const status = refusedStatus(error)
  const text =
    endOfServer ??
    (status === null
      ? withCauses(error)
      : `it refuses access (HTTP ${status}): check its headers in the worker's file, and the values ` +
        '`${NAME}`' +
        `of their variables`)
  return storable(text).slice(0, 2000)
}

function refusedStatus(error: unknown): number | null {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null
  return status === 401 || status === 403 ? status : null
}

function withCauses(error: unknown): string {
  const sentences: string[] = []
  let cause = error
  for (let depth = 0; depth < maxDepth && cause instanceof Error; depth += 1) {
    const text = messageOf(cause)
    if (text !== '' && !sentences.some((sentence) => sentence.includes(text))) sentences.push(text)
    cause = cause.cause
  }
  if (typeof cause === 'string') sentences.push(cause)
  return sentences.join(': ')
}

/** If several addresses were tried, each has an error of its own. */
function messageOf(error: Error): string {
  const inner = error instanceof AggregateError ? error.errors : []
  const code = errorCode(error) ?? ''
  const messages = inner.map(errorMessage)
  return [error.message === '' ? code : error.message, ...messages].filter(Boolean).join('; ')
}
