import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

const folders = { projectDir: '/p', dataDir: '/p/.countersign', isQuickstart: false }
const servers = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/db', TEMPORAL_ADDRESS: '127.0.0.1:2' }

// Rules: security.md 26
describe('development sign-in', () => {
  test('exists with the embedded servers on a loopback listener', () => {
    expect(readConfig(folders, { ...servers, COUNTERSIGN_EMBEDDED: '1' }).developmentSignIn).toBe(
      true,
    )
  })

  test.each([
    ['servers of somebody else', {}],
    ['production', { COUNTERSIGN_EMBEDDED: '1', COUNTERSIGN_PRODUCTION: '1' }],
    [
      'a listener that others reach',
      {
        COUNTERSIGN_EMBEDDED: '1',
        HOST: '0.0.0.0',
        COUNTERSIGN_TRUST_PROXY: '1',
        COUNTERSIGN_PUBLIC_URL: 'https://c.example.com',
      },
    ],
  ])('does not exist with %s', (_, variables) => {
    expect(readConfig(folders, { ...servers, ...variables }).developmentSignIn).toBe(false)
  })
})

// Rules: security.md 26
describe('a listener that other machines reach', () => {
  test('is refused without a declared proxy', () => {
    expect(() => readConfig(folders, { ...servers, HOST: '0.0.0.0' })).toThrow(
      'COUNTERSIGN_TRUST_PROXY=1',
    )
  })

  test('is refused when people would come without TLS', () => {
    const plain = {
      HOST: '10.0.0.1',
      COUNTERSIGN_TRUST_PROXY: '1',
      COUNTERSIGN_PUBLIC_URL: 'http://c.example.com',
    }
    expect(() => readConfig(folders, { ...servers, ...plain })).toThrow('https://')
  })
})

test('every wrong variable is named, with the values that are right', () => {
  const wrong = { DATABASE_URL: 'mysql://x', PORT: '99999' }
  expect(() => readConfig(folders, { ...servers, ...wrong })).toThrow(
    /PORT: .*DATABASE_URL: must begin with postgres:/s,
  )
  expect(() => readConfig(folders, { ...servers, TEMPORAL_ADDRESS: 'http://x' })).toThrow(
    'TEMPORAL_ADDRESS: must be HOST:PORT',
  )
})

test('people are sent to localhost by name unless an address is given', () => {
  expect(readConfig(folders, { ...servers, PORT: '4444' }).publicUrl).toBe('http://localhost:4444')
  const environment = { ...servers, COUNTERSIGN_PUBLIC_URL: 'https://c.example.com/' }
  expect(readConfig(folders, environment).publicUrl).toBe('https://c.example.com')
})

// Rules: security.md 24
test.each([
  ['that are not valid', 'callsPerTurn=0', /COUNTERSIGN_LIMITS: callsPerTurn must be/],
  ['that came too late to count', 'callsPerTurn=7', /for the process itself, not in \.env/],
])('bounds %s stop the service at its start', (_, text, sentence) => {
  expect(() => readConfig(folders, { ...servers, COUNTERSIGN_LIMITS: text })).toThrow(sentence)
})
