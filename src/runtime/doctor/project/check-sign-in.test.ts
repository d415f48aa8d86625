import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { startOpenIdProvider } from '#test/harness/open-id/open-id-provider.ts'
import { checkProject } from './check-project.ts'
import { checkSignIn } from './check-sign-in.ts'
import { targetIn } from './check-target.fixture.ts'
import type { CheckTarget } from '../target/check.ts'

let projectDir: string
beforeEach(() => {
  projectDir = newFolder('countersign sign-in ')
})

async function target(issuer: string | null): Promise<CheckTarget> {
  const oidc = `signIn:\n  oidc: { issuer: "${issuer}", clientId: x, clientSecretFrom: OIDC_SECRET }\n`
  const text = `version: 1\nteams:\n  ops: { members: [ada@example.com] }\n${issuer === null ? '' : oidc}`
  await writeFile(join(projectDir, 'countersign.yaml'), text)
  return targetIn(projectDir, {})
}

test('doctor reads the documents of the sign-in provider, and reports a provider that is down or has another name', async () => {
  expect(await checkSignIn(await target(null))).toEqual([])
  const provider = await startOpenIdProvider('http://localhost:4400/v1/auth/oidc/callback')
  const { issuer } = provider
  expect(await checkSignIn(await target(issuer))).toEqual([
    { check: 'sign-in', state: 'ok', found: `${issuer} answers from here` },
  ])
  const other = issuer.replace('127.0.0.1', 'localhost')
  expect(await checkSignIn(await target(other))).toMatchObject([
    { state: 'warning', found: expect.stringContaining('has another issuer name') },
  ])
  await provider.stop()
  expect(await checkSignIn(await target(issuer))).toMatchObject([
    { state: 'warning', found: expect.stringContaining('does not answer') },
  ])
})

test('a client secret that is not set is reported with its variable', async () => {
  const findings = await checkProject(await target('https://id.example.com'))
  expect(findings.map(({ found }) => found).join('\n')).toContain('OIDC_SECRET, which is not set')
})
