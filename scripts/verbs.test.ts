import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkVerbs } from './verbs.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verbs-'))
  await mkdir(join(folder, 'grants'))
})
afterEach(() => rm(folder, { recursive: true }))

async function verb(body: string): Promise<void> {
  const text = `export async function revokeGrant(ctx: Ctx, caller: Caller): Promise<void> {\n${body}\n}\n`
  await writeFile(join(folder, 'grants', 'revoke-grant.ts'), text)
}

const authorise = `await requireRight(ctx, caller, 'manageRuns')`
const write = (audit: string) =>
  `await inUnitOfWork(ctx, async (unit) => { await unit.tx.updateTable('grant').execute(); ${audit} })`
const audit = `await unit.audit({ type: 'grant.revoked' })`

test('a verb that authorises and audits passes', async () => {
  await verb(`${authorise}\n${write(audit)}`)
  expect(await checkVerbs(folder, {})).toEqual({ verbs: 1, problems: [] })
})

test('a verb that writes without authorising is reported', async () => {
  await verb(write(audit))
  const { problems } = await checkVerbs(folder, {})
  expect(problems).toEqual(['grants/revoke-grant.ts writes and never authorises'])
})

test('a verb that writes without auditing is reported, also when only a comment mentions it', async () => {
  await verb(`${authorise}\n// unit.audit(…)\n${write('')}`)
  const { problems } = await checkVerbs(folder, {})
  expect(problems).toEqual(['grants/revoke-grant.ts writes and never audits'])
})

test('a write past the unit of work is a write', async () => {
  await verb(`await ctx.db.deleteFrom('grant').where('id', '=', 1).execute()`)
  expect((await checkVerbs(folder, {})).problems).toHaveLength(2)
})

test('what only reads, and what writes inside the transaction of a verb, is no verb', async () => {
  await verb(
    `return unit.tx.updateTable('grant').execute() && ctx.db.selectFrom('grant').execute()`,
  )
  expect(await checkVerbs(folder, {})).toEqual({ verbs: 0, problems: [] })
})

test('an exemption excuses one duty of one verb, and only while it is needed', async () => {
  await verb(write(audit))
  const exempt = { 'grants/revoke-grant.ts': { authorises: 'the reason' } }
  expect((await checkVerbs(folder, exempt)).problems).toEqual([])
  await verb(`${authorise}\n${write(audit)}`)
  expect((await checkVerbs(folder, exempt)).problems).toHaveLength(1)
  const gone = { 'grants/gone.ts': { audits: 'the reason' } }
  expect((await checkVerbs(folder, gone)).problems).toEqual([
    'grants/gone.ts: exempt (audits), but no such verb',
  ])
})
