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
  now: new Date(1531420618_000),
}

it('accepts the signature in Slack’s documentation, within five minutes before and after its time', () => {
  expect(isSignedBySlack(secret, message)).toBe(true)
  for (const seconds of [-300, 300]) {
    const now = new Date(message.now.getTime() + seconds * 1000)
    expect(isSignedBySlack(secret, { ...message, now })).toBe(true)
  }
})

it.each([
  ['a changed body', { body: Buffer.from(`${message.body.toString()}&x=1`) }],
  ['another timestamp', { timestamp: '1531420619' }],
  ['no timestamp', { timestamp: undefined }],
  ['a timestamp that is no number', { timestamp: '1531420618abc' }],
  ['no signature', { signature: undefined }],
  ['a cut signature', { signature: message.signature.slice(0, -1) }],
  ['another version', { signature: message.signature.replace('v0', 'v1') }],
  ['one of six minutes ago', { now: new Date(1531420618_000 + 360_000) }],
  ['one of the future', { now: new Date(1531420618_000 - 360_000) }],
])('refuses %s', (_what, change) => {
  expect(isSignedBySlack(secret, { ...message, ...change })).toBe(false)
})

it('refuses every message without a secret', () => {
  expect(isSignedBySlack('', message)).toBe(false)
  expect(isSignedBySlack('another', message)).toBe(false)
})
