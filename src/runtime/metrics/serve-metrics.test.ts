import { expect, test } from 'vitest'
import { serveMetrics } from './serve-metrics.ts'

const here = { host: '127.0.0.1', port: 0 }
const contentType = 'text/plain; version=0.0.4'

test('GET and HEAD /metrics are answered, and nothing else is', async () => {
  const page = { contentType, text: async () => 'up 1\n' }
  await using served = await serveMetrics(page, here)
  const at = `http://127.0.0.1:${served.port}`
  const answer = await fetch(`${at}/metrics`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType])
  expect(await answer.text()).toBe('up 1\n')
  expect((await fetch(`${at}/metrics`, { method: 'HEAD' })).status).toBe(200)
  for (const path of ['/', '/metrics/', '/metrics?x=1', '/v1/me', '/healthz']) {
    expect((await fetch(at + path)).status).toBe(404)
  }
  expect((await fetch(`${at}/metrics`, { method: 'POST' })).status).toBe(404)
})

test('figures that cannot be read are a 500, and the next collector is answered', async () => {
  let fails = true
  const text = async (): Promise<string> => {
    if (fails) throw new Error('no figures')
    return 'up 1\n'
  }
  await using served = await serveMetrics({ contentType, text }, here)
  const at = `http://127.0.0.1:${served.port}/metrics`
  expect((await fetch(at)).status).toBe(500)
  fails = false
  expect((await fetch(at)).status).toBe(200)
})

test('a port that is taken is reported in one sentence', async () => {
  const page = { contentType, text: async () => '' }
  await using served = await serveMetrics(page, here)
  const again = serveMetrics(page, { ...here, port: served.port })
  await expect(again).rejects.toThrow(`metrics cannot be served on 127.0.0.1:${served.port}`)
})
