import { expect, test } from 'vitest'
import { projectWith, usualZones } from '#test/harness/fixtures/judging.ts'
import { judgeUnknownTool } from './unknown-tool.ts'

const query = { worker: null, queue: null, tool: 'deploy', input: { version: '1' } }

test('a tool that only another program has asks at high risk, in the named queue or the default one', async () => {
  const policy = projectWith(usualZones)
  const judged = await judgeUnknownTool({ ...query, policy })
  expect(judged).toMatchObject({ verdict: 'ask', risk: 'high', routing: { queue: 'platform' } })
  expect(judged.routing?.scopes).toEqual(['once'])
  const elsewhere = await judgeUnknownTool({ ...query, policy, queue: 'security' })
  expect(elsewhere.routing?.queue).toBe('security')
})

test('routing may lower its risk and choose another queue than the requested one', async () => {
  const policy = projectWith(
    usualZones,
    'defaults: { queue: platform }\nrouting:\n  - { when: { tool: deploy }, queue: security, risk: medium }\n',
  )
  expect(await judgeUnknownTool({ ...query, policy, queue: 'platform' })).toMatchObject({
    risk: 'medium',
    routing: { queue: 'security' },
  })
})

test('overlays block it, and without a queue nobody is asked', async () => {
  const blocked = projectWith(
    usualZones,
    'defaults: { queue: platform }\noverlays:\n  - { when: { tool: deploy }, approval: { blocked: "freeze" } }\n',
  )
  expect(await judgeUnknownTool({ ...query, policy: blocked })).toMatchObject({
    verdict: 'blocked',
    reason: 'freeze',
    routing: null,
  })
  const nobody = projectWith(`queue: platform\n${usualZones}`, '')
  expect(await judgeUnknownTool({ ...query, policy: nobody })).toMatchObject({
    verdict: 'blocked',
    rule: { id: 'routing:none' },
  })
  const worker = nobody.workers.get('scribe') ?? null
  expect((await judgeUnknownTool({ ...query, policy: nobody, worker })).routing?.queue).toBe(
    'platform',
  )
})

test('the digest is of this tool and this input', async () => {
  const policy = projectWith(usualZones)
  const digest = async (more: object) =>
    (await judgeUnknownTool({ ...query, policy, ...more })).digest
  expect(await digest({})).toBe(await digest({}))
  expect(await digest({ tool: 'undeploy' })).not.toBe(await digest({}))
  expect(await digest({ input: {} })).not.toBe(await digest({}))
})
