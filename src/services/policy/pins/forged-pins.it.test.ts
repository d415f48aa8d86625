import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openMcpDesk } from '#test/harness/fixtures/mcp-desk.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { sequenceOfVersion } from '../activations/sequence-of-version.ts'
import { agreeToFolder } from '../agree-to-policy.ts'

const add = { tool: 'mcp__sums__add', input: { a: 1, b: 2 } }
const refuse = { tool: 'mcp__sums__look', input: {} }

const bench = disposeAfterTests(await openMcpDesk('add: preApproved'))

beforeEach(async () => {
  const { digest } = await bench.worker.policies.inForce()
  const folder = { projectDir: bench.desk.root, digest }
  await agreeToFolder(bench.desk.api, bench.desk.people.olga.caller, folder)
  if ((await bench.pin()) > 0) throw new Error('the server was not heard')
})

function run(statement: ReturnType<typeof sql>) {
  return statement.execute(bench.desk.database.db)
}

/** Ways in which a writer of rows could have another definition count as pinned. */
const forgeries: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'changed to another definition',
    async () => {
      await run(
        sql`insert into content (hash, encoding, size, bytes) values ('sha256:forged', 'identity', 2, '[]') on conflict do nothing`,
      )
      await run(
        sql`update mcp_pin set definitions_hash = 'sha256:forged', statement = replace(statement, definitions_hash, 'sha256:forged')`,
      )
    },
  ],
  [
    'whose statement names another activation',
    () =>
      run(
        sql`update mcp_pin set statement = replace(statement, '"activation":', '"activation":1')`,
      ),
  ],
  ['removed, to be taken anew', () => run(sql`delete from mcp_pin`)],
  ['without a signature', () => run(sql`update mcp_pin set signature = ''`)],
  [
    'replaced by one that another server has',
    () => run(sql`update mcp_pin set server_hash = 'sha256:elsewhere'`),
  ],
]

// Rules: security.md 13; product.md 25
describe.each(forgeries)('with a pin %s', (_how, forge) => {
  test('every call of the server is judged as an error, and the trail says why', async () => {
    await forge()
    expect(await bench.pin()).toBe(0)
    for (const { tool, input } of [add, refuse]) {
      const call = await bench.call(tool, input)
      expect(call.verdict).toBe('error')
      expect(call.text).toContain('is not what this service signed')
      expect(await bench.desk.auditTypes(call.runId)).toContain('call.judged')
    }
  })

  test('calls that were pre-approved or approved before are refused, with nothing executed, and that is audited', async () => {
    const free = await bench.call(add.tool, add.input)
    const approved = await bench.call(refuse.tool, refuse.input)
    expect([free.verdict, approved.verdict]).toEqual(['preApproved', 'ask'])
    await bench.desk.decide(bench.desk.people.grace, approved.requestId)
    await forge()
    for (const { runId, callId } of [free, approved]) {
      await bench.perform(callId)
      const executions = await rowsOf(
        bench.desk.database.db,
        'execution',
        { call_id: callId },
        'state',
        'reason',
      )
      expect(executions).toEqual([{ state: 'refused', reason: 'invalid_statement' }])
      const audited = await bench.desk.auditTypes(runId)
      expect(audited).toEqual(expect.arrayContaining(['permit.refused', 'execution.refused']))
      expect(audited).not.toContain('execution.started')
    }
  })
})

test('a pin written before the service could take its own is not used', async () => {
  await bench.desk.activate({
    'notes/else.md': 'x',
    'countersign.yaml': `${await bench.desk.read('countersign.yaml')}\n# later\n`,
  })
  await run(
    sql`insert into mcp_pin (activation, worker, server, server_hash, definitions_hash, statement, signature, key_id)
        select (select max(sequence) from policy_activation), worker, server, server_hash, definitions_hash, statement, signature, key_id
        from mcp_pin order by activation desc limit 1`,
  )
  expect(await bench.pin()).toBe(0)
  expect(await bench.call(add.tool, add.input)).toMatchObject({ verdict: 'error' })
})

test('the signed activation of a version is found below hundreds of rows that nobody signed', async () => {
  const { db } = bench.desk.database
  const { verifier } = bench.worker
  const { digest } = await bench.worker.policies.inForce()
  const sequence = await sequenceOfVersion(db, verifier, digest)
  expect(sequence).toBeGreaterThan(0)
  await run(
    sql`insert into policy_activation
        select (jsonb_populate_record(activation, jsonb_build_object('sequence', sequence + forged))).*
        from policy_activation as activation, generate_series(1, 450) as forged
        where sequence = ${sequence}`,
  )
  try {
    expect(await sequenceOfVersion(db, verifier, digest)).toBe(sequence)
    expect(await sequenceOfVersion(db, verifier, 'sha256:never')).toBeNull()
  } finally {
    await run(sql`delete from policy_activation where sequence > ${sequence}`)
  }
})
