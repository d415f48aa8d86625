import { expect } from 'vitest'
import type { Client, Reply, TestApi } from './test-api.ts'

/** A program with a key, as it asks the API. */
export interface ProgramClient {
  readonly key: string
  get(path: string): Promise<Reply>
  post(path: string, body?: unknown): Promise<Reply>
}

/** Makes a key for a person, and a program that uses it. */
export async function createProgram(
  api: Pick<TestApi, 'ask'>,
  owner: Client,
  scopes: readonly string[] = ['requests:write', 'requests:read'],
): Promise<ProgramClient> {
  const made = await owner.post('/v1/keys', { name: 'deployer', scopes })
  expect(made.status).toBe(201)
  const { key } = made.body
  const headers = { authorization: `Bearer ${key}` }
  return {
    key,
    get: (path) => api.ask(path, { headers }),
    post: (path, body = {}) => api.ask(path, { method: 'POST', headers, body }),
  }
}
