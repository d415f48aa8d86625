import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { createTestApi } from './test-api.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'

const api = disposeAfterTests(
  await createTestApi({ settings: { publicUrl: 'http://localhost:4400' } }),
)

const gateway = 'http://localhost:4400/mcp/files'

/** The public address, as the test's server has it. */
async function reach(url: string | URL, init?: RequestInit): Promise<Response> {
  const { origin, pathname } = new URL(url)
  expect(origin).toBe('http://localhost:4400')
  return fetch(`${api.url}${pathname}`, init)
}

test('the official client of MCP is led from a refused call to the metadata of the gateway', async () => {
  const refused = await reach(gateway, { method: 'POST' })
  expect(refused.status).toBe(401)
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused)
  expect(scope).toBe('requests:write requests:read')
  if (resourceMetadataUrl === undefined) throw new Error('the metadata is not named')
  for (const opts of [{}, { resourceMetadataUrl }]) {
    const metadata = await discoverOAuthProtectedResourceMetadata(gateway, opts, reach)
    expect(metadata).toMatchObject({
      resource: gateway,
      bearer_methods_supported: ['header'],
      scopes_supported: ['requests:write', 'requests:read'],
    })
    // Keys are made by an administrator: no server issues tokens for this resource.
    expect(metadata.authorization_servers).toBeUndefined()
  }
})

test('a key that is not valid is led there too, and other routes name no resource', async () => {
  const authorization = 'Bearer cs_nobody_nothing'
  const refused = await reach(gateway, { method: 'POST', headers: { authorization } })
  expect([
    refused.status,
    extractWWWAuthenticateParams(refused).resourceMetadataUrl?.pathname,
  ]).toEqual([401, '/.well-known/oauth-protected-resource/mcp/files'])
  expect((await api.ask('/v1/requests')).headers.get('www-authenticate')).toBe('Bearer')
})

test('the metadata is the same for a server that does not exist, and hostile names are in no header', async () => {
  const path = '/.well-known/oauth-protected-resource/mcp'
  const [known, unknown] = [await api.ask(`${path}/files`), await api.ask(`${path}/nothing`)]
  expect(unknown.text).toBe(known.text.replaceAll('files', 'nothing'))
  for (const name of ['a%22,%20x=%22', 'a%0d%0ab', 'a'.repeat(65)]) {
    expect((await api.ask(`${path}/${name}`)).status).toBe(404)
    const refused = await api.ask(`/mcp/${name}`, { method: 'POST' })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  }
  expect((await api.ask(`${path}/files`, { method: 'POST' })).status).toBe(405)
  expect((await api.ask('/.well-known/openid-configuration')).status).toBe(404)
})
