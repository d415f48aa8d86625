import { plainModel } from '#test/harness/fixtures/models/plain-model.ts'
import { expect, test } from 'vitest'
import type { ModelMessage, ModelRequest } from './model.ts'
import { openModel } from './open-model.ts'

const script = `turns:
  - text: I will write the notes.
    calls:
      - { tool: write_file, input: { path: notes/1.2.md, content: "x" } }
      - { tool: read_file, input: { path: a }, id: mine }
  - text: "Done."
`

function request(turns: number, runId = 'run'): ModelRequest {
  const messages = Array.from({ length: turns }, (): ModelMessage => {
    return { role: 'assistant', text: '', calls: [] }
  })
  const { signal } = new AbortController()
  return { runId, turn: turns + 1, system: '', messages, tools: [], signal }
}

function scripted(text: string) {
  return openModel({ ...plainModel, model: 'script:./demo.yaml', script: text, environment: {} })
}

test('a script is played turn by turn and then ends with its last text', async () => {
  const model = scripted(script)
  expect(model.isScripted).toBe(true)
  const first = await model.step(request(0))
  expect(first.text).toBe('I will write the notes.')
  expect(first.calls.map((call) => [call.tool, call.input])).toEqual([
    ['write_file', { path: 'notes/1.2.md', content: 'x' }],
    ['read_file', { path: 'a' }],
  ])
  expect(await model.step(request(1))).toMatchObject({ text: 'Done.', calls: [] })
  expect(await model.step(request(2))).toMatchObject({ text: 'Done.', calls: [] })
  expect(await model.step(request(9))).toMatchObject({ text: 'Done.', calls: [] })
})

test('a call has the id that is written, else one that a second attempt repeats', async () => {
  const [first, again, other] = await Promise.all([
    scripted(script).step(request(0)),
    scripted(script).step(request(0)),
    scripted(script).step(request(0, 'another run')),
  ])
  expect(first.calls[1]?.id).toBe('mine')
  expect(again).toEqual(first)
  expect(other.calls[0]?.id).not.toBe(first.calls[0]?.id)
})

test('a script whose last turn has calls ends with an empty text', async () => {
  const model = scripted('turns:\n  - { text: Go, calls: [{ tool: list_files }] }\n')
  expect((await model.step(request(0))).calls).toMatchObject([{ tool: 'list_files', input: {} }])
  expect(await model.step(request(1))).toMatchObject({ text: '', calls: [] })
})

test('a script streams too, in pieces that together are its text', async () => {
  const pieces: string[] = []
  const onText = (piece: string): void => void pieces.push(piece)
  const { text } = await scripted(script).step({ ...request(0), onText })
  expect(pieces).toEqual(['I ', 'will ', 'write ', 'the ', 'notes.'])
  expect(pieces.join('')).toBe(text)
})

test('a cancelled step gives no text', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(scripted(script).step({ ...request(0), signal })).rejects.toThrow('stopped')
})

test('a name of no model is refused with that name', () => {
  const open = (model: string, text: string | null) => () =>
    openModel({ ...plainModel, model, script: text, environment: {} })
  expect(open('llama', null)).toThrow('There is no model llama')
  expect(open('script:./a.yaml', null)).toThrow('There is no model')
  expect(open('script:../../a.yaml', script)).toThrow('There is no model')
})
