import {
  AISDKError,
  APICallError,
  LoadAPIKeyError,
  StreamProviderError,
  TypeValidationError,
} from 'ai'
import { errorMessage } from '#domain/error-message.ts'
import { ModelProblem } from './model.ts'

const maxWaitMs = 3_600_000

/**
 * The failure of a provider's call as a `ModelProblem`. Time-outs, rate limits, server errors,
 * broken connections and unreadable answers are retryable; failures that the same request would
 * cause again are not.
 */
export function providerFailure(
  error: unknown,
  model: string,
  secret: string | null,
): ModelProblem {
  const options = { cause: error }
  const sentence = (what: string): string => `The model ${model} ${what}.`
  if (error instanceof ModelProblem) return error
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ModelProblem(sentence('did not answer in time'), { isRetryable: true }, options)
  }
  if (APICallError.isInstance(error)) return apiFailure(error, sentence, secret)
  if (TypeValidationError.isInstance(error)) {
    const text = sentence('gave an answer that is not in the expected form')
    return new ModelProblem(text, { isRetryable: true }, options)
  }
  const isSdk = AISDKError.isInstance(error) && !isBrokenAnswer(error)
  const why = clip(errorMessage(error), secret)
  if (StreamProviderError.isInstance(error)) {
    const isRetryable = error.isRetryable
    return new ModelProblem(sentence(`broke off: ${why}`), { isRetryable }, options)
  }
  if (LoadAPIKeyError.isInstance(error) || isSdk) {
    return new ModelProblem(sentence(`cannot be called: ${why}`), { isRetryable: false }, options)
  }
  return new ModelProblem(
    sentence(`gave no readable answer: ${why}`),
    { isRetryable: true },
    options,
  )
}

function apiFailure(
  error: APICallError,
  sentence: (what: string) => string,
  secret: string | null,
): ModelProblem {
  const { statusCode } = error
  const why = clip(error.message, secret)
  const options = { cause: error }
  if (statusCode === undefined) {
    const text = sentence(`cannot be reached: ${why}`)
    return new ModelProblem(text, { isRetryable: true }, options)
  }
  if (statusCode >= 300 && statusCode < 400) {
    const what = `redirects to another address (${statusCode}), which is not called: correct its base URL`
    return new ModelProblem(sentence(what), { isRetryable: false }, options)
  }
  if (statusCode < 400) {
    const text = sentence('gave an answer that cannot be read')
    return new ModelProblem(text, { isRetryable: true }, options)
  }
  const waitMs = retryAfterMs(error.responseHeaders ?? {})
  const isRetryable =
    statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500
  const what = statusCode === 429 ? 'is rate limited' : 'refused the request'
  return new ModelProblem(
    sentence(`${statusCode >= 500 ? 'failed' : what} (${statusCode}: ${why})`),
    {
      isRetryable,
      isTooLong: isTooLong(statusCode, `${error.message} ${error.responseBody ?? ''}`),
      ...(isRetryable && waitMs !== null ? { retryAfterMs: waitMs } : {}),
    },
    options,
  )
}

/** Milliseconds of `retry-after-ms` or `retry-after` (seconds or a date), at most an hour. */
function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  const text = headers['retry-after']
  const seconds = text === undefined ? Number.NaN : Number(text)
  const date = text === undefined ? Number.NaN : Date.parse(text) - Date.now()
  const ms = [exact, seconds * 1000, date].find((candidate) => Number.isFinite(candidate))
  return ms === undefined ? null : Math.min(maxWaitMs, Math.max(0, Math.round(ms)))
}

/**
 * Whether a request was refused because it is too long, by the words of the providers: they have no
 * common code for it.
 */
function isTooLong(status: number, text: string): boolean {
  if (status === 413) return true
  return status >= 400 && status < 500 && status !== 429 && tooLongWords.test(text)
}

const tooLongWords =
  /context[_ ](?:length|window|size|limit)|prompt is too long|input is too long|input token count|too many (?:input )?tokens|maximum (?:number of )?(?:input )?tokens|reduce the length/i

/** Errors of the SDK about the answer, not about the request. */
function isBrokenAnswer(error: Error): boolean {
  return /JSONParse|InvalidResponseData|EmptyResponseBody|NoContentGenerated|NoOutputGenerated/.test(
    error.name,
  )
}

/** A shorter key is a placeholder (`x`, `ollama`), and its letters are in every other word. */
const shortestKey = 8

/** Providers repeat what they were sent. This keeps keys out of messages. */
function clip(text: string, secret: string | null): string {
  const safe = secret === null || secret.length < shortestKey ? text : text.replaceAll(secret, '…')
  const line = safe.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 300 ? line : `${line.slice(0, 300)}…`
}
