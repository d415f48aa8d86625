/** A time-out that begins again at each sign of life, and one for the whole. */
export interface SilenceTimeout extends Disposable {
  /** fires with a `TimeoutError` */
  readonly signal: AbortSignal
  reset(): void
}

/**
 * Fires after `timeoutMs` without a sign of life, and after `totalTimeoutMs` in any case: an answer
 * may be long, but a server that sends a byte now and then must not hold a turn for ever.
 */
export function silenceTimeout(options: {
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
}): SilenceTimeout {
  const controller = new AbortController()
  const fire = (): void =>
    controller.abort(new DOMException('The answer took too long', 'TimeoutError'))
  const total = setTimeout(fire, options.totalTimeoutMs)
  const silence = setTimeout(fire, options.timeoutMs)
  return {
    signal: controller.signal,
    reset: () => void silence.refresh(),
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(silence)
    },
  }
}
