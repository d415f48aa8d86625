import { expect, it } from 'vitest'
import { isSignedBySlack } from './slack-signature.ts'

/** The example of Slack's documentation ("Verifying requests from Slack"). */
const secret = '8f742231b10e8888abcd99yyyzzz85a5'
const message = {
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
}

const signedAt = 1531420618
let reads = 0
const readTime = async () => {
  reads += 1
  return new Date(signedAt * 1000)
}
const later = (seconds: number) => async () => new Date((signedAt + seconds) * 1000)

it('accepts the signature in Slack’s documentation, within five minutes before and after its time', async () => {
  for (const seconds of [-300, 0, 300]) {
    expect(await isSignedBySlack(secret, message, later(seconds))).toBe(true)
  }
})

it.each([-360, 360])('refuses it %i seconds later', async (seconds) => {
  expect(await isSignedBySlack(secret, message, later(seconds))).toBe(false)
})

it.each([
  ['a changed body', { body: Buffer.from(`${message.body.toString()}&x=1`) }],
  ['another timestamp', { timestamp: '1531420619' }],
  ['no timestamp', { timestamp: undefined }],
  ['a timestamp that is no number', { timestamp: '1531420618abc' }],
  ['no signature', { signature: undefined }],
  ['a cut signature', { signature: message.signature.slice(0, -1) }],
  ['another version', { signature: message.signature.replace('v0', 'v1') }],
])('refuses %s, and reads no time for it', async (_what, change) => {
  reads = 0
  expect(await isSignedBySlack(secret, { ...message, ...change }, readTime)).toBe(false)
  expect(reads).toBe(0)
})

it('refuses every message without a secret', async () => {
  expect(await isSignedBySlack('', message, readTime)).toBe(false)
  expect(await isSignedBySlack('another', message, readTime)).toBe(false)
})
