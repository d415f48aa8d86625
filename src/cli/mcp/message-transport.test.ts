import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { messageTransport } from './message-transport.ts'

const mib = 1024 * 1024

function aCall(id: unknown, parameters: object | undefined): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: parameters })
}

/** The ids of the messages that the server gets from these lines, and the answers to the others. */
async function send(lines: readonly string[]) {
  const output = new PassThrough()
  const transport = messageTransport(Readable.from([lines.join('\n')]), output)
  const ids: unknown[] = []
  const end = Promise.withResolvers<void>()
  Object.assign(transport, {
    onmessage: (message: object) => ids.push('id' in message ? message.id : null),
    onclose: end.resolve,
  })
  await transport.start()
  await end.promise
  output.end()
  const answers = (await text(output)).split('\n').filter((answer) => answer !== '')
  return { ids, answers: answers.map((answer) => JSON.parse(answer) as unknown) }
}

function anError(id: unknown, code: number, sentence: string): object {
  return { jsonrpc: '2.0', id, error: { code, message: `Countersign: ${sentence}` } }
}

test('a line that is no message is answered with an error of the protocol, and messages go on', async () => {
  const none = 'the line is no message of JSON-RPC 2.0'
  const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
  const { ids, answers } = await send([
    'no json',
    ping,
    '',
    '[1]',
    '{"id":8,',
    '"text"',
    '{"a":1}',
    '{"jsonrpc":"2.0","id":5,"method":7}',
    '{"id":6,"method":"ping"}',
    aCall({}, undefined),
    aCall('b', []),
    ping,
  ])
  expect(ids).toEqual([7, 7])
  expect(answers).toEqual([
    anError(null, -32700, 'the line is no JSON'),
    anError(null, -32600, none),
    anError(null, -32700, 'the line is no JSON'),
    anError(null, -32600, none),
    ...[null, 5, 6, null, 'b'].map((id) => anError(id, -32600, none)),
  ])
})

test('a message with line separators of Unicode, which JSON may contain, is one message', async () => {
  const { ids, answers } = await send([aCall(1, { text: 'one\u2028two\u2029three' }), aCall(2, {})])
  expect([ids, answers]).toEqual([[1, 2], []])
})

test('a message of up to 12 MiB reaches the server, and a longer one is answered with an error', async () => {
  const { ids, answers } = await send([
    aCall('long', { long: 'x'.repeat(11 * mib) }),
    aCall('too long', { long: 'x'.repeat(12 * mib) }),
    aCall('too long in bytes', { long: '€'.repeat(5 * mib) }),
    aCall(undefined, { long: 'x'.repeat(12 * mib) }),
    aCall('short', {}),
  ])
  expect(ids).toEqual(['long', 'short'])
  const sentence = 'a message has at most 12 MiB'
  expect(answers).toEqual([
    anError('too long', -32600, sentence),
    anError('too long in bytes', -32600, sentence),
  ])
})

test('a message that does not end is refused while it is read, and the next line is a message again', async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  const transport = messageTransport(input, output)
  const next = Promise.withResolvers<object>()
  Object.assign(transport, { onmessage: next.resolve })
  await transport.start()
  input.write('x'.repeat(25 * mib))
  const [answer] = (await once(output, 'data')) as [Buffer]
  expect(JSON.parse(String(answer))).toEqual(anError(null, -32600, 'a message has at most 12 MiB'))
  input.end(`x\n${aCall(1, {})}\n`)
  expect(await next.promise).toMatchObject({ id: 1 })
})

// Rules: security.md 22, 34
test('a call with a key twice is answered with an error, and the messages after it go on', async () => {
  const twice = aCall(1, { name: 'approve', arguments: 'ARGS' }).replace('"ARGS"', '{"a":1,"a":2}')
  const { ids, answers } = await send([twice, aCall(2, { name: 'approve', arguments: { a: 1 } })])
  expect(ids).toEqual([2])
  expect(answers).toEqual([anError(1, -32600, 'The key "a" is there twice')])
})
