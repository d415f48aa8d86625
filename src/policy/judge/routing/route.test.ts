import { describe, expect, test } from 'vitest'
import { inUsualWorkspace, projectWith, usualZones } from '#test/harness/fixtures/judging.ts'
import { policyOf } from '#test/harness/fixtures/project.ts'

const { ask } = inUsualWorkspace()

describe('step 7: routing', () => {
  const write = { path: 'notes/b.md', content: 'x' }
  const routed = (routing: string) =>
    projectWith(usualZones, `defaults: { queue: platform }\nrouting:\n${routing}`)

  test('without an entry, any member of the default queue’s team decides, with its times', async () => {
    expect((await ask('write_file', write)).routing).toEqual({
      queue: 'platform',
      team: 'platform',
      quorum: { any: [[{ team: 'platform', count: 1 }]] },
      quorumText: '1 of platform',
      expiresAfterMs: 72 * 3_600_000,
      permitForMs: 30 * 86_400_000,
      scopes: ['once', 'run', 'path'],
      edits: 'revise',
      selfApproval: false,
      signature: 'optional',
      why: {
        queue: {
          text: 'the default queue',
          source: expect.stringMatching(/^countersign.yaml:\d+$/),
        },
      },
    })
  })

  test('the waiting steps of a queue are frozen into the request, and explained', async () => {
    const { files } = projectWith(usualZones)
    const setting =
      '{ team: platform, remindAfter: 4h, escalate: [{ after: 1d, addTeams: security }] }'
    const texts = new Map(
      [...files.texts].map(([path, text]) => [path, text.replace('{ team: platform }', setting)]),
    )
    const judged = await ask('write_file', write, {}, policyOf({ ...files, texts }))
    expect(judged.routing?.steps).toEqual([
      { kind: 'remind', afterMs: 4 * 3_600_000 },
      { kind: 'escalate', afterMs: 24 * 3_600_000, addTeams: ['security'] },
    ])
    expect(judged.steps.at(-1)?.detail).toContain(
      'reminded after 4h, escalated to security after 1d, expires after 3d',
    )
  })

  test('the first entry that matches decides queue, quorum, risk and scopes', async () => {
    const project = routed(`  - { when: { tool: delete_file }, queue: platform, risk: low }
  - { when: { path: "notes/**", risk: [medium, high] }, queue: security, risk: high, scopes: [run],
      quorum: { allOf: [{ team: platform, count: 2 }, { team: security }] } }
  - { when: {}, queue: platform, risk: low }
`)
    expect(await ask('write_file', write, {}, project)).toMatchObject({
      risk: 'high',
      routing: {
        queue: 'security',
        quorum: {
          any: [
            [
              { team: 'platform', count: 2 },
              { team: 'security', count: 1 },
            ],
          ],
        },
        quorumText: '2 of platform and 1 of security',
        scopes: ['once', 'run'],
        edits: 'off',
        expiresAfterMs: 3_600_000,
        permitForMs: 86_400_000,
        selfApproval: true,
        signature: 'required',
      },
    })
  })

  test('the reason of an entry names the cues of the call that it matched, and no others', async () => {
    const project = routed(
      '  - { when: { cue: [touches_ci, money, touches_migrations] }, queue: security }\n',
    )
    const migration = { path: 'notes/migrations/1.md', content: 'x' }
    const { routing } = await ask('write_file', migration, {}, project)
    expect(routing?.why?.queue?.text).toBe('a routing entry sets it: touches database migrations')
  })

  test('an entry without a queue keeps the worker’s own; count is of its team; anyOf gives alternatives', async () => {
    const count = routed('  - { when: { worker: scribe }, quorum: { count: 2 } }\n')
    expect((await ask('write_file', write, {}, count)).routing).toMatchObject({
      queue: 'platform',
      quorumText: '2 of platform',
    })
    const either = routed(
      '  - { when: { queue: platform }, quorum: { anyOf: [{ team: platform, count: 2 }, { team: security }] } }\n',
    )
    expect((await ask('write_file', write, {}, either)).routing?.quorumText).toBe(
      '2 of platform or 1 of security',
    )
    const own = projectWith(`queue: security\n${usualZones}`)
    expect((await ask('write_file', write, {}, own)).routing?.queue).toBe('security')
  })

  // Rules: product.md 11
  test('at high risk an editor never decides their own change', async () => {
    const high = routed('  - { when: {}, risk: high }\n')
    expect((await ask('write_file', write, {}, high)).routing?.edits).toBe('revise')
  })

  // Rules: product.md 22
  test('a call that nobody could be asked about is blocked, with what to configure', async () => {
    const project = projectWith(usualZones, '')
    expect(await ask('write_file', write, {}, project)).toMatchObject({
      verdict: 'blocked',
      rule: { id: 'routing:none' },
      reason: expect.stringContaining('no queue is configured'),
    })
  })

  // Rules: product.md 10
  test('scope path is for calls that write one file and nothing else', async () => {
    const move = { from: 'scratch/x.txt', to: 'notes/z.md' }
    expect((await ask('move_file', move)).routing?.scopes).toEqual(['once', 'run'])
    expect((await ask('write_file', write)).routing).not.toHaveProperty('narrowed')
    expect((await ask('read_file', { path: 'secret/s.txt' })).routing?.narrowed).toEqual({
      path: 'path',
    })
    expect((await ask('read_file', { path: 'secret/s.txt' })).routing?.scopes).toEqual([
      'once',
      'run',
    ])
  })

  const apart = `  - { when: { path: "notes/**" }, queue: security, risk: low, scopes: [once] }\n`

  test('an entry that names one of two paths does not replace the people, risk and rules that apply without it', async () => {
    const move = { from: 'scratch/x.txt', to: 'notes/z.md' }
    expect(await ask('move_file', move, {}, routed(apart))).toMatchObject({
      risk: 'medium',
      routing: {
        queue: 'security',
        quorumText: '1 of security and 1 of platform',
        selfApproval: false,
        edits: 'off',
        permitForMs: 86_400_000,
        scopes: ['once'],
        narrowed: { run: 'routing' },
      },
    })
    expect((await ask('write_file', write, {}, routed(apart))).routing).toMatchObject({
      queue: 'security',
      quorumText: '1 of security',
      selfApproval: true,
    })
  })

  test('entries that together name every path of a call all apply, and nothing else does', async () => {
    const both = routed(
      `${apart}  - { when: { path: "scratch/**" }, queue: platform }\n  - { when: {}, quorum: { count: 3 } }\n`,
    )
    const move = { from: 'scratch/x.txt', to: 'notes/z.md' }
    expect((await ask('move_file', move, {}, both)).routing?.quorumText).toBe(
      '1 of security and 3 of platform',
    )
    const one = routed(`  - { when: { path: ["notes/**", "scratch/**"] }, queue: security }\n`)
    expect((await ask('move_file', move, {}, one)).routing?.quorumText).toBe('1 of security')
  })

  test('for a listing that reaches beyond an entry, the rules without it apply too; for one below it they do not', async () => {
    const listing = async (entry: string) => {
      const project = routed(`  - { when: { path: "${entry}" }, queue: security }\n`)
      return (await ask('list_files', { path: 'secret' }, {}, project)).routing?.quorumText
    }
    expect(await listing('secret/deep/**')).toBe('1 of security and 1 of platform')
    expect(await listing('secret/*')).toBe('1 of security and 1 of platform')
    expect(await listing('secret/**')).toBe('1 of security')
    expect(await listing('notes/**')).toBe('1 of platform')
  })
})
