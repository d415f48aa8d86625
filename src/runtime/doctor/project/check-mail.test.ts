import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMailServer, type MailServer } from '#test/harness/mail-server.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { checkMail, sendTestMail } from './check-mail.ts'
import { checkProject } from './check-project.ts'
import { targetIn } from './check-target.fixture.ts'
import type { CheckTarget } from '../target/check.ts'

let projectDir: string
let server: MailServer
beforeEach(async () => {
  projectDir = newFolder('countersign mail ')
  server = await openMailServer()
})
afterEach(() => server[Symbol.asyncDispose]())

async function target(smtp: string | null, environment = {}): Promise<CheckTarget> {
  const email = `email:\n  smtp: { host: localhost, security: none, ${smtp} }\n  from: a@example.com\n`
  const text = `version: 1\nteams:\n  ops: { members: [ada@example.com] }\n${smtp === null ? '' : email}`
  await writeFile(join(projectDir, 'countersign.yaml'), text)
  return targetIn(projectDir, environment)
}

test('doctor reports whether the mail server takes mail from here, and has no finding without a mail server', async () => {
  expect(await checkMail(await target(null))).toEqual([])
  const found = `localhost:${server.port} takes mail from here`
  expect(await checkMail(await target(`port: ${server.port}`))).toEqual([
    { check: 'mail', state: 'ok', found },
  ])
  const variables = 'userFrom: SMTP_USER, passwordFrom: SMTP_PASSWORD'
  const unset = await target(`port: ${server.port}, ${variables}`)
  expect(await checkMail(unset)).toMatchObject([
    { state: 'warning', found: expect.stringContaining('SMTP_USER is not set') },
  ])
  const named = (await checkProject(unset)).filter(({ found: text }) => text.includes('is not set'))
  expect(named).toMatchObject([{ state: 'warning' }, { state: 'warning' }])
})

test('a test mail arrives, or doctor says why not', async () => {
  const working = await target(`port: ${server.port}`)
  expect(await sendTestMail(working, 'grace@example.com')).toMatchObject({ state: 'ok' })
  expect(server.received).toMatchObject([{ to: ['grace@example.com'] }])
  server.refuse = 'recipient'
  expect(await sendTestMail(working, 'grace@example.com')).toMatchObject({
    state: 'problem',
    found: expect.stringContaining('takes no mail for this address (550)'),
  })
  expect(await sendTestMail(await target(null), 'grace@example.com')).toMatchObject({
    state: 'problem',
    found: expect.stringContaining('has no "email"'),
  })
})
