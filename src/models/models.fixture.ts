import { afterAll, beforeAll, beforeEach } from 'vitest'
import {
  startProviderServer,
  type ProviderServer,
} from '#test/harness/fixtures/models/provider-server.ts'

export let server: ProviderServer

/**
 * Starts a provider for a file of tests about models; each test begins with nothing asked,
 * refused or cut nothing.
 */
export function useProviderServer(): void {
  beforeAll(async () => {
    server = await startProviderServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  beforeEach(() => {
    server.asked.length = 0
    server.refuse = () => null
    server.cut = (events) => events
  })
}
