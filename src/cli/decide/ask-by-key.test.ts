import { afterEach, expect, test, vi } from 'vitest'
import { Readable } from 'node:stream'
import { Service } from '../service/service.ts'
import { presentationWith, requestWith } from '../text/request.fixture.ts'
import { askByKey, type KeySource } from './ask-by-key.ts'

/** Keys at times in milliseconds. As in a terminal, what is pressed before a rest is lost. */
function typed(...pressed: readonly (readonly [atMs: number, key: string])[]): KeySource {
  const queue = [...pressed]
  let nowMs = 0
  return {
    settle: async (restMs = 250) => {
      while (queue[0] !== undefined && queue[0][0] - nowMs < restMs) nowMs = queue.shift()![0]
      nowMs += restMs
      return false
    },
    key: async () => {
      const [atMs, key] = queue.shift() ?? [nowMs, 'q']
      nowMs = Math.max(nowMs, atMs)
      return key
    },
    aside: (act) => act(),
    prompt: (act) => act(Readable.from([])),
  }
}

const ask = (keys: KeySource) =>
  askByKey(
    new Service('http://127.0.0.1:9', {}),
    requestWith({ risk: 'low', allowedScopes: ['once'] }),
    keys,
  )

const { isTTY, columns, rows } = process.stdout
afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(process.stdout, { isTTY, columns, rows })
})

test('a request and its keys fill the rows that the terminal has at that time, and no more', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const content = Array.from({ length: 200 }, (_, line) => `line ${line + 1}`).join('\n')
  const request = requestWith({ presentation: presentationWith(content), allowedScopes: ['once'] })
  for (const size of [
    { columns: 80, rows: 24 },
    { columns: 80, rows: 40 },
    { columns: 40, rows: 30 },
  ]) {
    Object.assign(process.stdout, { isTTY: true, ...size })
    printed.mockClear()
    await askByKey(new Service('http://127.0.0.1:9', {}), request, typed([1_000, 'q']))
    const lines = printed.mock.calls.flatMap(([text]) => String(text).split('\n'))
    // Two rows of `review` above them, and the row of the cursor.
    expect(lines.length + 3).toBe(size.rows)
    expect(lines.join('\n')).toMatch(/more lines; v shows all/)
  }
})

test('no letter of a slowly typed word decides, but a single key after it does', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const word = [...'what'].map((letter, at) => [1_000 + 600 * at, letter] as const)
  expect(await ask(typed(...word, [9_000, 'q']))).toBe('detach')
  expect(await ask(typed(...word, [9_000, 'a']))).toMatchObject({ decision: 'approve' })
  expect(await ask(typed([1_000, 'a']))).toMatchObject({ decision: 'approve', scope: 'once' })
})

test('a key without a meaning prints one line, and ? prints the menu again', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const linesAfter = async (key: string): Promise<string[]> => {
    printed.mockClear()
    await ask(typed([1_000, key], [9_000, 'q']))
    return printed.mock.calls.slice(1).map(([text]) => String(text))
  }
  expect((await linesAfter('z')).map((line) => /approve once/.test(line))).toEqual([true, false])
  expect((await linesAfter('z')).at(-1)).toBe('#12: not one of its keys; ? lists them')
  expect((await linesAfter('?')).map((line) => /approve once/.test(line))).toEqual([true, true])
})
