import { expect, test } from 'vitest'
import { ownListener } from './start-cluster.ts'

test('each process of a cluster serves its metrics on a port of its own, and says on which', async () => {
  const sentences: string[] = []
  const of = (index: number, variables: Record<string, string>) =>
    ownListener({
      variables,
      variable: 'COUNTERSIGN_METRICS',
      name: `api-${index + 1}`,
      index,
      log: (sentence) => sentences.push(sentence),
    })
  const variables = { COUNTERSIGN_METRICS: '127.0.0.1:9464' }
  expect(await of(0, variables)).toEqual({})
  expect(sentences).toEqual([])
  const { COUNTERSIGN_METRICS: second } = await of(1, variables)
  expect(second).toMatch(/^127\.0\.0\.1:\d+$/)
  expect(second).not.toBe('127.0.0.1:9464')
  expect(sentences).toEqual([expect.stringContaining(`api-2 serves its metrics on ${second}`)])
  expect((await of(1, { COUNTERSIGN_METRICS: '9464' })).COUNTERSIGN_METRICS).toMatch(/^\d+$/)
  expect(await of(1, {})).toEqual({})
})
