import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { messageLines } from './message.ts'

test('a line that is no message is answered with an error of the protocol, and messages go on', async () => {
  const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
  const long = 'x'.repeat(12 * 1024 * 1024)
  const lines = ['no json', ping, '', '[1]', '{"id":8,', '"text"']
  const tooLong = [
    JSON.stringify({ id: 'a', method: 'tools/call', params: { long } }),
    JSON.stringify({ method: 'notifications/x', params: { long } }),
  ]
  const output = new PassThrough()
  const input = Readable.from([[...lines, ...tooLong, ping].join('\n')])
  expect(await text(messageLines(input, output))).toBe(`${ping}\n${ping}\n`)
  output.end()
  const answers = (await text(output)).trim().split('\n')
  expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(
    [
      [null, -32700, 'the line is no JSON'],
      [null, -32600, 'the line is no object, and so no message'],
      [null, -32700, 'the line is no JSON'],
      [null, -32600, 'the line is no object, and so no message'],
      ['a', -32600, 'a message has at most 12 MiB'],
    ].map(([id, code, sentence]) => ({
      jsonrpc: '2.0',
      id,
      error: { code, message: `Countersign: ${sentence}` },
    })),
  )
})
