import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { readTemporalConfig, temporalNamedBy } from './temporal-config.ts'

const address = { TEMPORAL_ADDRESS: 'temporal.example.com:7233' }

test("Temporal's API key alone means TLS, and certificates are read by name", () => {
  expect(readTemporalConfig({ ...address, TEMPORAL_API_KEY: 'k' })).toMatchObject({
    apiKey: 'k',
    tls: true,
  })
  const certificate = {
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem', 'certificate'),
    TEMPORAL_TLS_CLIENT_KEY_DATA: 'key',
    TEMPORAL_TLS_SERVER_NAME: 'other.example.com',
  }
  const { tls } = readTemporalConfig({ ...address, ...certificate })
  if (typeof tls === 'boolean') throw new Error('no certificate was read')
  expect(tls.serverNameOverride).toBe('other.example.com')
  const pair = tls.clientCertPair
  expect([pair?.crt, pair?.key].map((part) => Buffer.from(part ?? []).toString())).toEqual([
    'certificate',
    'key',
  ])
  expect(readTemporalConfig(address)).toEqual({
    address: address.TEMPORAL_ADDRESS,
    namespace: 'default',
    tls: false,
  })
})

test('the server is that of the profile, unless a variable names another', () => {
  const profiles = file(
    'temporal.toml',
    `[profile.production]
address = "production.example.com:7233"
namespace = "payments"
api_key = "from-the-file"
[profile.production.grpc_meta]
tenant = "blue"
`,
  )
  const environment = { TEMPORAL_CONFIG_FILE: profiles, TEMPORAL_PROFILE: 'production' }
  expect(readTemporalConfig(environment)).toEqual({
    address: 'production.example.com:7233',
    namespace: 'payments',
    tls: true,
    apiKey: 'from-the-file',
    metadata: { tenant: 'blue' },
  })
  const other = { ...environment, ...address, TEMPORAL_GRPC_META_TENANT: 'green' }
  expect(readTemporalConfig(other)).toMatchObject({
    address: address.TEMPORAL_ADDRESS,
    namespace: 'payments',
    metadata: { tenant: 'green' },
  })
})

test('a profile file that nobody names moves no installation to another server', () => {
  const config = newFolder('config-')
  const home = { XDG_CONFIG_HOME: config, HOME: config }
  expect(temporalNamedBy(home)).toBeNull()
  expect(() => readTemporalConfig(home)).toThrow('TEMPORAL_ADDRESS')
  expect(temporalNamedBy({ TEMPORAL_PROFILE: 'production' })).toBe('TEMPORAL_PROFILE')
  expect(temporalNamedBy({ ...address, TEMPORAL_PROFILE: ' ' })).toBe('TEMPORAL_ADDRESS')
})

test.each([
  ['an address that is a URL', { TEMPORAL_ADDRESS: 'http://x' }, 'TEMPORAL_ADDRESS: must be'],
  ['an unknown profile', { TEMPORAL_PROFILE: 'nobody' }, "Profile 'nobody' not found"],
  [
    'a file that is not there',
    { ...address, TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml' },
    '/nowhere/temporal.toml',
  ],
  [
    'an unknown key of a profile',
    { TEMPORAL_CONFIG_FILE: file('wrong.toml', '[profile.default]\nadress = "x:1"\n') },
    'adress',
  ],
  [
    'a certificate without its key',
    { ...address, TEMPORAL_TLS_CLIENT_CERT_PATH: '/c' },
    'belong together: set both',
  ],
  [
    'a certificate that is not there',
    { ...address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' },
    '/nowhere/ca.pem',
  ],
])('%s is refused with a sentence', (_title, environment, sentence) => {
  expect(() => readTemporalConfig(environment)).toThrow(sentence)
})

function file(name: string, text: string): string {
  const path = join(newFolder('temporal-'), name)
  writeFileSync(path, text)
  return path
}
