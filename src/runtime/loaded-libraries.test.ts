import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Prints the packages that a module and those below it load. */
const program = `
import { registerHooks } from 'node:module'
const names = new Set()
registerHooks({
  load: (url, context, next) => {
    const name = url.split('/node_modules/').at(-1).match(/^(@[^/]+\\/)?[^/]+/)?.[0]
    if (url.includes('/node_modules/')) names.add(name)
    return next(url, context)
  },
})
await import(process.argv[1])
process.stdout.write(JSON.stringify([...names]), () => process.exit(0))
`

async function packagesOf(file: string): Promise<readonly string[]> {
  const argv = ['--input-type=module', '-e', program, new URL(file, import.meta.url).href]
  const { stdout } = await promisify(execFile)(process.execPath, argv)
  return JSON.parse(stdout) as string[]
}

test.each([
  ['an API process', './api/run-api.ts'],
  ['a Temporal worker', './temporal/run-temporal-worker.ts'],
])('%s starts without the libraries of what it may never use', async (_name, file) => {
  const loaded = await packagesOf(file)
  expect(loaded).toContain('pg')
  const unused = [
    'ai',
    'nodemailer',
    '@simplewebauthn/server',
    '@slack/web-api',
    '@modelcontextprotocol/server',
    '@opentelemetry/sdk-trace',
    'jose',
    'openid-client',
    'web-push',
  ]
  expect(loaded.filter((name) => unused.includes(name) || name.startsWith('@ai-sdk/'))).toEqual([])
})

test('the process that starts the others loads no client of Temporal, and nothing for a folder that it may not read', async () => {
  const loaded = await packagesOf('../cli/start/start.ts')
  expect(loaded).toContain('pg')
  const unused = ['@temporalio/client', '@grpc/grpc-js', 'ajv', 'croner', 're2js']
  expect(loaded.filter((name) => unused.includes(name))).toEqual([])
})
