import { once } from 'node:events'
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'

const service = 'temporal.api.workflowservice.v1.WorkflowService'
/** `HealthCheckResponse { status: SERVING }` */
const serving = Buffer.from([0x08, 1])
/** A message of gRPC begins with a byte about compression and four with its length. */
const prefixBytes = 5

/**
 * Whether the server at `address` serves that namespace. Never throws; takes at most `withinMs`. It
 * speaks gRPC by itself, so that the supervisor does not load the 300 modules of the SDK's client
 * for two questions.
 */
export async function isTemporalHealthy(
  address: string,
  namespace: string,
  withinMs: number,
): Promise<boolean> {
  let session: ClientHttp2Session | null = null
  const timer = setTimeout(() => session?.destroy(), withinMs)
  try {
    session = connect(`http://${address}`)
    session.on('error', () => undefined)
    const health = await call(session, '/grpc.health.v1.Health/Check', textField(service))
    if (!health.equals(serving)) return false
    const onePage = Buffer.concat([textField(namespace), Buffer.from([0x10, 1])])
    await call(session, `/${service}/ListOpenWorkflowExecutions`, onePage)
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    session?.destroy()
  }
}

/** Field 1 of a Protobuf message, with a text of less than 16 KiB. */
function textField(text: string): Buffer {
  const bytes = Buffer.from(text)
  const { length } = bytes
  const size = length < 128 ? [length] : [(length % 128) + 128, Math.floor(length / 128)]
  return Buffer.concat([Buffer.from([0x0a, ...size]), bytes])
}

/** The answer to one call of gRPC. Rejects without one, and when it is an error. */
async function call(session: ClientHttp2Session, path: string, message: Buffer): Promise<Buffer> {
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: path,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    [constants.HTTP2_HEADER_TE]: 'trailers',
  })
  let status: unknown
  const readStatus = (headers: IncomingHttpHeaders): void => {
    status = headers['grpc-status'] ?? status
  }
  // An error without a message is in the headers.
  stream.on('response', readStatus).on('trailers', readStatus)
  stream.on('error', () => undefined)
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(message.length, 1)
  stream.end(Buffer.concat([prefix, message]))
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
  await once(stream, 'close')
  if (status !== '0') throw new Error(`gRPC status ${String(status)}`)
  return Buffer.concat(chunks).subarray(prefixBytes)
}
