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

async function verb(body: string, parameters = 'ctx: Ctx, caller: Caller'): Promise<void> {
  const text = `import { endGrant as end } from './end-grant.ts'
    export async function revokeGrant(${parameters}): Promise<void> {\n${body}\n}\n`
  await writeFile(join(folder, 'grants', 'revoke-grant.ts'), text)
}

async function problems(exemptions = {}): Promise<string[]> {
  return (await checkVerbs(folder, exemptions)).problems
}

const authorise = `await requireRight(ctx, caller, 'manageRuns')`
const audit = `await unit.audit({ type: 'grant.revoked' })`
const write = (inside: string) =>
  `await inUnitOfWork(ctx, async (unit) => { await unit.tx.updateTable('grant').execute(); ${inside} })`

test('a verb that authorises and audits passes', async () => {
  await verb(`${authorise}\n${write(audit)}`)
  expect(await checkVerbs(folder, {})).toEqual({ verbs: 1, problems: [] })
})

test('what a verb calls in another file counts as done', async () => {
  await writeFile(
    join(folder, 'grants', 'end-grant.ts'),
    `export async function endGrant(unit) { ${authorise}; await record(unit) }
     async function record(unit) { ${audit} }`,
  )
  await verb(write('await end(unit)'))
  expect(await problems()).toEqual([])
})

test('a verb that does not authorise is reported', async () => {
  await verb(write(audit))
  expect(await problems()).toEqual([
    'grants/revoke-grant.ts: revokeGrant writes, and does not authorise its caller',
  ])
})

test('a verb that does not audit is reported, also when a comment speaks of it', async () => {
  await verb(`${authorise}\n// unit.audit(…)\n${write('')}`)
  expect(await problems()).toEqual([
    'grants/revoke-grant.ts: revokeGrant writes, and leaves no trace in the audit',
  ])
})

test('a verb that is not told who calls is reported', async () => {
  await verb(`${authorise}\n${write(audit)}`, 'ctx: Ctx')
  expect(await problems()).toEqual([
    'grants/revoke-grant.ts: revokeGrant writes, and is not told who calls',
  ])
})

test('a write past the unit of work is a write', async () => {
  await verb(`await ctx.db.deleteFrom('grant').where('id', '=', 1).execute()`)
  expect(await problems()).toHaveLength(2)
})

test('what only reads, or writes inside the transaction of a verb, is no verb', async () => {
  await verb(
    `return unit.tx.updateTable('grant').execute() ?? ctx.db.selectFrom('grant').execute()`,
  )
  expect(await checkVerbs(folder, {})).toEqual({ verbs: 0, problems: [] })
})

test('an exemption excuses one duty of one verb, and only while it is needed', async () => {
  await verb(write(audit))
  const exemptions = { revokeGrant: { authorise: 'the reason' } }
  expect(await problems(exemptions)).toEqual([])
  await verb(`${authorise}\n${write(audit)}`)
  expect(await problems(exemptions)).toEqual([
    'revokeGrant: its exemption (authorise) excuses nothing',
  ])
})
