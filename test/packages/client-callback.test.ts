import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { callbackSecret, createClient } from '#program-client'

const apiKey = 'cs_0123456789abcdef_0123456789012345678901234567890123456789012'
const client = createClient({ url: 'http://unused.example', apiKey })
const data = { requestId: 'r1', externalId: 'deploy-1', state: 'approved' }
const body = JSON.stringify({ specversion: '1.0', type: 'request.decided', data })

/** Headers as the service signs them, by the package that defines the standard. */
async function signed(at: Date): Promise<Record<string, string>> {
  const signature = new Webhook(await callbackSecret(apiKey)).sign('msg_1', at, body)
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  }
}

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)

test('a callback that the service signed says which request ended, as a Request or as its parts', async () => {
  const headers = await signed(new Date())
  expect(await client.verifyCallback({ headers, body })).toEqual(data)
  const request = new Request('http://here.example/hook', { method: 'POST', headers, body })
  expect(await client.verifyCallback(request)).toEqual(data)
  // While a secret is replaced, there are two signatures.
  const two = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }
  expect(await client.verifyCallback({ headers: new Headers(two), body })).toEqual(data)
})

test('a callback that was changed, is old, or is of another key is refused', async () => {
  const headers = await signed(new Date())
  const signature = headers['webhook-signature'] ?? ''
  for (const [wrong, text] of [
    [headers, body.replace('approved', 'denied')],
    [{ ...headers, 'webhook-id': 'msg_2' }, body],
    [{ ...headers, 'webhook-signature': '' }, body],
    [{ ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }, body],
    [{ ...headers, 'webhook-signature': 'v1,%%%' }, body],
    [{ ...headers, 'webhook-timestamp': '' }, body],
    [{ ...headers, 'webhook-timestamp': '1e99' }, body],
    [await signed(minutesAgo(6)), body],
    [await signed(minutesAgo(-6)), body],
    [{}, body],
  ] as const) {
    await expect(client.verifyCallback({ headers: wrong, body: text })).rejects.toMatchObject({
      name: 'CountersignError',
      code: 'bad_signature',
    })
  }
  const other = createClient({ url: 'http://unused.example', apiKey: `${apiKey}x` })
  await expect(other.verifyCallback({ headers, body })).rejects.toMatchObject({
    code: 'bad_signature',
  })
})
