import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client'

/** gRPC's number for the state CONNECTING of a channel. */
const connecting = 1

/**
 * A connection that reports whether it is still connecting, and that may be closed at any time.
 * gRPC's deadlines are times of day. Here each attempt of a call gets the remaining time of the
 * call by the monotonic clock, so that setting the clock between two attempts changes nothing.
 */
export class TemporalConnection extends Connection {
  #closed = new AbortController()

  static open(options: ConnectionOptions): TemporalConnection {
    const closed = new AbortController()
    const interceptors = [retryInTime(closed.signal)]
    const connection = new TemporalConnection(this.createCtorOptions({ ...options, interceptors }))
    connection.#closed = closed
    return connection
  }

  get isConnecting(): boolean {
    const state: number = this.client.getChannel().getConnectivityState(false)
    return state === connecting
  }

  override async close(): Promise<void> {
    this.#closed.abort()
    await super.close()
  }
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number]
type Attempt = ReturnType<Parameters<Interceptor>[1]>
type Status = Parameters<ReturnType<typeof defaultGrpcRetryOptions>['retryableDecider']>[1]

/** The client's own retries, until the call's time is over or the connection is closed. */
function retryInTime(closed: AbortSignal): Interceptor {
  return (options, nextCall) => {
    const { deadline } = options
    const endsAt =
      deadline === undefined
        ? Number.POSITIVE_INFINITY
        : performance.now() + Number(deadline) - Date.now()
    const { delayFunction, retryableDecider } = defaultGrpcRetryOptions()
    let failed: Status | null = null
    const retry = makeGrpcRetryInterceptor({
      delayFunction,
      retryableDecider: (attempt, status) => {
        failed = status
        return !closed.aborted && performance.now() < endsAt && retryableDecider(attempt, status)
      },
    })
    return retry(options, (attemptOptions) => {
      if (closed.aborted && failed !== null) return failedAttempt(failed)
      if (deadline === undefined) return nextCall(attemptOptions)
      return nextCall({ ...attemptOptions, deadline: Date.now() + endsAt - performance.now() })
    })
  }
}

/**
 * An attempt that ends at once with the status of the one before it. A closed channel would throw
 * in the timer of the retry, where nothing catches it, and the process would end.
 */
function failedAttempt(status: Status): Attempt {
  return {
    start: (_metadata, listener) => listener?.onReceiveStatus?.(status),
    sendMessage: () => undefined,
    sendMessageWithContext: () => undefined,
    startRead: () => undefined,
    halfClose: () => undefined,
    cancelWithStatus: () => undefined,
    getPeer: () => '',
    getAuthContext: () => null,
  }
}
