import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { decryptPush, type PushReceiver } from '#test/harness/fixtures/push-service.ts'
import { testPushKey } from '#test/harness/fixtures/keys/push-key.ts'
import { encryptPush } from './encrypt-push.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')

/** A browser with this private key and the secret of RFC 8291, section 5. */
function browserOf(privateKey: string): PushReceiver {
  const keys = createECDH('prime256v1')
  keys.setPrivateKey(bytes(privateKey))
  const secretWith = (other: Buffer): Buffer => keys.computeSecret(other)
  return { p256dh: keys.getPublicKey(), auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'), secretWith }
}

/** The browser of RFC 8291, section 5, and the message that it gets there. */
const browser = browserOf('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94')
const rfcMessage =
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'

async function encrypt(text: string): Promise<Buffer> {
  const keys = {
    p256dh: browser.p256dh.toString('base64url'),
    auth: browser.auth.toString('base64url'),
  }
  const target = { endpoint: 'https://push.example.com/one', keys }
  const message = { text, ttlSeconds: 60, topic: 'request', urgency: 'normal' } as const
  const sender = { key: testPushKey, subject: 'https://countersign.example.com' }
  const { body } = await encryptPush(target, message, sender)
  return Buffer.from(body)
}

test('the browser of the tests decrypts the example of RFC 8291, so it can stand for real browsers', () => {
  expect(decryptPush(bytes(rfcMessage), browser)).toBe('When I grow up, I want to be a watermelon')
})

test('only its browser decrypts a message, no two are equal, and one with a changed byte is refused', async () => {
  const text = JSON.stringify({ requestId: '0199f3c2', number: 7 })
  const [body, again] = await Promise.all([encrypt(text), encrypt(text)])
  expect(decryptPush(body, browser)).toBe(text)
  expect(body.includes('0199f3c2')).toBe(false)
  expect(body.equals(again)).toBe(false)
  const other = browserOf('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw')
  expect(() => decryptPush(body, other)).toThrow('unable to authenticate')
  const changed = Buffer.from(body)
  changed[body.length - 20] = (changed[body.length - 20] ?? 0) ^ 1
  expect(() => decryptPush(changed, browser)).toThrow('unable to authenticate')
})
