import { Client, type ClientInterceptors, type ConnectionOptions } from '@temporalio/client'
import { answerWithin } from './answer-within.ts'
import { TemporalConnection } from './temporal-connection.ts'

/**
 * The longest wait of a call that sets no deadline of its own: a decision must not hang on a server
 * that is down.
 */
const callDeadlineMs = 2000
/**
 * How much later than gRPC's own deadline our timer ends a call. gRPC's error says more, so gRPC
 * gets to report first; our timer is for a clock that was set.
 */
const graceMs = 500
/** How long a connection attempt may last after a call on it has timed out. */
const connectsWithinMs = 5000

/**
 * How long one workflow task may take before the server gives it to another worker (Temporal's
 * default: ten seconds). A task that a killed worker had begun delays its run for as long. From the
 * fourth attempt on, the server extends it, so that a slow machine gets through.
 */
export const workflowTaskTimeout = '5 seconds'

/** Temporal's `IndexedValueType`, which is not part of the client. */
const codeOfAttribute = { KEYWORD: 2, INT: 3, KEYWORD_LIST: 7 } as const
export type SearchAttributeType = keyof typeof codeOfAttribute
const typeOfAttribute = new Map<number, SearchAttributeType>(
  (['KEYWORD', 'INT', 'KEYWORD_LIST'] as const).map((type) => [codeOfAttribute[type], type]),
)

export interface TemporalClient extends AsyncDisposable {
  /** The client of the current connection, which may be replaced: read it again for each call. */
  readonly client: Client
  readonly namespace: string
  /** The id of the server's namespace; another one means another or an emptied Temporal. */
  namespaceId(): Promise<string>
  /**
   * Runs a call with the client's deadline, or one of its own. The call ends by then, even if the
   * clock is set.
   */
  withDeadline<T>(call: () => Promise<T>, withinMs?: number): Promise<T>
  /** The custom search attributes of the namespace, by name. */
  searchAttributes(): Promise<ReadonlyMap<string, SearchAttributeType>>
  addSearchAttributes(added: ReadonlyMap<string, SearchAttributeType>): Promise<void>
}

/**
 * A client that connects at its first call, so that the API starts and takes decisions while
 * Temporal is down. The back-off is capped at a second: gRPC's default takes 17 s to notice that a
 * server is back. An attempt to connect that a server accepts and never answers is given up after a
 * few seconds, which gRPC never does.
 */
export function connectTemporal(
  options: Pick<ConnectionOptions, 'address' | 'tls' | 'apiKey'> & {
    readonly namespace: string
    /** how long a call may wait for its answer; 2 s */
    readonly deadlineMs?: number
    /** around calls about workflows, for traces */
    readonly interceptors?: ClientInterceptors
  },
): TemporalClient {
  const { namespace, deadlineMs = callDeadlineMs, interceptors = {}, ...address } = options
  const connect = () => {
    const connection = openConnection(address)
    return { connection, client: new Client({ connection, namespace, interceptors }) }
  }
  let current = connect()
  let givingUp: NodeJS.Timeout | null = null
  const giveUp = (): void => {
    givingUp = null
    if (!current.connection.isConnecting) return
    const { connection } = current
    current = connect()
    void connection.close()
  }
  const withDeadline = async <T>(
    call: () => Promise<T>,
    withinMs: number = deadlineMs,
  ): Promise<T> => {
    const { connection } = current
    try {
      const answer = connection.withDeadline(Date.now() + withinMs, call)
      return await answerWithin(withinMs + graceMs, answer)
    } catch (error) {
      if (connection.isConnecting) givingUp ??= setTimeout(giveUp, connectsWithinMs).unref()
      throw error
    }
  }
  return {
    get client() {
      return current.client
    },
    namespace,
    withDeadline,
    namespaceId: async () => {
      const described = await withDeadline(() =>
        current.connection.workflowService.describeNamespace({ namespace }),
      )
      const id = described.namespaceInfo?.id
      if (!id) throw new Error(`Temporal has no namespace ${namespace}`)
      return id
    },
    searchAttributes: async () => {
      const { customAttributes } = await withDeadline(() =>
        current.connection.operatorService.listSearchAttributes({ namespace }),
      )
      return attributesOf(customAttributes ?? {})
    },
    addSearchAttributes: async (added) => {
      const codes = [...added].map(([name, type]) => [name, codeOfAttribute[type]])
      const searchAttributes = Object.fromEntries(codes)
      await withDeadline(() =>
        current.connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
      )
    },
    async [Symbol.asyncDispose]() {
      if (givingUp !== null) clearTimeout(givingUp)
      await current.connection.close()
    },
  }
}

function openConnection(
  address: Pick<ConnectionOptions, 'address' | 'tls' | 'apiKey'>,
): TemporalConnection {
  return TemporalConnection.open({
    ...address,
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1000,
      // In a shared pool, an attempt that hangs would also block a new connection.
      'grpc.use_local_subchannel_pool': 1,
    },
  })
}

/** The search attributes of the types that we use, by name. */
function attributesOf(
  codes: Readonly<Record<string, number>>,
): ReadonlyMap<string, SearchAttributeType> {
  const attributes = Object.entries(codes).flatMap(([name, code]) => {
    const type = typeOfAttribute.get(code)
    return type === undefined ? [] : [[name, type] as const]
  })
  return new Map(attributes)
}
