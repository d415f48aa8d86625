import { expect, test, vi } from 'vitest'
import { Readable } from 'node:stream'
import { Service } from '../service/service.ts'
import { requestWith } from '../text/request.fixture.ts'
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

test('no letter of a slowly typed word decides, but a single key after it does', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const word = [...'what'].map((letter, at) => [1_000 + 600 * at, letter] as const)
  expect(await ask(typed(...word, [9_000, 'q']))).toBe('detach')
  expect(await ask(typed(...word, [9_000, 'a']))).toMatchObject({ decision: 'approve' })
  expect(await ask(typed([1_000, 'a']))).toMatchObject({ decision: 'approve', scope: 'once' })
})
