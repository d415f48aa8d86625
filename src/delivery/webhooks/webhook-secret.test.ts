import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { isSignedWebhook, readSecrets, webhookHeaders } from './webhook-secret.ts'

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
const message = { id: 'a-delivery', at: new Date(), body: '{"title":"Créer 📄"}' }

it('the library of Standard Webhooks verifies the signature with this secret, and with no other', () => {
  const secret = newSecret()
  const headers = webhookHeaders(readSecrets(secret) ?? [], message)
  expect(new Webhook(secret).verify(message.body, headers)).toEqual({ title: 'Créer 📄' })
  expect(() => new Webhook(newSecret()).verify(message.body, headers)).toThrow(
    'No matching signature',
  )
  expect(() => new Webhook(secret).verify(`${message.body} `, headers)).toThrow(
    'No matching signature',
  )
})

it('both secrets sign while one replaces the other', () => {
  const [old, next] = [newSecret(), newSecret()]
  const headers = webhookHeaders(readSecrets(`${old} ${next}`) ?? [], message)
  for (const secret of [old, next]) {
    expect(new Webhook(secret).verify(message.body, headers)).toHaveProperty('title')
  }
})

it('a text that is short, has no prefix or is no base64 is no secret', () => {
  const short = `whsec_${randomBytes(16).toString('base64')}`
  const unmarked = randomBytes(32).toString('base64')
  for (const text of [undefined, '', 'whsec_', short, unmarked, `${newSecret()} x`, 'whsec_%%%']) {
    expect(readSecrets(text)).toBeNull()
  }
})

it('the time is read only for a message that a key signed', async () => {
  const keys = readSecrets(newSecret()) ?? []
  const headers = webhookHeaders(keys, message)
  const received = {
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
    body: Buffer.from(message.body),
  }
  let reads = 0
  const readTime = async () => {
    reads += 1
    return message.at
  }
  expect(await isSignedWebhook(null, received, readTime)).toBe(false)
  expect(await isSignedWebhook(readSecrets(newSecret()), received, readTime)).toBe(false)
  for (const header of ['id', 'timestamp', 'signature']) {
    expect(await isSignedWebhook(keys, { ...received, [header]: undefined }, readTime)).toBe(false)
  }
  expect(reads).toBe(0)
  expect(await isSignedWebhook(keys, received, readTime)).toBe(true)
  expect(reads).toBe(1)
})
