import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { temporal } from '@temporalio/proto'
import { waitUntil } from '../harness/wait-until.ts'

type Payload = temporal.api.common.v1.IPayload

/** A payload as whoever reaches Temporal can write it: any metadata, any bytes. */
export function payloadOf(encoding: string | null, data: string | Uint8Array): Payload {
  const metadata = encoding === null ? {} : { encoding: Buffer.from(encoding) }
  return { metadata, data: Buffer.from(data) }
}

/** Payloads that a workflow of the SDK's own making fails at, or that mean nothing here. */
export const hostilePayloads: readonly (readonly [what: string, payloads: readonly Payload[]])[] = [
  ['bytes that are no JSON', [payloadOf('json/plain', '{"a":')]],
  ['bytes that are no UTF-8', [payloadOf('json/plain', Buffer.from([0xff, 0xfe, 0x00]))]],
  ['no bytes', [payloadOf('json/plain', '')]],
  ['an encrypted value', [payloadOf('binary/encrypted', Buffer.from([1, 2, 3]))]],
  ['nothing', [payloadOf('binary/null', '')]],
  ['nothing, with bytes', [payloadOf('binary/null', 'x')]],
  ['raw bytes', [payloadOf('binary/plain', Buffer.from([0, 255]))]],
  ['an unknown encoding', [payloadOf('x'.repeat(1000), '[]')]],
  ['no metadata', [payloadOf(null, '["a"]')]],
  ['an empty payload', [{}]],
  ['protobuf in JSON', [payloadOf('json/protobuf', '{}')]],
  ['no payload', []],
  ['ten arguments', Array.from({ length: 10 }, () => payloadOf('json/plain', '["a"]'))],
  ['numbers for ids', [payloadOf('json/plain', '[1,null,{},[],true]')]],
  ['one id instead of a list', [payloadOf('json/plain', '"a"')]],
  [
    'keys of prototypes',
    [payloadOf('json/plain', '{"__proto__":{"ended":true},"constructor":{}}')],
  ],
  ['a list with a length of its own', [payloadOf('json/plain', '{"length":3,"0":"a"}')]],
  ['deep nesting', [payloadOf('json/plain', `${'['.repeat(50_000)}${']'.repeat(50_000)}`)]],
  ['two megabytes of ids', [payloadOf('json/plain', JSON.stringify(Array(500_000).fill('a')))]],
  ['sixty thousand ids', [payloadOf('json/plain', JSON.stringify(Array(60_000).fill('b')))]],
  // More than a function can be called with.
  ['150,000 arguments', Array.from({ length: 150_000 }, () => ({}))],
]

/** Sends a signal past the SDK's own checks. */
export async function rawSignal(
  client: Client,
  workflowId: string,
  signalName: string,
  payloads: readonly Payload[],
  headers: Readonly<Record<string, Payload>> = {},
): Promise<void> {
  await client.workflowService.signalWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    signalName,
    input: { payloads: [...payloads] },
    header: { fields: { ...headers } },
    identity: 'somebody',
    requestId: randomUUID(),
  })
}

/** The workflow has taken in all that was sent to it. */
export async function untilTakenIn(client: Client, workflowId: string): Promise<void> {
  await waitUntil(async () => {
    const { raw } = await client.workflow.getHandle(workflowId).describe()
    return !raw.pendingWorkflowTask
  })
}

/**
 * Failures that are the server's own doing: something came while a workflow was about to end or to
 * continue as new (UNHANDLED_COMMAND), or too much came while a task was on its way
 * (FORCE_CLOSE_COMMAND). It asks once more.
 */
const serversOwn = new Set([1, 17])

/** What each failed workflow task of a workflow's newest run says. */
export async function taskFailures(client: Client, workflowId: string): Promise<string[]> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory()
  return (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed && !serversOwn.has(Number(failed.cause))
      ? [failed.failure?.message ?? `cause ${failed.cause}`]
      : [],
  )
}
