import {
  Client,
  type ClientInterceptors,
  Connection,
  type ConnectionOptions,
} from '@temporalio/client'

/** No call to Temporal waits longer: a decision must not hang on a server that is down. */
const callDeadlineMs = 2000

export interface TemporalClient {
  readonly client: Client
  readonly namespace: string
  /** The id that the server gave its namespace; another one means another (or an emptied) Temporal. */
  namespaceId(): Promise<string>
  /** Runs a call with the deadline of two seconds. */
  withDeadline<T>(call: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * A client that connects when first used, so that the API starts and takes decisions while Temporal is down.
 * The back-off is capped at a second: gRPC's default takes 17 s to notice that a server is back.
 */
export function connectTemporal(
  options: Pick<ConnectionOptions, 'address' | 'tls' | 'apiKey'> & {
    readonly namespace: string
    /** around calls about workflows, for traces */
    readonly interceptors?: ClientInterceptors
  },
): TemporalClient {
  const { namespace, interceptors = {}, ...address } = options
  const connection = Connection.lazy({
    ...address,
    connectTimeout: callDeadlineMs,
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1000,
    },
  })
  const client = new Client({ connection, namespace, interceptors })
  const withDeadline = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + callDeadlineMs, call)
  return {
    client,
    namespace,
    withDeadline,
    namespaceId: async () => {
      const described = await withDeadline(() =>
        connection.workflowService.describeNamespace({ namespace }),
      )
      const id = described.namespaceInfo?.id
      if (!id) throw new Error(`Temporal has no namespace ${namespace}`)
      return id
    },
    close: () => connection.close(),
  }
}
