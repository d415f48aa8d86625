/** A time-out that begins again whenever something is heard, and one over everything. */
export interface SilenceTimeout extends Disposable {
  /** fires with a `TimeoutError` */
  readonly signal: AbortSignal
  heard(): void
}

/**
 * Fires when nothing was heard for `timeoutMs`, or after `totalTimeoutMs` in any case: an answer
 * may be long, and a server that sends a byte now and then must not hold a turn for ever.
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
    heard: () => void silence.refresh(),
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(silence)
    },
  }
}
